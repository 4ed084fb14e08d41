/* Stacks as lists of location ids, packed, the innermost frame first: most of what a profile is.
 * Two stacks share their outer frames, and with them the ends of their lists; so each list is made
 * from the one before, in front of what both share. */
#ifndef PPROF_WRITE_STACKS_H
#define PPROF_WRITE_STACKS_H

#include "profile/stack_trie.h"

/* A location's id as the list has it, in the last `size` of 8 bytes. */
struct pprof_packed_id {
    uint8_t bytes[8];
    uint8_t size;
};

struct pprof_stacks {
    const struct stack_trie *trie;
    struct pprof_packed_id *ids; /* by frame; the last one is of the empty stack */
    uint32_t no_frame;           /* its index */
    struct pprof_step {
        uint32_t node;
        uint32_t size; /* of the packed frames up to here, in bytes */
    } * path;          /* by depth, from the root: the stack last packed */
    size_t depth, path_capacity;
    uint32_t *climbed; /* nodes on the way up to what is shared */
    size_t climbed_count, climbed_capacity;
    uint8_t *bytes; /* filled from its end */
    size_t capacity;
};

/* `trie` is borrowed; `location_ids` has one for each of `frame_count` frames, and one more for the
 * empty stack.  False when there is no memory; release it in either case. */
bool pprof_stacks_init(struct pprof_stacks *stacks, const struct stack_trie *trie,
                       const uint32_t *location_ids, uint32_t frame_count);
void pprof_stacks_release(struct pprof_stacks *stacks);

/* The packed list of the stack that ends at `node`; borrowed until the next call.  NULL when there
 * is no memory. */
const uint8_t *pprof_stacks_pack(struct pprof_stacks *stacks, uint32_t node, size_t *size);

#endif
