/* A walk along all stacks of a profile at once: each node of its trie is entered, after its caller,
 * with what the stacks through it weigh together, and left, after its callees.  What counts once a
 * stack is thus counted once a node: where stacks are deep and share their outer parts, that is a
 * hundredth of the steps.  Bytes are counted in samples, whole numbers, so that equal sums are
 * equal whatever the order of adding. */
#ifndef ANALYZE_STACK_WALK_H
#define ANALYZE_STACK_WALK_H

#include "profile/stack_profile.h"

struct stack_walk {
    const struct stack_trie *trie;
    struct stack_weights {
        double unit;        /* what 1 in the two below weighs */
        double *total;      /* by node: weight of the stacks that pass there */
        double *self;       /* by stack */
    } now, base;            /* zeros, without a base */
    bool *is_passed;        /* by node: by stacks of any weight */
    uint32_t *child, *next; /* by node: the first that such stacks lead to, 0 for none; NULL where
                               the trie is in order by itself */
};

/* The profile is borrowed; `base`, what it is compared with or divided by, has the same stacks, or is
 * NULL.  False when there is no memory; then there is nothing to release. */
bool stack_walk_init(struct stack_walk *walk, const struct stack_profile *profile,
                     enum stack_weight weight, const struct stack_profile *base,
                     enum stack_weight base_weight);

/* Links the nodes also of a trie that is in order by itself, for whoever goes from nodes to their
 * callees.  False when there is no memory. */
bool stack_walk_link(struct stack_walk *walk);

/* By node of the profile's trie, what the stacks come to that pass there: weights alone don't say
 * how far off they may be.  malloc'ed; NULL when there is no memory. */
struct stack_tally *stack_walk_tallies(const struct stack_profile *profile);

/* The stack that ends at a node, or STACK_NONE. */
uint32_t stack_walk_stack(const struct stack_walk *walk, uint32_t node);
void stack_walk_release(struct stack_walk *walk);

/* Enters and leaves all nodes but the root, in the order of their numbers where callers leave a
 * choice.  `stack` is that which ends at the node, or STACK_NONE.  False as soon as `enter` is. */
bool stack_walk_run(const struct stack_walk *walk, void *context,
                    bool (*enter)(void *context, uint32_t node, uint32_t stack),
                    void (*leave)(void *context, uint32_t node));

#endif
