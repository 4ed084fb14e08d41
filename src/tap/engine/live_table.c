#include "tap/engine/live_table.h"

#include "tap/inside/pages.h"
#include "tap/inside/program_limits.h"

enum { MORE_BITS_MOST = 8 };

static uint64_t bucket_count(const struct live_table *table, uint32_t level)
{
    uint32_t bits = TABLE_FIRST_BITS + table->more_bits + TABLE_GROWTH_BITS * level;
    uint32_t most = table->end_bits - 1;
    return (uint64_t)1 << (bits < most ? bits : most);
}

/* Of the program's memory, where that is limited, a level takes no more than an eighth. */
static uint64_t level_bytes_most(void)
{
    return 2 * limits_share();
}

void live_table_limit(struct live_table *table)
{
    uint64_t most = level_bytes_most() / sizeof(struct bucket);
    if (most > (uint64_t)1 << 32)
        return;
    table->end_bits = TABLE_FIRST_BITS + 1;
    while ((uint64_t)1 << table->end_bits <= most)
        table->end_bits++;
}

void live_table_expect(struct live_table *table, uint64_t blocks)
{
    while (table->more_bits < MORE_BITS_MOST && bucket_count(table, 0) < blocks)
        table->more_bits++;
}

/* Unlike the filter's hash, so that addresses that meet there don't meet here. */
static uint64_t hash_far(uint64_t address)
{
    uint64_t h = address;
    h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93u;
    h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93u;
    return h ^ (h >> 32);
}

/* Blocks that lie beside each other, which programs use together, have one bucket, or buckets
 * beside each other.  Only windows of the heap are shuffled. */
static uint64_t hash_near(uint64_t address)
{
    enum { GRANULE_BITS = 6, WINDOW_BITS = 24 };
    return (address >> GRANULE_BITS) + (address >> WINDOW_BITS) * 0x9E3779B97F4A7C15u;
}

/* The bucket of `address` in `level`; NULL if the level is not mapped. */
static struct bucket *find_bucket(const struct live_table *table, uint32_t level, uint64_t address)
{
    struct bucket *buckets = __atomic_load_n(&table->levels[level], __ATOMIC_ACQUIRE);
    uint64_t hash = level == 0 ? hash_near(address) : hash_far(address);
    return buckets ? &buckets[hash & (bucket_count(table, level) - 1)] : NULL;
}

