/* What became of a trace's blocks, by the stack that allocated them and their size: how many were
 * allocated, were promoted and are left, and how long they lived.  What a pprof file tells. */
#ifndef ANALYZE_BLOCK_GROUPS_H
#define ANALYZE_BLOCK_GROUPS_H

#include "base/id_table.h"
#include "base/map.h"
#include "profile/stack_profile.h"

/* Some blocks of a group, as sampled. */
struct block_sum {
    double samples;
    double density; /* as in struct stack_tally: times 1 / lambda, the objects estimated */
};

struct block_group {
    uint64_t length; /* words of each block; 0 where groups have blocks of any size */
    uint32_t stack;  /* number in the trie */
    uint32_t next;   /* another group of the same stack, or of the same key: see block_groups.c */
    struct block_sum allocated;
    struct block_sum promoted;
    struct block_sum live; /* at the end of the trace */
    double block_us; /* each block's density times the microseconds from its allocation to its end,
                        or to the trace's */
};

struct block_groups {
    struct estimate estimate;
    bool by_size;
    bool keeps_collected; /* the runtime has a minor heap: see block_groups.c */
    struct stack_trie trie;
    struct stack_paths paths;
    uint32_t *first; /* by stack number: the first of the chain of its groups */
    size_t first_capacity;
    struct map by_key; /* the groups that their stack's chain has no room for */
    struct block_group *items;
    size_t count, capacity;
    struct id_table blocks; /* block_groups.c: struct block */
    struct id_table early;  /* block_groups.c: struct early_end */
    int64_t last_us;        /* time of the latest event */
    uint32_t last_group;    /* index of that of the last allocation */
};

/* `by_size`: blocks of one stack but different sizes are different groups.  Release it in either
 * case; false when there is no memory. */
bool block_groups_init(struct block_groups *groups, const struct heaptap_trace_info *info,
                       bool by_size);
void block_groups_release(struct block_groups *groups);

/* Every event of a reader that decodes stacks, in either order.  False when there is no memory. */
bool block_groups_add(struct block_groups *groups, const struct heaptap_event *event);

/* To be called at the end: counts what is alive, and forgets the blocks. */
void block_groups_finish(struct block_groups *groups);

#endif
