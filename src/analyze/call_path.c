#include "analyze/call_path.h"

bool call_path_holds(const struct stack_trie *tree, uint32_t node, uint32_t symbol)
{
    for (; node != STACK_ROOT; node = tree->nodes[node].parent)
        if (tree->nodes[node].frame == symbol)
            return true;
    return false;
}

uint32_t call_path_push_once(struct stack_trie *tree, uint32_t node, uint32_t symbol)
{
    uint32_t child = stack_trie_find(tree, node, symbol);
    if (child != STACK_NONE)
        return child;
    return call_path_holds(tree, node, symbol) ? node : stack_trie_find_or_add(tree, node, symbol);
}