/* The same, mapping the level if need be. */
static struct bucket *make_bucket(struct live_table *table, uint32_t level, uint64_t address)
{
    struct bucket *bucket = find_bucket(table, level, address);
    if (bucket)
        return bucket;
    size_t size = bucket_count(table, level) * sizeof(struct bucket);
    if (level > 0 && size > level_bytes_most()) /* the program may have limited itself since */
        return NULL;
    struct bucket *fresh = pages_map(size), *expected = NULL;
    if (!fresh)
        return NULL;
    if (!__atomic_compare_exchange_n(&table->levels[level], &expected, fresh, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        pages_unmap(fresh, size);
    return find_bucket(table, level, address);
}

static bool reserve(uint64_t *key, uint64_t expected)
{
    return __atomic_load_n(key, __ATOMIC_RELAXED) == expected &&
           __atomic_compare_exchange_n(key, &expected, KEY_RESERVED, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

/* The first `levels` levels no longer hold this key back. */
static void uncount_overflow(struct live_table *table, uint64_t address, uint32_t levels)
{
    for (uint32_t level = 0; level < levels; level++) {
        struct bucket *bucket = find_bucket(table, level, address);
        if (bucket)
            __atomic_fetch_sub(&bucket->overflow, 1, __ATOMIC_RELEASE);
    }
}

uint64_t live_table_count(const struct live_table *table)
{
    uint64_t count = 0;
    for (uint32_t level = 0; level < TABLE_LEVELS; level++) {
        const struct bucket *buckets = __atomic_load_n(&table->levels[level], __ATOMIC_ACQUIRE);
        for (uint64_t i = 0; buckets && i < bucket_count(table, level); i++)
            for (int slot = 0; slot < BUCKET_SLOTS; slot++)
                count += __atomic_load_n(&buckets[i].keys[slot], __ATOMIC_RELAXED) != KEY_EMPTY;
    }
    return count;
}

static void tell_bucket(const struct bucket *bucket,
                        void (*tell)(void *context, uint64_t address,
                                     const struct heaptap_tracked *value),
                        void *context)
{
    for (int slot = 0; slot < BUCKET_SLOTS; slot++)
        if (bucket->keys[slot] > KEY_RESERVED && bucket->values[slot])
            tell(context, bucket->keys[slot], bucket->values[slot]);
}

void live_table_each(const struct live_table *table,
                     void (*tell)(void *context, uint64_t address,
                                  const struct heaptap_tracked *value),
                     void *context)
{
    for (uint32_t level = 0; level < TABLE_LEVELS; level++)
        for (uint64_t i = 0; table->levels[level] && i < bucket_count(table, level); i++)
            tell_bucket(&table->levels[level][i], tell, context);
}

bool live_table_insert(struct live_table *table, uint64_t address, struct heaptap_tracked *value)
{
    for (uint32_t level = 0; level < TABLE_LEVELS; level++) {
        struct bucket *bucket = make_bucket(table, level, address);
        if (!bucket) {
            uncount_overflow(table, address, level);
            return false;
        }
        for (int i = 0; i < BUCKET_SLOTS; i++) {
            if (!reserve(&bucket->keys[i], KEY_EMPTY))
                continue;
            __atomic_store_n(&bucket->values[i], value, __ATOMIC_RELAXED);
            __atomic_store_n(&bucket->keys[i], address, __ATOMIC_RELEASE);
            return true;
        }
        __atomic_fetch_add(&bucket->overflow, 1, __ATOMIC_RELAXED);
    }
    uncount_overflow(table, address, TABLE_LEVELS);
    return false;
}

bool live_table_claim(struct live_table *table, uint64_t address, struct slot *slot,
                      struct heaptap_tracked **value)
{
    for (uint32_t level = 0; level < TABLE_LEVELS; level++) {
        struct bucket *bucket = find_bucket(table, level, address);
        if (!bucket)
            return false;
        for (int i = 0; i < BUCKET_SLOTS; i++) {
            if (!reserve(&bucket->keys[i], address))
                continue;
            *slot = (struct slot){&bucket->keys[i], &bucket->values[i], address, level};
            *value = __atomic_exchange_n(&bucket->values[i], NULL, __ATOMIC_ACQ_REL);
            return true;
        }
        if (__atomic_load_n(&bucket->overflow, __ATOMIC_ACQUIRE) == 0)
            return false;
    }
    return false;
}

bool live_table_holds(const struct live_table *table, uint64_t address,
                      const struct heaptap_tracked *value)
{
    for (uint32_t level = 0; level < TABLE_LEVELS; level++) {
        const struct bucket *bucket = find_bucket(table, level, address);
        if (!bucket)
            return false;
        for (int i = 0; i < BUCKET_SLOTS; i++)
            if (__atomic_load_n(&bucket->keys[i], __ATOMIC_ACQUIRE) == address)
                return __atomic_load_n(&bucket->values[i], __ATOMIC_RELAXED) == value;
        if (__atomic_load_n(&bucket->overflow, __ATOMIC_ACQUIRE) == 0)
            return false;
    }
    return false;
}

void live_table_release(struct live_table *table, const struct slot *slot)
{
    __atomic_store_n(slot->key, KEY_EMPTY, __ATOMIC_RELEASE);
    uncount_overflow(table, slot->address, slot->level);
}

void live_table_restore(const struct slot *slot, uint64_t address, struct heaptap_tracked *value)
{
    __atomic_store_n(slot->value, value, __ATOMIC_RELAXED);
    __atomic_store_n(slot->key, address, __ATOMIC_RELEASE);
}

struct slot live_table_slot(const struct live_table *table, uint64_t *key, uint64_t address)
{
    struct slot slot = {.key = key, .address = address};
    for (; slot.level < TABLE_LEVELS; slot.level++) {
        struct bucket *bucket = find_bucket(table, slot.level, address);
        if (key >= bucket->keys && key < bucket->keys + BUCKET_SLOTS) {
            slot.value = &bucket->values[key - bucket->keys];
            break;
        }
    }
    return slot;
}

bool live_table_vacate(struct live_table *table, uint64_t address, struct heaptap_tracked *value)
{
    for (uint32_t level = 0; level < TABLE_LEVELS; level++) {
        struct bucket *bucket = find_bucket(table, level, address);
        if (!bucket)
            return false;
        for (int i = 0; i < BUCKET_SLOTS; i++) {
            struct heaptap_tracked *expected = value;
            if (__atomic_load_n(&bucket->keys[i], __ATOMIC_ACQUIRE) == address &&
                __atomic_compare_exchange_n(&bucket->values[i], &expected, NULL, false,
                                            __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
                return true;
        }
        if (__atomic_load_n(&bucket->overflow, __ATOMIC_ACQUIRE) == 0)
            return false;
    }
    return false;
}

bool live_table_claim_next(struct live_table *table, struct live_table_walk *walk,
                           struct slot *slot, uint64_t *address, struct heaptap_tracked **value)
{
    for (; walk->level < TABLE_LEVELS; walk->level++, walk->bucket = 0, walk->index = 0) {
        struct bucket *buckets = __atomic_load_n(&table->levels[walk->level], __ATOMIC_ACQUIRE);
        if (!buckets)
            continue;
        for (; walk->bucket < bucket_count(table, walk->level); walk->bucket++, walk->index = 0) {
            struct bucket *bucket = &buckets[walk->bucket];
            while (walk->index < BUCKET_SLOTS) {
                uint32_t i = walk->index++;
                uint64_t key = __atomic_load_n(&bucket->keys[i], __ATOMIC_RELAXED);
                if (key <= KEY_RESERVED || key < walk->low || key >= walk->high ||
                    !reserve(&bucket->keys[i], key))
                    continue;
                *slot = (struct slot){&bucket->keys[i], &bucket->values[i], key, walk->level};
                *value = __atomic_exchange_n(&bucket->values[i], NULL, __ATOMIC_ACQ_REL);
                *address = key;
                return true;
            }
        }
    }
    return false;
}

void live_table_unmap(struct live_table *table)
{
    for (uint32_t level = 0; level < TABLE_LEVELS; level++) {
        pages_unmap(table->levels[level], bucket_count(table, level) * sizeof(struct bucket));
        table->levels[level] = NULL;
    }
}
