/* Callers have lower numbers than their callees, so that one pass from the last node to the first
 * sums up, and links each node to its callers' lists. */
#include "analyze/stack_walk.h"

#include <stdlib.h>

static void add_stacks(struct stack_walk *walk, bool *is_passed,
                       const struct stack_profile *profile, enum stack_weight weight)
{
    for (size_t i = 0; i < walk->trie->stack_count; i++) {
        double own = stack_tally_weight(&profile->tallies[i], &profile->estimate, weight);
        walk->self[walk->trie->ends[i]] += own;
        walk->total[walk->trie->ends[i]] += own;
        is_passed[walk->trie->ends[i]] |= own != 0;
    }
}

static void link_nodes(struct stack_walk *walk, bool *is_passed)
{
    for (size_t node = walk->trie->count; node-- > 1;) {
        uint32_t parent = walk->trie->nodes[node].parent;
        if (!is_passed[node])
            continue;
        is_passed[parent] = true;
        walk->total[parent] += walk->total[node];
        walk->next[node] = walk->child[parent];
        walk->child[parent] = (uint32_t)node;
    }
}

bool stack_walk_init(struct stack_walk *walk, const struct stack_profile *profile,
                     enum stack_weight weight)
{
    size_t count = profile->trie.count;
    bool *is_passed = calloc(count, sizeof *is_passed);
    bool is_bytes = weight == WEIGHT_BYTES;
    *walk = (struct stack_walk){.trie = &profile->trie,
                                .unit = is_bytes ? profile->estimate.bytes_per_sample : 1,
                                .total = calloc(count, sizeof *walk->total),
                                .self = calloc(count, sizeof *walk->self),
                                .child = calloc(count, sizeof *walk->child),
                                .next = calloc(count, sizeof *walk->next)};
    bool done = is_passed && walk->total && walk->self && walk->child && walk->next;
    if (done) {
        add_stacks(walk, is_passed, profile, is_bytes ? WEIGHT_SAMPLES : weight);
        link_nodes(walk, is_passed);
    } else {
        stack_walk_release(walk);
    }
    free(is_passed);
    return done;
}

void stack_walk_release(struct stack_walk *walk)
{
    free(walk->total);
    free(walk->self);
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
