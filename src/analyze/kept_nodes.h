/* The nodes of a tree of callers or of callees that are kept, as they are made, the heaviest first. */
#ifndef ANALYZE_KEPT_NODES_H
#define ANALYZE_KEPT_NODES_H

#include "analyze/caller_tree.h"
#include "analyze/heavy_branches.h"

/* Zeroed but for what is said of the tree, it has none. */
struct kept_nodes {
    struct caller_tree *tree; /* whose arrays by node grow */
    bool has_base;            /* the tree has `before`, too */
    uint32_t *depth;          /* by node of the tree */
    size_t depth_capacity, self_capacity, total_capacity, before_capacity;
};

/* Gives a node, STACK_NONE where there was no memory for it, what its branch weighs.  False when there is no memory. */
bool kept_nodes_put(struct kept_nodes *nodes, uint32_t node, const struct heavy_branch *branch);

/* The tree's arrays stay. */
void kept_nodes_release(struct kept_nodes *nodes);

#endif
