/* Callers have lower numbers than their callees, so that one pass from the last node to the first
 * sums up, and links each node to its callers' lists.  Tries in order are walked as they
 * lie, which saves most of the memory. */
#include "report/stack_walk.h"

#include <stdlib.h>
#include <string.h>

static bool init_weights(struct stack_weights *weights, const struct stack_profile *profile,
                         enum stack_weight weight)
{
    size_t stacks = profile->trie.stack_count;
    bool is_bytes = weight == WEIGHT_BYTES;
    weights->unit = is_bytes ? profile->estimate.bytes_per_sample : 1;
    weights->sums = malloc((stacks + 1) * sizeof *weights->sums);
    for (size_t i = 0; weights->sums && i < stacks; i++)
        weights->sums[i] = stack_tally_weight(&profile->tallies[i], &profile->estimate,
                                              is_bytes ? WEIGHT_SAMPLES : weight);
    return weights->sums;
}

static bool has_weight(const struct stack_walk *walk, size_t stack)
{
    return walk->now.sums
               ? walk->now.sums[stack] != 0 || (walk->base.sums && walk->base.sums[stack] != 0)
               : walk->tallies[stack].events > 0;
}

/* ---- Sums ---------------------------------------------------------------------------- */

/* A node has a sum of its own where what comes from two callees, or from one and a stack that ends
 * there, comes together; else the one that comes there.  `coming`: how many do, at most 2. */
static void number_sums(struct stack_walk *walk, uint8_t *coming)
{
    const struct stack_trie *trie = walk->trie;
    walk->sum_count = trie->stack_count;
    for (uint32_t i = 0; i < trie->stack_count; i++)
        if (has_weight(walk, i)) {
            coming[trie->ends[i]] = 1;
            walk->sum_of[trie->ends[i]] = i;
        }
    for (size_t node = trie->count; node-- > 0;) {
        uint32_t parent = trie->nodes[node].parent;
        if (coming[node] == 0)
            walk->sum_of[node] = STACK_NONE;
        if (coming[node] > 1)
            walk->sum_of[node] = (uint32_t)walk->sum_count++;
        if (coming[node] == 0 || node == STACK_ROOT)
            continue;
        coming[parent] += coming[parent] < 2;
        walk->sum_of[parent] = walk->sum_of[node];
    }
}

/* Notes which stack ends where a sum comes together.  False when there is no memory. */
static bool note_ends(struct stack_walk *walk)
{
    const struct stack_trie *trie = walk->trie;
    size_t further = walk->sum_count - trie->stack_count;
    walk->own = malloc((further + 1) * sizeof *walk->own);
    if (!walk->own)
        return false;
    memset(walk->own, 0xff, further * sizeof *walk->own); /* STACK_NONE */
    for (uint32_t i = 0; i < trie->stack_count; i++)
        if (has_weight(walk, i) && walk->sum_of[trie->ends[i]] >= trie->stack_count)
            walk->own[walk->sum_of[trie->ends[i]] - trie->stack_count] = i;
    return true;
}

/* Adds what comes together to the sums that are not of one stack, stacks first. */
static void sum_up(const struct stack_walk *walk, void *sums,
                   void (*add)(const struct stack_walk *walk, void *sums, uint32_t to,
                               uint32_t from))
{
    const struct stack_trie *trie = walk->trie;
    for (uint32_t i = 0; i < trie->stack_count; i++)
        if (has_weight(walk, i) && walk->sum_of[trie->ends[i]] != i)
            add(walk, sums, walk->sum_of[trie->ends[i]], i);
    for (size_t node = trie->count; node-- > 1;) {
        uint32_t from = walk->sum_of[node], to = walk->sum_of[trie->nodes[node].parent];
        if (from != STACK_NONE && from != to)
            add(walk, sums, to, from);
    }
}

static void add_weight(const struct stack_walk *walk, void *sums, uint32_t to, uint32_t from)
{
    double *weights = sums;
    (void)walk;
    weights[to] += weights[from];
}

static bool sum_weights(const struct stack_walk *walk, struct stack_weights *weights)
{
    size_t stacks = walk->trie->stack_count;
    if (!weights->sums)
        return true;
    double *sums = realloc(weights->sums, (walk->sum_count + 1) * sizeof *sums);
    if (!sums)
        return false;
    weights->sums = sums;
    memset(sums + stacks, 0, (walk->sum_count - stacks) * sizeof *sums);
    sum_up(walk, sums, add_weight);
    return true;
}

static void add_tally(const struct stack_walk *walk, void *sums, uint32_t to, uint32_t from)
{
    struct stack_tally *further = sums;
    stack_tally_sum(&further[to - walk->trie->stack_count], stack_walk_tally(walk, from));
}

bool stack_walk_add_tallies(struct stack_walk *walk, const struct stack_profile *profile)
{
    size_t further = walk->sum_count - walk->trie->stack_count;
    walk->tallies = profile->tallies;
    walk->further = calloc(further + 1, sizeof *walk->further);
    if (walk->further)
        sum_up(walk, walk->further, add_tally);
    return walk->further;
}

