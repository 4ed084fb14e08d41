/* Two roots of each block are enough to know one other than its own.  A block passes on each of its two once, so that all of it takes
 * two walks over the graph at most. */
#include "holders/shared.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"

enum { LABELS = 2 };

struct walk {
    const struct graph *graph;
    const struct roots *roots;
    uint32_t (*of)[LABELS]; /* by block: roots that lead to it; GRAPH_NONE for none */
    struct label {
        uint32_t block, root;
    } * queue;
    size_t count, gone;
};

static void label(struct walk *walk, uint32_t block, uint32_t root)
{
    uint32_t *of = walk->of[block];
    size_t at = of[0] == GRAPH_NONE ? 0 : 1;
    if (of[0] == root || of[1] != GRAPH_NONE)
        return;
    of[at] = root;
    walk->queue[walk->count++] = (struct label){block, root};
}

static void go_on(struct walk *walk)
{
    const struct graph *graph = walk->graph;
    while (walk->gone < walk->count) {
        const struct label at = walk->queue[walk->gone++];
        for (size_t e = graph->first_edge[at.block]; e < graph->first_edge[at.block + 1]; e++)
            label(walk, graph->edges[e].to, at.root);
    }
}

/* Stacks last, as with ways: what lies there may be left from an earlier call. */
static void go_from_roots(struct walk *walk, bool of_stacks)
{
    for (size_t i = 0; i < walk->graph->root_count; i++)
        if (root_is_of_stack(&walk->roots->items[walk->roots->of[i]]) == of_stacks)
            label(walk, walk->graph->roots[i].block, walk->roots->of[i]);
    go_on(walk);
}

/* ---- Sums ---------------------------------------------------------------------------- */

/* Bytes of two roots. */
struct pairs {
    struct map of; /* by both: index */
    struct pair {
        uint32_t root, other;
        double bytes;
    } * items;
    size_t count, capacity;
};

static bool add_pair(struct pairs *pairs, uint32_t root, uint32_t other, double bytes)
{
    bool fresh;
    uint32_t *place =
        map_put(&pairs->of, (uint64_t)root << 32 | other, (uint32_t)pairs->count, &fresh);
    if (!place || !ARRAY_RESERVE(&pairs->items, &pairs->capacity, pairs->count + 1))
        return false;
    if (fresh)
        pairs->items[pairs->count++] = (struct pair){.root = root, .other = other};
    pairs->items[*place].bytes += bytes;
    return true;
}

static bool add_blocks(struct pairs *pairs, const struct walk *walk, const uint32_t *owner)
{
    for (uint32_t block = 0; block < walk->graph->count; block++) {
        const uint32_t *of = walk->of[block];
        uint32_t other = of[0] == owner[block] ? of[1] : of[0];
        bool is_recorded = walk->graph->blocks[block].stack != GRAPH_NONE;
        if (other != GRAPH_NONE && is_recorded &&
            !add_pair(pairs, owner[block], other, walk->graph->blocks[block].bytes))
            return false;
    }
    return true;
}

static void add_up(struct shared *shared, const struct pairs *pairs, double *most)
{
    for (size_t i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->items[i];
        shared[pair->root].bytes += pair->bytes;
        if (pair->bytes > most[pair->root]) {
            most[pair->root] = pair->bytes;
            shared[pair->root].other = pair->other;
        }
    }
}

struct shared *shared_find(const struct graph *graph, const struct roots *roots,
                           const uint32_t *owner)
{
    size_t labels = ((size_t)graph->count + 1) * LABELS;
    struct walk walk = {.graph = graph,
                        .roots = roots,
                        .of = malloc(labels * sizeof(uint32_t)),
                        .queue = malloc(labels * sizeof *walk.queue)};
    struct shared *shared = calloc(roots->count + 1, sizeof *shared);
    double *most = calloc(roots->count + 1, sizeof *most);
    struct pairs pairs = {0};
    bool done = walk.of && walk.queue && shared && most;
    if (done) {
        memset(walk.of, 0xff, labels * sizeof(uint32_t));
        go_from_roots(&walk, false);
        go_from_roots(&walk, true);
        done = add_blocks(&pairs, &walk, owner);
    }
    if (done)
        add_up(shared, &pairs, most);
    free(walk.of);
    free(walk.queue);
    free(most);
    free(pairs.items);
    map_release(&pairs.of);
    if (!done)
        free(shared);
    return done ? shared : NULL;
}
