/* A trace's blocks by the stack that allocated them and their size: how many were allocated, were
 * promoted and are left, and how long they lived.  What a pprof file tells. */
#ifndef PPROF_WRITE_BLOCK_GROUPS_H
#define PPROF_WRITE_BLOCK_GROUPS_H

#include "base/map.h"
#include "profile/estimate.h"
#include "profile/stack_trie.h"

struct block_group {
    uint64_t allocated;  /* samples */
    uint64_t promoted;   /* of them */
    uint64_t live;       /* of them, at the end of the trace */
    double lifetimes_us; /* each block's samples times the microseconds from its allocation to its
                            end, or to the trace's */
};

/* Which blocks a group is of. */
struct block_kind {
    uint32_t stack; /* number in the trie */
    uint32_t size;  /* number of their length: block_groups_length */
};

struct block_groups {
    struct estimate estimate;
    struct stack_trie trie;
    bool borrows_trie;
    struct block_group *items; /* in the order in which they were first met */
    struct block_kind *kinds;  /* by group */
    size_t count, capacity, kind_capacity;
    struct stack_sizes *sizes; /* block_groups.c: by stack, the groups it has */
    size_t size_count, size_capacity;
    uint64_t *long_sizes; /* lengths that don't fit a number of a size */
    size_t long_count, long_capacity;
    struct map long_numbers; /* by length: index into them */
    int64_t last_us;         /* time of the latest event */
};

/* Zeroed but for `estimate` and `trie`, whoever fills that, there are none. */
void block_groups_release(struct block_groups *groups);

/* The number of a group, perhaps a new one; STACK_NONE when there is no memory. */
uint32_t block_groups_find(struct block_groups *groups, uint32_t stack, uint64_t length);

#define BLOCK_LONG (UINT32_C(1) << 31) /* sizes from here on stand in long_sizes */

/* The words of each block of a group. */
static inline uint64_t block_groups_length(const struct block_groups *groups, size_t group)
{
    uint32_t size = groups->kinds[group].size;
    return size < BLOCK_LONG ? size : groups->long_sizes[size - BLOCK_LONG];
}

/* Adds a block to its group, with the life it had; that of a clock that stepped back is none. */
static inline struct block_group *block_groups_add(struct block_groups *groups, uint32_t group,
                                                   uint64_t samples, int64_t lived_us)
{
    struct block_group *item = &groups->items[group];
    item->allocated += samples;
    if (lived_us > 0)
        item->lifetimes_us += (double)samples * (double)lived_us;
    return item;
}

#endif
