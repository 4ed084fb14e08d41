#include "analyze/kept_nodes.h"

#include <stdlib.h>

#include "base/array.h"

static bool reach(struct kept_nodes *nodes, uint32_t node)
{
    struct call_tree *tree = &nodes->tree->tree;
    return ARRAY_RESERVE(&nodes->depth, &nodes->depth_capacity, node + 1) &&
           ARRAY_RESERVE(&tree->self, &nodes->self_capacity, node + 1) &&
           ARRAY_RESERVE(&tree->total, &nodes->total_capacity, node + 1) &&
           (!nodes->has_base ||
            ARRAY_RESERVE(&nodes->tree->before, &nodes->before_capacity, node + 1));
}

bool kept_nodes_put(struct kept_nodes *nodes, uint32_t node, const struct heavy_branch *branch)
{
    struct call_tree *tree = &nodes->tree->tree;
    if (node == STACK_NONE || !reach(nodes, node))
        return false;
    nodes->depth[node] = node == STACK_ROOT ? 0 : nodes->depth[branch->parent] + 1;
    tree->self[node] = (struct stack_tally){0};
    tree->total[node] = branch->now;
    if (nodes->has_base)
        nodes->tree->before[node] = branch->before;
    return true;
}

void kept_nodes_release(struct kept_nodes *nodes)
{
    free(nodes->depth);
    *nodes = (struct kept_nodes){0};
}
