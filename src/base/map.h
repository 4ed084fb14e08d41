/* A hash map from 64-bit keys to 32-bit values, open addressing, for offline hot paths: a stack
 * trie's children, a trace's codes.  Entries are never removed. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
    uint64_t key;
    uint32_t value;
    uint32_t used; /* 0 for an empty slot */
};

/* Zeroed, it is an empty map. */
struct map {
    struct map_slot *slots; /* mask + 1 of them; NULL at first */
    size_t mask;            /* a power of two less 1 */
    size_t count;           /* slots in use, at most half */
};

void map_release(struct map *map);

/* Makes room for one more entry; false when there is no memory. */
bool map_grow(struct map *map);

/* The hash of what `hash` is of, and a further value. */
static inline uint64_t map_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static inline size_t map_hash(uint64_t key)
{
    key *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(key ^ key >> 32);
}

/* The slot of `key`, used or to be used; the map has at least one free slot. */
static inline struct map_slot *map_slot_of(const struct map *map, uint64_t key)
{
    size_t index = map_hash(key) & map->mask;
    while (map->slots[index].used && map->slots[index].key != key)
        index = (index + 1) & map->mask;
    return &map->slots[index];
}

/* The value of `key`, borrowed until the next map_put; NULL where there is none. */
static inline uint32_t *map_find(const struct map *map, uint64_t key)
{
    if (!map->slots)
        return NULL;
    struct map_slot *slot = map_slot_of(map, key);
    return slot->used ? &slot->value : NULL;
}

/* The value of `key`, which is put there as `value` if it is new (then `*fresh` is true).  NULL
 * when there is no memory. */
static inline uint32_t *map_put(struct map *map, uint64_t key, uint32_t value, bool *fresh)
{
    if ((!map->slots || map->count * 2 > map->mask) && !map_grow(map))
        return NULL;
    struct map_slot *slot = map_slot_of(map, key);
    *fresh = !slot->used;
    if (!slot->used) {
        *slot = (struct map_slot){key, value, 1};
        map->count++;
    }
    return &slot->value;
}

#endif
