#include "guest/python/watch.h"

#include "guest/python/hooks.h"
#include "guest/python/interpreter.h"
#include "guest/python/table.h"
#include "guest/python/types.h"

uint64_t watch_filter[1 << (WATCH_FILTER_BITS - 6)];

/* By block: enum watched. */
static struct address_table watched;

/* Where the block of an object begins. */
static const char *block_of(const char *object, enum watched what)
{
    const char *type = what == WATCHED_CODE ? python.code_type : python.type_type;
    return python_word(type, TYPE_FLAGS) & TYPE_HAS_COLLECTOR ? object - COLLECTOR_HEAD : object;
}

bool watch_add(const char *object, enum watched what)
{
    const char *block = block_of(object, what);
    uint64_t key = (uint64_t)(uintptr_t)block;
    uint32_t bit = watch_bit(block);
    if (address_table_find(&watched, key))
        return true;
    if (!address_table_add(&watched, key, what))
        return false;
    watch_filter[bit / 64] |= (uint64_t)1 << bit % 64;
    hooks_watch(block, true);
    return true;
}

void watch_again(void)
{
    for (uint32_t i = 0; watched.entries && i <= watched.mask; i++)
        if (watched.entries[i].key > ADDRESS_REMOVED)
            hooks_watch((const char *)(uintptr_t)watched.entries[i].key, true);
}

void watch_ends_slow(const char *block)
{
    uint64_t key = (uint64_t)(uintptr_t)block;
    const struct address_entry *entry = address_table_find(&watched, key);
    if (!entry)
        return;
    if (entry->value == WATCHED_CODE)
        hooks_code_ends(block + (block - block_of(block, WATCHED_CODE)));
    else
        types_forget(block + (block - block_of(block, WATCHED_TYPE)));
    address_table_remove(&watched, key);
    hooks_watch(block, false);
}
