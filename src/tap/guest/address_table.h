/* A map from addresses to numbers, in pages of its own: open addressing, at most half full. */
#ifndef TAP_GUEST_ADDRESS_TABLE_H
#define TAP_GUEST_ADDRESS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct address_entry {
    uint64_t key;   /* 0: empty; 1: removed; else an address */
    uint64_t value; /* the user's */
};

enum { ADDRESS_EMPTY = 0, ADDRESS_REMOVED = 1 };

/* Zeroed is empty. */
struct address_table {
    struct address_entry *entries;
    uint32_t shift; /* 64 less the log2 of how many */
    uint32_t mask;
    uint32_t used; /* entries that are not empty */
};

static inline uint32_t address_hash(uint64_t key, uint32_t shift)
{
    return (uint32_t)(key * 0x9E3779B97F4A7C15u >> shift);
}

/* NULL if it is not there. */
static inline struct address_entry *address_table_find(const struct address_table *table,
                                                       uint64_t key)
{
    if (__builtin_expect(!table->entries, 0))
        return 0;
    for (uint32_t i = address_hash(key, table->shift);; i = (i + 1) & table->mask) {
        struct address_entry *entry = &table->entries[i];
        if (__builtin_expect(entry->key == key, 1))
            return entry;
        if (entry->key == ADDRESS_EMPTY)
            return 0;
    }
}

/* The address is not in the table.  False when there is no memory. */
bool address_table_add(struct address_table *table, uint64_t key, uint64_t value);

/* Makes it empty, and frees its pages. */
void address_table_clear(struct address_table *table);
void address_table_remove(struct address_table *table, uint64_t key);

#endif
