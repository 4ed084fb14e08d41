#include "holders/held.h"

#include <stdlib.h>
#include <string.h>

#include "holders/dominators.h"

/* ---- The shortest ways --------------------------------------------------------------- */

/* Blocks in the order in which they are reached, in breadth. */
struct breadth {
    struct held *held;
    const struct graph *graph;
    uint32_t *way;   /* by block: in paths; TRIE_NONE before it is reached */
    uint32_t *queue; /* blocks */
    uint32_t reached, gone;
    uint32_t *heads; /* blocks that nothing leads to, or in rings of such ones one each */
    uint32_t head_count;
};

static bool reach(struct breadth *breadth, uint32_t block, uint32_t from, uint32_t offset)
{
    const struct graph_block *at = &breadth->graph->blocks[block];
    if (breadth->way[block] != TRIE_NONE)
        return true;
    uint32_t way =
        from == TRIE_NONE ? TRIE_NONE : ways_step(&breadth->held->paths, from, at->stack);
    if (way == TRIE_NONE)
        return false;
    ways_add(&breadth->held->paths, way, at, offset, at->first);
    breadth->way[block] = way;
    breadth->queue[breadth->reached++] = block;
    return true;
}

static bool go_on(struct breadth *breadth)
{
    const struct graph *graph = breadth->graph;
    while (breadth->gone < breadth->reached) {
        uint32_t block = breadth->queue[breadth->gone++];
        for (size_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++)
            if (!reach(breadth, graph->edges[e].to, breadth->way[block], graph->edges[e].offset))
                return false;
    }
    return true;
}

/* Those of stacks for what no other root leads to: what lies there may be left from an earlier call, and else is soon gone. */
static bool go_from_roots(struct breadth *breadth, const struct roots *roots, bool of_stacks)
{
    const struct graph *graph = breadth->graph;
    for (size_t i = 0; i < graph->root_count; i++) {
        if (root_is_of_stack(&roots->items[roots->of[i]]) == of_stacks &&
            !reach(breadth, graph->roots[i].block, ways_root(&breadth->held->paths, roots->of[i]),
                   0))
            return false;
    }
    return go_on(breadth);
}

static bool go_from_lost(struct breadth *breadth, const struct roots *roots, uint32_t block)
{
    breadth->heads[breadth->head_count++] = block;
    return reach(breadth, block, ways_root(&breadth->held->paths, roots_lost(roots)), 0);
}

/* First those that no block leads to, then what is left: rings. */
static bool go_over_lost(struct breadth *breadth, const struct roots *roots)
{
    const struct graph *graph = breadth->graph;
    uint8_t *is_led_to = calloc((size_t)graph->count + 1, 1);
    bool done = is_led_to != NULL;
    for (uint32_t block = 0; done && block < graph->count; block++)
        for (size_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++)
            is_led_to[graph->edges[e].to] |= breadth->way[block] == TRIE_NONE;
    for (uint32_t block = 0; done && block < graph->count; block++)
        if (breadth->way[block] == TRIE_NONE && !is_led_to[block])
            done = go_from_lost(breadth, roots, block);
    done = done && go_on(breadth);
    for (uint32_t block = 0; done && block < graph->count; block++)
        if (breadth->way[block] == TRIE_NONE)
            done = go_from_lost(breadth, roots, block) && go_on(breadth);
    free(is_led_to);
    return done;
}

/* ---- What is shared ------------------------------------------------------------------ */

/* A block counts as that of the root from which the shortest way to it leads. */
static bool find_shared(struct breadth *breadth, const struct roots *roots)
{
    const struct ways *paths = &breadth->held->paths;
    uint32_t *of_way = malloc((paths->count + 1) * sizeof *of_way);
    uint32_t *owner = malloc(((size_t)breadth->graph->count + 1) * sizeof *owner);
    bool done = of_way && owner;
    for (size_t i = 0; done && i < paths->count; i++)
        of_way[i] = paths->items[i].parent == TRIE_NONE ? paths->items[i].stack
                                                        : of_way[paths->items[i].parent];
    for (uint32_t block = 0; done && block < breadth->graph->count; block++)
        owner[block] = of_way[breadth->way[block]];
    if (done)
        breadth->held->shared = shared_find(breadth->graph, roots, owner);
    free(of_way);
    free(owner);
    return done && breadth->held->shared;
}

/* ---- Dominators ---------------------------------------------------------------------- */

/* Node 0 leads to all roots, of which root r is node r + 1; then come the blocks. */
static uint32_t node_of_block(const struct roots *roots, uint32_t block)
{
    return (uint32_t)roots->count + 1 + block;
}

static void add_flow(struct flow_graph *flow, size_t *edge, uint32_t to)
{
    flow->to[(*edge)++] = to;
}

