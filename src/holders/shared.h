/* What of a root's blocks another root holds as well: why it retains less than the ways from it lead to. */
#ifndef HOLDERS_SHARED_H
#define HOLDERS_SHARED_H

#include "holders/graph.h"
#include "holders/roots.h"

/* Of a root. */
struct shared {
    double bytes;   /* of the blocks that are its own, those that another root leads to as well */
    uint32_t other; /* number of the root that leads to most of these, if there are any */
};

/* `owner` has of each block the root that it counts as: one of those that lead to it.  Returns an item for each root, to be freed; NULL
 * when there is no memory. */
struct shared *shared_find(const struct graph *graph, const struct roots *roots,
                           const uint32_t *owner);

#endif
