#include "analyze/call_lists.h"
#include "analyze/call_tree.h"
#include "base/array.h"

#include <stdlib.h>

void call_walk_init(struct call_walk *walk, const struct call_tree *tree)
{
    *walk = (struct call_walk){.tree = tree};
    walk->failed = !ARRAY_RESERVE(&walk->next, &walk->capacity, 1) ||
                   !ARRAY_RESERVE(&walk->node, &walk->node_capacity, 1);
    if (!walk->failed) {
        walk->node[0] = STACK_ROOT;
        walk->next[0] = tree->lists ? 0 : tree->first_child[STACK_ROOT];
        if (tree->lists)
            call_lists_rewind(tree->lists);
    }
}

void call_walk_release(struct call_walk *walk)
{
    free(walk->next);
    free(walk->node);
    *walk = (struct call_walk){0};
}

static bool descend(struct call_walk *walk, uint32_t node)
{
    size_t depth = walk->depth + 1;
    walk->failed = !ARRAY_RESERVE(&walk->next, &walk->capacity, depth + 1) ||
                   !ARRAY_RESERVE(&walk->node, &walk->node_capacity, depth + 1);
    if (walk->failed)
        return false;
    walk->node[depth] = node;
    walk->next[depth] = walk->tree->lists ? 0 : walk->tree->first_child[node];
    walk->depth = depth;
    return true;
}

/* The next node of the one we are in; STACK_ROOT when there are no more. */
static uint32_t next_child(struct call_walk *walk)
{
    const struct call_tree *tree = walk->tree;
    uint32_t node = walk->node[walk->depth];
    if (tree->lists)
        return call_lists_next(tree, (uint32_t)walk->depth);
    return walk->next[walk->depth] < tree->first_child[node + 1]
               ? tree->children[walk->next[walk->depth]++]
               : STACK_ROOT;
}

bool call_walk_next(struct call_walk *walk)
{
    if (walk->failed)
        return false;
    if (walk->skip && walk->depth > 0)
        walk->depth--;
    walk->skip = false;
    for (;;) {
        uint32_t child = next_child(walk);
        if (child != STACK_ROOT)
            return descend(walk, child);
        if (walk->depth == 0)
            return false;
        walk->depth--;
    }
}
