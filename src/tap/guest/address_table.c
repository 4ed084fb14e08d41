#include "tap/guest/address_table.h"

#include "tap/inside/pages.h"

enum { FIRST_BITS = 10 };

static void put(struct address_table *table, uint64_t key, uint64_t value)
{
    uint32_t i = address_hash(key, table->shift);
    while (table->entries[i].key != ADDRESS_EMPTY)
        i = (i + 1) & table->mask;
    table->entries[i] = (struct address_entry){key, value};
    table->used++;
}

/* Makes a table of twice the size, or of the same where many entries are removed ones. */
static bool grow(struct address_table *table)
{
    uint32_t count = table->entries ? table->mask + 1 : 0, live = 0;
    for (uint32_t i = 0; i < count; i++)
        live += table->entries[i].key > ADDRESS_REMOVED;
    uint32_t wanted = !count ? 1u << FIRST_BITS : live * 4 > count ? 2 * count : count;
    struct address_table larger = {
        .entries = pages_map(wanted * sizeof larger.entries[0]),
        .shift = 64 - (uint32_t)__builtin_ctz(wanted),
        .mask = wanted - 1,
    };
    if (!larger.entries)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (table->entries[i].key > ADDRESS_REMOVED)
            put(&larger, table->entries[i].key, table->entries[i].value);
    pages_unmap(table->entries, count * sizeof table->entries[0]);
    *table = larger;
    return true;
}

bool address_table_add(struct address_table *table, uint64_t key, uint64_t value)
{
    if ((!table->entries || 2 * (table->used + 1) > table->mask + 1) && !grow(table))
        return false;
    put(table, key, value);
    return true;
}

void address_table_clear(struct address_table *table)
{
    if (table->entries)
        pages_unmap(table->entries, ((size_t)table->mask + 1) * sizeof table->entries[0]);
    *table = (struct address_table){0};
}

void address_table_remove(struct address_table *table, uint64_t key)
{
    struct address_entry *entry = address_table_find(table, key);
    if (entry)
        *entry = (struct address_entry){.key = ADDRESS_REMOVED};
}
