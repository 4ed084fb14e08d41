/* Stacks as lists of location ids, packed, the innermost frame first: most of what a profile is.
 * Two stacks share their outer frames, and with them the ends of their lists; so each list is made
 * from the one before, in front of what both share. */
#ifndef EXPORT_PPROF_STACKS_H
#define EXPORT_PPROF_STACKS_H

#include "profile/stack_trie.h"

struct pprof_stacks {
    const struct stack_trie *trie;
    const uint32_t *location_ids; /* by frame */
    uint32_t of_none;             /* the location of the empty stack */
    uint32_t *depth;              /* by node of the trie */
    struct pprof_step {
        uint32_t node;
        size_t size; /* of the packed frames up to here, in bytes */
    } * path;        /* by depth: the stack last packed */
    uint32_t path_depth;
    uint32_t *climbed; /* nodes on the way up to what is shared */
    uint8_t *bytes;    /* filled from its end */
    size_t capacity;
};

/* All are borrowed.  False when there is no memory; release it in either case. */
bool pprof_stacks_init(struct pprof_stacks *stacks, const struct stack_trie *trie,
                       const uint32_t *location_ids, uint32_t of_none);
void pprof_stacks_release(struct pprof_stacks *stacks);

/* The packed list of the stack that ends at `node`; borrowed until the next call. */
const uint8_t *pprof_stacks_pack(struct pprof_stacks *stacks, uint32_t node, size_t *size);

/* The stacks of the trie depth first, so that each shares as much as can be with the one before:
 * numbers of stacks, malloc'ed; NULL when there is no memory. */
uint32_t *pprof_stacks_order(const struct stack_trie *trie);

#endif
