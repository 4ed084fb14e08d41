/* A walk along all stacks of a profile at once: each node of its trie is entered, after its caller,
 * with what the stacks through it weigh together, and left, after its callees.  What counts once a
 * stack is thus counted once a node: where stacks are deep and share their outer parts, that is a
 * hundredth of the steps.  Bytes are counted in samples, whole numbers, so that equal sums are
 * equal whatever the order of adding. */
#ifndef REPORT_STACK_WALK_H
#define REPORT_STACK_WALK_H

#include "profile/stack_profile.h"

/* What stacks weigh together, by the number of the sum (stack_walk.sum_of). */
struct stack_weights {
    double unit;  /* what 1 in `sums` weighs */
    double *sums; /* NULL without a base */
};

struct stack_walk {
    const struct stack_trie *trie;
    uint32_t
        *sum_of; /* by node: the sum of the stacks that pass there.  Where it is one stack, that
                         stack's number; else what nodes of a chain share.  STACK_NONE where no stack
                         of any weight passes */
    size_t sum_count; /* stacks among them */
    uint32_t *own;    /* by further sum: the stack that ends where it comes together; STACK_NONE */
    struct stack_weights now, base;
    const struct stack_tally
        *tallies; /* by stack, and of further sums; NULL where they are not needed */
    struct stack_tally *further;
    uint32_t *child,
        *next; /* by node: the first that such stacks lead to, 0 for none, and the next beside it; see
                               stack_walk_child */
};

/* The profile is borrowed; `base`, what it is compared with or divided by, has the same stacks, or is
 * NULL.  False when there is no memory; then there is nothing to release. */
bool stack_walk_init(struct stack_walk *walk, const struct stack_profile *profile,
                     enum stack_weight weight, const struct stack_profile *base,
                     enum stack_weight base_weight);

/* The same of tallies in place of weights: all stacks pass that have events. */
bool stack_walk_init_tallies(struct stack_walk *walk, const struct stack_profile *profile);

/* Adds the tallies of the profile: weights alone don't say how far off they may be.  False when there is no memory. */
bool stack_walk_add_tallies(struct stack_walk *walk, const struct stack_profile *profile);

/* Links the nodes also of a trie that is in order by itself, for whoever goes from nodes to their
 * callees.  False when there is no memory. */
bool stack_walk_link(struct stack_walk *walk);

static inline bool stack_walk_passes(const struct stack_walk *walk, uint32_t node)
{
    return walk->sum_of[node] != STACK_NONE;
}

/* What passes a node weighs, in units. */
static inline double stack_walk_weight(const struct stack_walk *walk,
                                       const struct stack_weights *weights, uint32_t node)
{
    return weights->sums && stack_walk_passes(walk, node) ? weights->sums[walk->sum_of[node]] : 0;
}

/* The tally of a sum. */
static inline const struct stack_tally *stack_walk_tally(const struct stack_walk *walk,
                                                         uint32_t sum)
{
    size_t stacks = walk->trie->stack_count;
    return sum < stacks ? &walk->tallies[sum] : &walk->further[sum - stacks];
}

/* Of linked nodes, the first that stacks lead to from a node, and the next beside one; 0 for none. */
static inline uint32_t stack_walk_next(const struct stack_walk *walk, uint32_t node)
{
    do
        node = walk->next[node];
    while (node != 0 && !stack_walk_passes(walk, node));
    return node;
}

static inline uint32_t stack_walk_child(const struct stack_walk *walk, uint32_t node)
{
    if (walk->child)
        return walk->child[node];
    uint32_t child = node + 1; /* nodes are numbered depth first */
    if (child == walk->trie->count || walk->trie->nodes[child].parent != node)
        return 0;
    return stack_walk_passes(walk, child) ? child : stack_walk_next(walk, child);
}

/* The stack of some weight that ends at a node, or STACK_NONE. */
uint32_t stack_walk_stack(const struct stack_walk *walk, uint32_t node);
void stack_walk_release(struct stack_walk *walk);

/* Enters and leaves all nodes but the root, in the order of their numbers where callers leave a
 * choice.  `stack` is that of stack_walk_stack.  False as soon as `enter` is. */
bool stack_walk_run(const struct stack_walk *walk, void *context,
                    bool (*enter)(void *context, uint32_t node, uint32_t stack),
                    void (*leave)(void *context, uint32_t node));

#endif
