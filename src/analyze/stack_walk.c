/* Callers have lower numbers than their callees, so that one pass from the last node to the first
 * sums up, and links each node to its callers' lists. */
#include "analyze/stack_walk.h"

#include <stdlib.h>

static bool init_weights(struct stack_weights *weights, const struct stack_profile *profile,
                         enum stack_weight weight)
{
    const struct stack_trie *trie = &profile->trie;
    bool is_bytes = weight == WEIGHT_BYTES;
    weights->unit = is_bytes ? profile->estimate.bytes_per_sample : 1;
    weights->total = calloc(trie->count, sizeof *weights->total);
    weights->self = calloc(trie->count, sizeof *weights->self);
    if (!weights->total || !weights->self)
        return false;
    for (size_t i = 0; i < trie->stack_count; i++)
        weights->self[trie->ends[i]] += stack_tally_weight(&profile->tallies[i], &profile->estimate,
                                                           is_bytes ? WEIGHT_SAMPLES : weight);
    for (size_t node = trie->count; node-- > 0;) {
        weights->total[node] += weights->self[node];
        if (node != STACK_ROOT)
            weights->total[trie->nodes[node].parent] += weights->total[node];
    }
    return true;
}

/* Links the nodes that a stack of some weight passes, be the sum nothing. */
static bool link_nodes(struct stack_walk *walk)
{
    size_t count = walk->trie->count;
    bool *is_passed = calloc(count, sizeof *is_passed);
    for (size_t node = count; is_passed && node-- > 1;) {
        uint32_t parent = walk->trie->nodes[node].parent;
        if (!is_passed[node] && walk->now.self[node] == 0 &&
            (!walk->base.self || walk->base.self[node] == 0))
            continue;
        is_passed[parent] = true;
        walk->next[node] = walk->child[parent];
        walk->child[parent] = (uint32_t)node;
    }
    free(is_passed);
    return is_passed;
}

bool stack_walk_init(struct stack_walk *walk, const struct stack_profile *profile,
                     const struct stack_profile *base, enum stack_weight weight)
{
    size_t count = profile->trie.count;
    *walk = (struct stack_walk){.trie = &profile->trie,
                                .child = calloc(count, sizeof *walk->child),
                                .next = calloc(count, sizeof *walk->next)};
    if (walk->child && walk->next && init_weights(&walk->now, profile, weight) &&
        (!base || init_weights(&walk->base, base, weight)) && link_nodes(walk))
        return true;
    stack_walk_release(walk);
    return false;
}

void stack_walk_release(struct stack_walk *walk)
{
    free(walk->now.total);
    free(walk->now.self);
    free(walk->base.total);
    free(walk->base.self);
    free(walk->child);
    free(walk->next);
    *walk = (struct stack_walk){0};
}

bool stack_walk_run(const struct stack_walk *walk, void *context,
                    bool (*enter)(void *context, uint32_t node),
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
        if (!enter(context, to))
            return false;
        node = to;
    }
}
