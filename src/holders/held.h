/* Through what each block of a snapshot is held: by the shortest way from a root, and by what dominates it. */
#ifndef HOLDERS_HELD_H
#define HOLDERS_HELD_H

#include "holders/graph.h"
#include "holders/roots.h"
#include "holders/shared.h"
#include "holders/trie.h"

struct held {
    struct ways
        paths; /* of each block, the shortest way; those from stacks where there is no other; of equal ones that of the root with
                  the lowest address */
    struct ways dominated; /* of each block, what all ways lead through */
    struct shared *shared; /* by root */
    uint64_t root_count;
};

/* False when there is no memory; release it in either case. */
bool held_find(struct held *held, const struct graph *graph, const struct roots *roots);
void held_release(struct held *held);

#endif
