/* The heaviest part of a call tree turned round: allocation sites at the root, their callers
 * below.
 *
 * Such a tree has about a node for each frame of each stack, as stacks share their outer parts, not
 * their inner ones: millions, of which a picture shows thousands.  So nodes are only made as long
 * as they are among the heaviest: the work goes with what is shown. */
#ifndef ANALYZE_CALLER_TREE_H
#define ANALYZE_CALLER_TREE_H

#include "analyze/call_tree.h"

struct caller_tree_options {
    enum symbol_grain grain;
    enum stack_weight weight;
    bool merge_recursion; /* each symbol once a path */
    const char *focus;    /* at the root the outermost call of this function; NULL for all */
    uint32_t max_depth;   /* deeper callers are one node "<deeper>" */
    uint32_t limit;       /* of nodes, the root among them; at least 1 */
};

struct caller_tree {
    struct call_tree tree;      /* as call_tree.h has it, of what is kept */
    struct stack_tally *before; /* by node: of the base; NULL without one */
    uint64_t hidden;            /* branches that were left out */
};

/* `base`, NULL for none, has the same stacks as `profile`, with what they weigh in what is compared
 * with: a node weighs what it weighs in either, at most.  False when there is no memory; then there
 * is nothing to release. */
bool caller_tree_init(struct caller_tree *callers, const struct stack_profile *profile,
                      const struct stack_profile *base, const struct frame_source *source,
                      const struct caller_tree_options *options);
void caller_tree_release(struct caller_tree *callers);

#endif
