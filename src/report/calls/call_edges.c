/* The edges of a call graph: one walk along all stacks, which keeps how often each edge is on the
 * path, as one counts once a stack. */
#include "report/calls/call_graph_build.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* An edge while it is counted: what the walk touches of it, in one place. */
struct tie {
    double weight;
    uint32_t edge;                           /* its number + 1; 0: there is none yet */
    uint32_t open : 30;                      /* how often it is on the path that is walked */
    uint32_t is_residual : 1, is_called : 1; /* the callee isn't always inlined */
};

enum { FEW_NODES = 2048 };

void call_edges_number_nodes(struct call_graph_build *build)
{
    for (size_t i = 0; i < build->sum_count; i++)
        build->sums[i].node = NODE_NONE;
    for (uint32_t i = 0; i < build->graph->count; i++)
        build->sums[build->graph->nodes[i].symbol].node = i;
}

/* Where the tie of two nodes is, perhaps a new one; NULL when there is no memory. */
static struct tie *tie_of(struct call_graph_build *build, uint32_t from, uint32_t to)
{
    struct call_graph *graph = build->graph;
    bool fresh;
    if (build->is_table)
        return &build->ties[from * graph->count + to];
    const uint32_t *number = map_put(&build->by_ends, (uint64_t)from << 32 | to,
                                     (uint32_t)graph->edge_count + 1, &fresh);
    if (!number || !ARRAY_RESERVE(&build->ties, &build->tie_capacity, *number))
        return NULL;
    if (fresh)
        build->ties[*number - 1] = (struct tie){0};
    return &build->ties[*number - 1];
}

static bool add_edge(struct call_graph_build *build, struct tie *tie, uint32_t from, uint32_t to)
{
    struct call_graph *graph = build->graph;
    if (!ARRAY_RESERVE(&graph->edges, &graph->edge_capacity, graph->edge_count + 1))
        return false;
    graph->edges[graph->edge_count++] = (struct call_edge){.from = from, .to = to};
    tie->edge = (uint32_t)graph->edge_count;
    return true;
}

/* Counts an edge where it is not on the path already, and puts it there. */
static bool enter_edge(struct call_graph_build *build, const struct reach *from, uint32_t to,
                       uint32_t node, bool is_inlined)
{
    if (build->is_asked && !build->is_asked[from->node] && !build->is_asked[to])
        return true;
    struct tie *tie = tie_of(build, from->node, to);
    if (!tie || (tie->edge == 0 && !add_edge(build, tie, from->node, to)) ||
        !ARRAY_RESERVE(&build->open, &build->open_capacity, build->open_count + 2))
        return false;
    build->open[build->open_count++] = (uint32_t)(tie - build->ties);
    if (tie->open++ > 0)
        return true;
    tie->weight += stack_walk_weight(&build->walk, &build->walk.now, node);
    tie->is_residual |= from->is_residual;
    tie->is_called |= !is_inlined;
    if (build->walk.base.sums)
        build->graph->edges[tie->edge - 1].base_weight +=
            stack_walk_weight(&build->walk, &build->walk.base, node);
    return true;
}

/* Where no two stacks are the same, most steps are to a tie that is not in the cache; but the nodes
 * of a trie mostly follow their callers, so that what comes is known. */
static void prefetch_tie(struct call_graph_build *build, uint32_t node)
{
    enum { AHEAD = 8 };
    uint32_t caller = node + AHEAD - 1, callee = node + AHEAD;
    const struct stack_walk *walk = &build->walk;
    size_t count;
    if (!build->is_table || callee >= walk->trie->count ||
        stack_walk_weight(walk, &walk->now, caller) == 0 ||
        stack_walk_weight(walk, &walk->now, callee) == 0)
        return;
    const uint32_t *callers = call_graph_symbols_at(build, caller, &count);
    uint32_t from = build->sums[callers[count - 1]].node;
    uint32_t to = build->sums[call_graph_symbols_at(build, callee, &count)[0]].node;
    if (from != NODE_NONE && to != NODE_NONE)
        __builtin_prefetch(&build->ties[from * build->graph->count + to], 1);
}

static bool enter_edges(void *context, uint32_t node, uint32_t stack)
{
    struct call_graph_build *build = context;
    prefetch_tie(build, node);
    size_t count, before = build->open_count;
    const uint32_t *symbols = call_graph_symbols_at(build, node, &count);
    struct reach reach = build->reached[build->depth];
    for (size_t i = 0; i < count; i++) {
        uint32_t to = build->sums[symbols[i]].node;
        if (to == NODE_NONE) {
            reach.is_residual = true;
            continue;
        }
        if (reach.node != NODE_NONE && reach.node != to &&
            !enter_edge(build, &reach, to, node, i > 0))
            return false;
        reach = (struct reach){to, false};
    }
    if (!ARRAY_RESERVE(&build->reached, &build->reached_capacity, build->depth + 2))
        return false;
    build->reached[++build->depth] = reach;
    if (!ARRAY_RESERVE(&build->open, &build->open_capacity, build->open_count + 1))
        return false;
    build->open[build->open_count] = (uint32_t)(build->open_count - before);
    build->open_count++;
    return true;
}

