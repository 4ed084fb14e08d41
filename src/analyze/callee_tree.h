/* The heaviest part of a call tree: callers first, callees below.
 *
 * Like analyze/caller_tree.h for the other direction: where stacks share little, a call tree has
 * millions of nodes, of which a picture shows thousands.  Nodes are only made as long as they are
 * among the heaviest: beside one sum over the stacks, the work goes with what is shown. */
#ifndef ANALYZE_CALLEE_TREE_H
#define ANALYZE_CALLEE_TREE_H

#include "analyze/caller_tree.h"

/* Fills a struct caller_tree, whose tallies have the figure of `options->weight` alone; of it and
 * of `base` all holds that analyze/caller_tree.h says.  With a focus, what is below its outermost
 * calls.  To be released with caller_tree_release.  False when there is no memory; then there is
 * nothing to release. */
bool callee_tree_init(struct caller_tree *callees, const struct stack_profile *profile,
                      const struct stack_profile *base, const struct frame_source *source,
                      const struct caller_tree_options *options);

#endif