/* ---- Links --------------------------------------------------------------------------- */

/* Of a trie in order the children are known, and those beside each are linked. */
static void link_in_order(struct stack_walk *walk)
{
    const struct stack_node *nodes = walk->trie->nodes;
    for (uint32_t node = 1; node < walk->trie->count; node++)
        for (uint32_t at = node - 1; at != nodes[node].parent; at = nodes[at].parent)
            if (nodes[at].parent == nodes[node].parent) {
                walk->next[at] = node;
                break;
            }
}

bool stack_walk_link(struct stack_walk *walk)
{
    size_t count = walk->trie->count;
    bool is_in_order = walk->trie->is_in_order;
    if (walk->next)
        return true;
    walk->child = is_in_order ? NULL : calloc(count, sizeof *walk->child);
    walk->next = calloc(count, sizeof *walk->next);
    if ((!is_in_order && !walk->child) || !walk->next)
        return false;
    if (is_in_order)
        link_in_order(walk);
    for (size_t node = count; !is_in_order && node-- > 1;) {
        uint32_t parent = walk->trie->nodes[node].parent;
        if (!stack_walk_passes(walk, (uint32_t)node))
            continue;
        walk->next[node] = walk->child[parent];
        walk->child[parent] = (uint32_t)node;
    }
    return true;
}

/* ---- The whole ----------------------------------------------------------------------- */

/* Makes the sums, once it is known what stacks weigh. */
static bool init_sums(struct stack_walk *walk)
{
    uint8_t *coming = calloc(walk->trie->count, sizeof *coming);
    walk->sum_of = malloc(walk->trie->count * sizeof *walk->sum_of);
    bool done = coming && walk->sum_of;
    if (done)
        number_sums(walk, coming);
    free(coming);
    return done && note_ends(walk) && (walk->trie->is_in_order || stack_walk_link(walk));
}

static bool finish(struct stack_walk *walk, bool done)
{
    if (!done)
        stack_walk_release(walk);
    return done;
}

bool stack_walk_init(struct stack_walk *walk, const struct stack_profile *profile,
                     enum stack_weight weight, const struct stack_profile *base,
                     enum stack_weight base_weight)
{
    *walk = (struct stack_walk){.trie = &profile->trie};
    return finish(walk, init_weights(&walk->now, profile, weight) &&
                            (!base || init_weights(&walk->base, base, base_weight)) &&
                            init_sums(walk) && sum_weights(walk, &walk->now) &&
                            sum_weights(walk, &walk->base));
}

bool stack_walk_init_tallies(struct stack_walk *walk, const struct stack_profile *profile)
{
    *walk = (struct stack_walk){.trie = &profile->trie, .tallies = profile->tallies};
    return finish(walk, init_sums(walk) && stack_walk_add_tallies(walk, profile));
}

void stack_walk_release(struct stack_walk *walk)
{
    free(walk->now.sums);
    free(walk->base.sums);
    free(walk->sum_of);
    free(walk->own);
    free(walk->further);
    free(walk->child);
    free(walk->next);
    *walk = (struct stack_walk){0};
}

uint32_t stack_walk_stack(const struct stack_walk *walk, uint32_t node)
{
    const struct stack_trie *trie = walk->trie;
    uint32_t sum = walk->sum_of[node];
    uint32_t stack =
        sum == STACK_NONE || sum < trie->stack_count ? sum : walk->own[sum - trie->stack_count];
    return stack != STACK_NONE && trie->ends[stack] == node ? stack : STACK_NONE;
}

static bool run_linked(const struct stack_walk *walk, void *context,
                       bool (*enter)(void *context, uint32_t node, uint32_t stack),
                       void (*leave)(void *context, uint32_t node))
{
    uint32_t node = STACK_ROOT;
    for (;;) {
        uint32_t to = stack_walk_child(walk, node);
        while (to == 0 && node != STACK_ROOT) {
            leave(context, node);
            to = stack_walk_next(walk, node);
            node = walk->trie->nodes[node].parent;
        }
        if (to == 0)
            return true;
        if (!enter(context, to, stack_walk_stack(walk, to)))
            return false;
        node = to;
    }
}

static bool run_in_order(const struct stack_walk *walk, void *context,
                         bool (*enter)(void *context, uint32_t node, uint32_t stack),
                         void (*leave)(void *context, uint32_t node))
{
    const struct stack_trie *trie = walk->trie;
    uint32_t at = STACK_ROOT;
    for (uint32_t node = 1; node < trie->count; node++) {
        if (!stack_walk_passes(walk, node))
            continue;
        for (; at != trie->nodes[node].parent; at = trie->nodes[at].parent)
            leave(context, at);
        if (!enter(context, node, stack_walk_stack(walk, node)))
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
    return (walk->trie->is_in_order ? run_in_order : run_linked)(walk, context, enter, leave);
}