static void leave_edges(void *context, uint32_t node)
{
    struct call_graph_build *build = context;
    build->depth--;
    for (uint32_t count = build->open[--build->open_count]; count > 0; count--)
        build->ties[build->open[--build->open_count]].open--;
}

/* Room for the ties of all nodes: a table, where that is not too large. */
static bool make_ties(struct call_graph_build *build)
{
    size_t count = build->graph->count;
    map_release(&build->by_ends);
    free(build->ties);
    build->tie_capacity = 0;
    build->is_table = count <= FEW_NODES;
    build->ties = build->is_table ? calloc(count * count + 1, sizeof *build->ties) : NULL;
    return build->ties || !build->is_table;
}

static bool mark_asked(struct call_graph_build *build)
{
    const struct call_graph_options *options = build->options;
    const struct call_graph *graph = build->graph;
    if (!options->is_asked)
        return true;
    free(build->is_asked);
    build->is_asked = malloc(graph->count + 1);
    for (size_t i = 0; build->is_asked && i < graph->count; i++)
        build->is_asked[i] = options->is_asked(options->asked_context, graph->nodes[i].name);
    return build->is_asked;
}

/* Edges get what was counted of them. */
static void take_ties(struct call_graph_build *build)
{
    struct call_graph *graph = build->graph;
    for (size_t i = 0; i < graph->edge_count; i++) {
        struct call_edge *edge = &graph->edges[i];
        const struct tie *tie =
            &build->ties[build->is_table ? edge->from * graph->count + edge->to : i];
        edge->now_weight = tie->weight * build->walk.now.unit;
        edge->base_weight *= build->walk.base.unit;
        edge->weight = call_graph_heavier(build, edge->now_weight, edge->base_weight);
        edge->is_residual = tie->is_residual;
        edge->is_inlined = !tie->is_called;
    }
}

bool call_edges_count(struct call_graph_build *build)
{
    build->graph->edge_count = 0;
    call_edges_number_nodes(build);
    build->reached[STACK_ROOT] = (struct reach){NODE_NONE, false};
    if (!make_ties(build) || !mark_asked(build) ||
        !stack_walk_run(&build->walk, build, enter_edges, leave_edges))
        return false;
    take_ties(build);
    return true;
}

/* Leaves out light edges, and tells how many they were. */
size_t call_edges_trim(struct call_graph_build *build)
{
    struct call_graph *graph = build->graph;
    double cutoff = call_graph_cutoff(build, build->options->edge_fraction);
    size_t kept = 0;
    for (size_t i = 0; i < graph->edge_count; i++)
        if (fabs(graph->edges[i].weight) >= cutoff)
            graph->edges[kept++] = graph->edges[i];
    size_t dropped = graph->edge_count - kept;
    graph->edge_count = kept;
    return dropped;
}

static int compare_edges(const void *left, const void *right, void *context)
{
    const struct call_graph *graph = context;
    const struct call_edge *a = &graph->edges[*(const uint32_t *)left];
    const struct call_edge *b = &graph->edges[*(const uint32_t *)right];
    if (fabs(a->weight) != fabs(b->weight))
        return fabs(a->weight) > fabs(b->weight) ? -1 : 1;
    int order = strcmp(graph->nodes[a->from].name, graph->nodes[b->from].name);
    return order ? order : strcmp(graph->nodes[a->to].name, graph->nodes[b->to].name);
}

bool call_edges_link(struct call_graph *graph)
{
    free(graph->ends);
    graph->ends = malloc((2 * graph->edge_count + 1) * sizeof *graph->ends);
    if (!graph->ends)
        return false;
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i].in_count = graph->nodes[i].out_count = 0;
    for (size_t i = 0; i < graph->edge_count; i++) {
        graph->nodes[graph->edges[i].from].out_count++;
        graph->nodes[graph->edges[i].to].in_count++;
    }
    uint32_t *next = graph->ends;
    for (size_t i = 0; i < graph->count; i++) {
        struct call_node *node = &graph->nodes[i];
        node->in = next;
        node->out = next + node->in_count;
        next = node->out + node->out_count;
        node->in_count = node->out_count = 0;
    }
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        struct call_node *from = &graph->nodes[graph->edges[i].from];
        struct call_node *to = &graph->nodes[graph->edges[i].to];
        from->out[from->out_count++] = i;
        to->in[to->in_count++] = i;
    }
    return true;
}

void call_edges_sort(struct call_graph *graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        struct call_node *node = &graph->nodes[i];
        qsort_r(node->in, node->in_count, sizeof *node->in, compare_edges, graph);
        qsort_r(node->out, node->out_count, sizeof *node->out, compare_edges, graph);
    }
}
