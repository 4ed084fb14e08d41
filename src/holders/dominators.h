/* Dominators: which block all ways from the roots to a block lead through. */
#ifndef HOLDERS_DOMINATORS_H
#define HOLDERS_DOMINATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nodes are numbered from 0, which everything is reached from. */
struct flow_graph {
    uint32_t count;
    size_t *first; /* of each node, where what it leads to begins in `to`; count + 1 of them */
    uint32_t *to;
};

/* The immediate dominator of each node, `immediate[0]` being 0; and in `order` all nodes, each behind its dominator.  Both have
 * graph->count items, the caller's; nodes that are not reached have UINT32_MAX, and are not in `order`, of which there are
 * `*reached`.  False when there is no memory. */
bool dominators_find(const struct flow_graph *graph, uint32_t *immediate, uint32_t *order,
                     uint32_t *reached);

#endif
