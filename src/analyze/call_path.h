/* Call paths by symbol: a stack trie (profile/stack_trie.h) whose frames are symbols, built from
 * one whose frames are codes. */
#ifndef ANALYZE_CALL_PATH_H
#define ANALYZE_CALL_PATH_H

#include "profile/stack_trie.h"

/* The child of `node` for `symbol`, but `node` itself where the symbol is on its path already: so
 * every path has each symbol once, and recursion disappears, its outermost call kept.  STACK_NONE
 * when there is no memory. */
uint32_t call_path_push_once(struct stack_trie *tree, uint32_t node, uint32_t symbol);

/* Is the symbol on the path that ends at `node`? */
bool call_path_holds(const struct stack_trie *tree, uint32_t node, uint32_t symbol);

#endif