static void fill_flow(struct flow_graph *flow, const struct breadth *breadth,
                      const struct roots *roots, const size_t *root_first)
{
    const struct graph *graph = breadth->graph;
    size_t edge = 0;
    flow->first[0] = 0;
    for (uint32_t root = 0; root < roots->count; root++)
        add_flow(flow, &edge, root + 1);
    for (uint32_t root = 0; root < roots->count; root++) {
        flow->first[root + 1] = edge;
        edge += root_first[root];
        if (root == roots_lost(roots))
            for (uint32_t i = 0; i < breadth->head_count; i++)
                add_flow(flow, &edge, node_of_block(roots, breadth->heads[i]));
    }
    for (uint32_t block = 0; block < graph->count; block++) {
        flow->first[node_of_block(roots, block)] = edge;
        for (size_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++)
            add_flow(flow, &edge, node_of_block(roots, graph->edges[e].to));
    }
    flow->first[flow->count] = edge;
}

static bool make_flow(struct flow_graph *flow, const struct breadth *breadth,
                      const struct roots *roots)
{
    const struct graph *graph = breadth->graph;
    size_t edges = roots->count + graph->root_count + breadth->head_count + graph->edge_count;
    flow->count = node_of_block(roots, graph->count);
    flow->first = calloc((size_t)flow->count + 1, sizeof *flow->first);
    flow->to = malloc((edges + 1) * sizeof *flow->to);
    size_t *root_count = calloc(roots->count + 1, sizeof *root_count);
    bool done = flow->first && flow->to && root_count;
    for (size_t i = 0; done && i < graph->root_count; i++)
        root_count[roots->of[i]]++;
    if (done) {
        fill_flow(flow, breadth, roots, root_count);
        for (size_t i = 0, root; i < graph->root_count; i++) {
            root = roots->of[i];
            flow->to[flow->first[root + 1] + --root_count[root]] =
                node_of_block(roots, graph->roots[i].block);
        }
    }
    free(root_count);
    return done;
}

static bool add_dominated(struct breadth *breadth, const struct roots *roots,
                          const uint32_t *immediate, const uint32_t *order, uint32_t reached)
{
    const struct graph *graph = breadth->graph;
    struct ways *ways = &breadth->held->dominated;
    uint32_t first_block = node_of_block(roots, 0);
    for (uint32_t i = 0; i < reached; i++) {
        uint32_t node = order[i], above = immediate[node];
        if (node < first_block)
            continue;
        uint32_t block = node - first_block;
        uint32_t from = above >= first_block ? breadth->way[above - first_block]
                        : above == 0         ? ways_root(ways, roots_several(roots))
                                             : ways_root(ways, above - 1);
        uint32_t way =
            from == TRIE_NONE ? TRIE_NONE : ways_step(ways, from, graph->blocks[block].stack);
        if (way == TRIE_NONE)
            return false;
        ways_add(ways, way, &graph->blocks[block], 0, 0);
        breadth->way[block] = way;
    }
    return true;
}

/* `way` has those of dominators then. */
static bool find_dominated(struct breadth *breadth, const struct roots *roots)
{
    struct flow_graph flow = {0};
    uint32_t reached;
    bool done = make_flow(&flow, breadth, roots);
    uint32_t *immediate = done ? malloc(((size_t)flow.count + 1) * sizeof *immediate) : NULL;
    uint32_t *order = done ? malloc(((size_t)flow.count + 1) * sizeof *order) : NULL;
    done = immediate && order && dominators_find(&flow, immediate, order, &reached) &&
           add_dominated(breadth, roots, immediate, order, reached);
    free(immediate);
    free(order);
    free(flow.first);
    free(flow.to);
    return done;
}

/* ---- The whole ----------------------------------------------------------------------- */

bool held_find(struct held *held, const struct graph *graph, const struct roots *roots)
{
    size_t bytes = ((size_t)graph->count + 1) * sizeof(uint32_t);
    struct breadth breadth = {
        .held = held,
        .graph = graph,
        .way = malloc(bytes),
        .queue = malloc(bytes),
        .heads = malloc(bytes),
    };
    *held = (struct held){.paths.goes_back = true};
    bool done = breadth.way && breadth.queue && breadth.heads;
    if (done) {
        memset(breadth.way, 0xff, bytes);
        done = go_from_roots(&breadth, roots, false) && go_from_roots(&breadth, roots, true) &&
               go_over_lost(&breadth, roots) && find_shared(&breadth, roots) &&
               find_dominated(&breadth, roots);
    }
    free(breadth.way);
    free(breadth.queue);
    free(breadth.heads);
    return done;
}

void held_release(struct held *held)
{
    ways_release(&held->paths);
    ways_release(&held->dominated);
    free(held->shared);
}
