#include "report/call_path.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void call_path_release(struct call_path *path)
{
    free(path->holder);
    *path = (struct call_path){0};
}

/* Leaves one path for another, as far as they differ.  A caller's number is below its callees', so
 * whichever end has the higher number goes up.  A symbol that both have may be the new path's
 * already when the old one lets go of it. */
static void move_to(struct call_path *path, const struct stack_trie *tree, uint32_t node)
{
    uint32_t from = path->end, to = node;
    while (from != to) {
        const struct stack_node *at = &tree->nodes[from > to ? from : to];
        if (from < to) {
            path->holder[at->frame] = to;
            to = at->parent;
        } else {
            if (path->holder[at->frame] == from)
                path->holder[at->frame] = STACK_ROOT;
            from = at->parent;
        }
    }
    path->end = node;
}

static bool reach_symbol(struct call_path *path, uint32_t symbol)
{
    if (symbol < path->count)
        return true;
    if (!ARRAY_RESERVE(&path->holder, &path->capacity, (size_t)symbol + 1))
        return false;
    memset(path->holder + path->count, 0, (path->capacity - path->count) * sizeof *path->holder);
    path->count = path->capacity;
    return true;
}

uint32_t call_path_append_once(struct call_path *path, struct stack_trie *tree, uint32_t node,
                               uint32_t symbol)
{
    if (!reach_symbol(path, symbol))
        return STACK_NONE;
    move_to(path, tree, node);
    if (path->holder[symbol] != STACK_ROOT)
        return node;
    uint32_t child = stack_trie_append(tree, node, symbol);
    if (child == STACK_NONE)
        return STACK_NONE;
    path->holder[symbol] = child;
    return path->end = child;
}
