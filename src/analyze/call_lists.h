/* A call tree of which no nodes are made (call_tree_init_walked): every stack is the list of its
 * symbols, callers first, and the lists are sorted by names.  The stacks below a node lie together
 * then, and those below each of its children, so that a walk needs no more than where it is. */
#ifndef ANALYZE_CALL_LISTS_H
#define ANALYZE_CALL_LISTS_H

#include "analyze/call_tree.h"

struct call_lists;

/* Are lists what fits these stacks and options?  Lists take 4 bytes for each frame of each stack; a
 * tree takes 100 for each node, however many stacks share it. */
bool call_lists_fit(const struct stack_profile *profile, const struct call_tree_options *options);

/* Gives the tree, which has nothing yet but its symbol table, lists in place of nodes.  Tallies of
 * the profile are borrowed.  False when there is no memory. */
bool call_lists_fill(struct call_tree *tree, const struct stack_profile *profile,
                     const struct frame_source *source, const struct call_tree_options *options);
void call_lists_free(struct call_lists *lists);

/* Begins a walk. */
void call_lists_rewind(struct call_lists *lists);

/* Goes to the next child of the node at `depth` of the walk, and tells its node, which is that of
 * its depth; STACK_ROOT when there are no more. */
uint32_t call_lists_next(const struct call_tree *tree, uint32_t depth);

/* How many nodes the tree would have below its root. */
size_t call_lists_count(const struct call_lists *lists);

#endif
