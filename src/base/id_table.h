/* A record for each block of a trace, by block id.  Ids come densely, in chunks, and mostly go in
 * the order in which they came, so records stand in pages of 64 neighbours, and a page is freed
 * with its last record: memory follows what is alive, not what has ever been. */
#ifndef BASE_ID_TABLE_H
#define BASE_ID_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { ID_TABLE_PAGE_BITS = 6, ID_TABLE_PAGE_IDS = 1 << ID_TABLE_PAGE_BITS, ID_TABLE_RECENT = 256 };

struct id_page {
    uint64_t present; /* a bit for each id that has a record */
    char records[];   /* ID_TABLE_PAGE_IDS of them */
};

struct id_slot {
    uint64_t number;      /* of the page: id / 64 */
    struct id_page *page; /* NULL for an empty slot */
};

struct id_table {
    size_t record_bytes;
    struct id_slot *slots;  /* of a hash table of pages: mask + 1 of them; NULL at first */
    struct id_slot *recent; /* pages last met, by the low bits of their numbers */
    size_t mask;
    size_t pages; /* in use */
    size_t count; /* records in use */
};

void id_table_init(struct id_table *table, size_t record_bytes);
void id_table_release(struct id_table *table);

/* Calls `visit` for each record, in no particular order. */
void id_table_each(const struct id_table *table,
                   void (*visit)(void *context, uint64_t id, void *record), void *context);

/* For the functions below: the page of a number, NULL where there is none; the same, perhaps a new
 * one, NULL when there is no memory; and the end of an empty one. */
struct id_page *id_table_page(const struct id_table *table, uint64_t number);
struct id_page *id_table_new_page(struct id_table *table, uint64_t number);
void id_table_drop_page(struct id_table *table, uint64_t number);

static inline struct id_page *id_table_recent_page(const struct id_table *table, uint64_t number)
{
    if (!table->recent)
        return NULL;
    const struct id_slot *recent = &table->recent[number % ID_TABLE_RECENT];
    return recent->number == number ? recent->page : NULL;
}

static inline void *id_table_record(const struct id_table *table, struct id_page *page, uint64_t id)
{
    return page->records + (id & (ID_TABLE_PAGE_IDS - 1)) * table->record_bytes;
}

static inline uint64_t id_table_bit(uint64_t id)
{
    return UINT64_C(1) << (id & (ID_TABLE_PAGE_IDS - 1));
}

/* The record of `id`; where there was none (then `*fresh`), one to be filled in by the caller.
 * Borrowed until the record is removed.  NULL when there is no memory. */
static inline void *id_table_add(struct id_table *table, uint64_t id, bool *fresh)
{
    uint64_t number = id >> ID_TABLE_PAGE_BITS, bit = id_table_bit(id);
    struct id_page *page = id_table_recent_page(table, number);
    if (__builtin_expect(!page, 0) && !(page = id_table_new_page(table, number)))
        return NULL;
    *fresh = !(page->present & bit);
    page->present |= bit;
    table->count += *fresh;
    return id_table_record(table, page, id);
}

/* The same; a fresh record is made of zeros. */
static inline void *id_table_put(struct id_table *table, uint64_t id, bool *fresh)
{
    void *record = id_table_add(table, id, fresh);
    if (record && *fresh)
        memset(record, 0, table->record_bytes);
    return record;
}

/* The record of `id`; NULL where there is none. */
static inline void *id_table_find(const struct id_table *table, uint64_t id)
{
    uint64_t number = id >> ID_TABLE_PAGE_BITS;
    struct id_page *page = id_table_recent_page(table, number);
    if (!page)
        page = id_table_page(table, number);
    return page && (page->present & id_table_bit(id)) ? id_table_record(table, page, id) : NULL;
}

/* Forgets the record of `id`, just found. */
static inline void id_table_remove_found(struct id_table *table, uint64_t id, void *record)
{
    size_t before = (id & (ID_TABLE_PAGE_IDS - 1)) * table->record_bytes;
    struct id_page *page =
        (struct id_page *)((char *)record - before - offsetof(struct id_page, records));
    page->present &= ~id_table_bit(id);
    table->count--;
    if (!page->present)
        id_table_drop_page(table, id >> ID_TABLE_PAGE_BITS);
}

/* Forgets the record of `id`, if there is one. */
static inline void id_table_remove(struct id_table *table, uint64_t id)
{
    void *record = id_table_find(table, id);
    if (record)
        id_table_remove_found(table, id, record);
}

#endif
