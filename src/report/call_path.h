/* Call paths by symbol: a stack trie (profile/stack_trie.h) whose frames are symbols, built from
 * one whose frames are codes. */
#ifndef REPORT_CALL_PATH_H
#define REPORT_CALL_PATH_H

#include "profile/stack_trie.h"

/* The path on which a tree that is only appended to was last touched.  Zeroed, it is at the root.
 */
struct call_path {
    uint32_t *holder; /* by symbol: the node of the path that is its, or STACK_ROOT */
    size_t count, capacity;
    uint32_t end; /* the node at which the path ends */
};

void call_path_release(struct call_path *path);

/* A new child of `node` for `symbol`, in a tree from stack_trie_init_appended; but `node` itself where the symbol is on its path
 * already: so every path has each symbol once, and recursion disappears, its outermost call kept.  Equal paths are apart: whoever
 * sums by symbol needs nothing else.  Fast where `node` is near where the path ends.  STACK_NONE when there is no memory. */
uint32_t call_path_append_once(struct call_path *path, struct stack_trie *tree, uint32_t node,
                               uint32_t symbol);

#endif
