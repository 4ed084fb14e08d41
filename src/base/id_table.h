/* A record for each block of a trace, by block id.  Ids come densely, in chunks, and mostly go in
 * the order in which they came, so records stand in pages of 64 neighbours, and a page is freed
 * with its last record: memory follows what is alive, not what has ever been. */
#ifndef BASE_ID_TABLE_H
#define BASE_ID_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct id_page;

struct id_slot {
    uint64_t number;      /* of the page: id / 64 */
    struct id_page *page; /* NULL for an empty slot */
};

struct id_table {
    size_t record_bytes;
    struct id_slot *slots; /* of a hash table of pages: mask + 1 of them; NULL at first */
    size_t mask;
    size_t pages; /* in use */
    size_t count; /* records in use */
};

void id_table_init(struct id_table *table, size_t record_bytes);
void id_table_release(struct id_table *table);

/* The record of `id`, made of zeros if there is none (then `*fresh`); borrowed until the record is
 * removed.  NULL when there is no memory. */
void *id_table_put(struct id_table *table, uint64_t id, bool *fresh);

/* The record of `id`; NULL where there is none. */
void *id_table_find(const struct id_table *table, uint64_t id);

/* Forgets the record of `id`, if there is one. */
void id_table_remove(struct id_table *table, uint64_t id);

/* Calls `visit` for each record, in no particular order. */
void id_table_each(const struct id_table *table,
                   void (*visit)(void *context, uint64_t id, void *record), void *context);

#endif
