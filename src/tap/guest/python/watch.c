#include "tap/guest/python/watch.h"

#include "tap/guest/python/interpreter.h"
#include "tap/guest/address_table.h"
#include "tap/guest/state.h"

uint64_t watch_filter[1 << (WATCH_FILTER_BITS - 6)];

static const struct heaptap_guest *guest;
static void (*tell_code)(const char *code);
static void (*tell_type)(const char *type);

/* By block: enum watched. */
static struct address_table watched;

void watch_init(const struct heaptap_guest *of, void (*code_ends)(const char *code),
                void (*type_ends)(const char *type))
{
    guest = of;
    tell_code = code_ends;
    tell_type = type_ends;
}

/* Makes sure that the end of the block is looked at, or no longer: where every block is, it is anyway. */
static void look_at_end(const char *block, bool look)
{
    if (!guest->state->every)
        drawn_watch(guest->state, (uint64_t)(uintptr_t)block, look);
}

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
    look_at_end(block, true);
    return true;
}

void watch_again(void)
{
    for (uint32_t i = 0; watched.entries && i <= watched.mask; i++)
        if (watched.entries[i].key > ADDRESS_REMOVED)
            look_at_end((const char *)(uintptr_t)watched.entries[i].key, true);
}

void watch_forget_all(void)
{
    address_table_clear(&watched);
    memset(watch_filter, 0, sizeof watch_filter);
}

void watch_ends_slow(const char *block)
{
    uint64_t key = (uint64_t)(uintptr_t)block;
    const struct address_entry *entry = address_table_find(&watched, key);
    if (!entry)
        return;
    if (entry->value == WATCHED_CODE)
        tell_code(block + (block - block_of(block, WATCHED_CODE)));
    else
        tell_type(block + (block - block_of(block, WATCHED_TYPE)));
    address_table_remove(&watched, key);
    look_at_end(block, false);
}
