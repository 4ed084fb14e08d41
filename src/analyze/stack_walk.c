/* Callers have lower numbers than their callees, so that one pass from the last node to the first
 * sums up, and links each node to its callers' lists.  Tries without links are numbered depth
 * first: they are walked as they lie, which saves most of the memory. */
#include "analyze/stack_walk.h"

#include <stdlib.h>

static bool init_weights(struct stack_weights *weights, const struct stack_profile *profile,
                         enum stack_weight weight)
{
    const struct stack_trie *trie = &profile->trie;
    bool is_bytes = weight == WEIGHT_BYTES;
    weights->unit = is_bytes ? profile->estimate.bytes_per_sample : 1;
    weights->total = calloc(trie->count, sizeof *weights->total);
    weights->self = malloc((trie->stack_count + 1) * sizeof *weights->self);
    if (!weights->total || !weights->self)
        return false;
    for (size_t i = 0; i < trie->stack_count; i++) {
        weights->self[i] = stack_tally_weight(&profile->tallies[i], &profile->estimate,
                                              is_bytes ? WEIGHT_SAMPLES : weight);
        weights->total[trie->ends[i]] += weights->self[i];
    }
    for (size_t node = trie->count; node-- > 1;)
        weights->total[trie->nodes[node].parent] += weights->total[node];
    return true;
}

/* Finds the nodes that a stack of some weight passes, be the sum nothing. */
static void mark_passed(struct stack_walk *walk)
{
    const struct stack_trie *trie = walk->trie;
    for (size_t i = 0; i < trie->stack_count; i++)
        if (walk->now.self[i] != 0 || (walk->base.self && walk->base.self[i] != 0))
            walk->is_passed[trie->ends[i]] = true;
    for (size_t node = trie->count; node-- > 1;)
        if (walk->is_passed[node])
            walk->is_passed[trie->nodes[node].parent] = true;
}

bool stack_walk_link(struct stack_walk *walk)
{
    size_t count = walk->trie->count;
    if (walk->child)
        return true;
    walk->child = calloc(count, sizeof *walk->child);
    walk->next = calloc(count, sizeof *walk->next);
    if (!walk->child || !walk->next)
        return false;
    for (size_t node = count; node-- > 1;) {
        uint32_t parent = walk->trie->nodes[node].parent;
        if (!walk->is_passed[node])
            continue;
        walk->next[node] = walk->child[parent];
        walk->child[parent] = (uint32_t)node;
    }
    return true;
}

bool stack_walk_init(struct stack_walk *walk, const struct stack_profile *profile,
                     enum stack_weight weight, const struct stack_profile *base,
                     enum stack_weight base_weight)
{
    *walk = (struct stack_walk){.trie = &profile->trie,
                                .is_passed = calloc(profile->trie.count, sizeof(bool))};
    bool done = walk->is_passed && init_weights(&walk->now, profile, weight) &&
                (!base || init_weights(&walk->base, base, base_weight));
    if (done)
        mark_passed(walk);
    if (done && (!walk->trie->links || stack_walk_link(walk)))
        return true;
    stack_walk_release(walk);
    return false;
}

struct stack_tally *stack_walk_tallies(const struct stack_profile *profile)
{
    const struct stack_trie *trie = &profile->trie;
    struct stack_tally *passing = calloc(trie->count, sizeof *passing);
    for (size_t i = 0; passing && i < trie->stack_count; i++)
        stack_tally_sum(&passing[trie->ends[i]], &profile->tallies[i]);
    for (size_t node = trie->count; passing && node-- > 1;)
        stack_tally_sum(&passing[trie->nodes[node].parent], &passing[node]);
    return passing;
}

void stack_walk_release(struct stack_walk *walk)
{
    free(walk->now.total);
    free(walk->now.self);
    free(walk->base.total);
    free(walk->base.self);
    free(walk->is_passed);
    free(walk->child);
    free(walk->next);
    *walk = (struct stack_walk){0};
}

/* Stacks of a trie without links are in the order of the nodes at which they end. */
uint32_t stack_walk_stack(const struct stack_walk *walk, uint32_t node)
{
    const struct stack_trie *trie = walk->trie;
    if (trie->links)
        return trie->links[node].stack;
    size_t from = 0, to = trie->stack_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (trie->ends[middle] < node)
            from = middle + 1;
        else
            to = middle;
    }
    return from < trie->stack_count && trie->ends[from] == node ? (uint32_t)from : STACK_NONE;
}

static bool run_linked(const struct stack_walk *walk, void *context,
                       bool (*enter)(void *context, uint32_t node, uint32_t stack),
                       void (*leave)(void *context, uint32_t node))
{
    uint32_t node = STACK_ROOT;
    for (;;) {
        uint32_t to = walk->child[node];
        while (to == 0 && node != STACK_ROOT) {
            leave(context, node);
            to = walk->next[node];
            node = walk->trie->nodes[node].parent;
        }
        if (to == 0)
            return true;
        if (!enter(context, to, walk->trie->links[to].stack))
            return false;
        node = to;
    }
}

/* Stacks are in the order of the nodes at which they end, as well. */
static bool run_in_order(const struct stack_walk *walk, void *context,
                         bool (*enter)(void *context, uint32_t node, uint32_t stack),
                         void (*leave)(void *context, uint32_t node))
{
    const struct stack_trie *trie = walk->trie;
    uint32_t at = STACK_ROOT, stack = 0;
    for (uint32_t node = 1; node < trie->count; node++) {
        if (!walk->is_passed[node])
            continue;
        for (; at != trie->nodes[node].parent; at = trie->nodes[at].parent)
            leave(context, at);
        while (stack < trie->stack_count && trie->ends[stack] < node)
            stack++;
        bool ends = stack < trie->stack_count && trie->ends[stack] == node;
        if (!enter(context, node, ends ? stack : STACK_NONE))
            return false;
        at = node;
    }
    for (; at != STACK_ROOT; at = trie->nodes[at].parent)
        leave(context, at);
    return true;
}

bool stack_walk_run(const struct stack_walk *walk, void *context,
                    bool (*enter)(void *context, uint32_t node, uint32_t stack),
                    void (*leave)(void *context, uint32_t node))
{
    return (walk->trie->links ? run_linked : run_in_order)(walk, context, enter, leave);
}
