/* Semi-NCA (Georgiadis, Tarjan): semidominators by Lengauer and Tarjan's ways with compressed paths, then each immediate dominator as
 * the nearest ancestor in the tree made so far that is no later than the semidominator.  Nodes go by their number in the order of a
 * walk in depth. */
#include "holders/dominators.h"

#include <stdlib.h>
#include <string.h>

#define NOT_REACHED UINT32_MAX

struct walk {
    const struct flow_graph *graph;
    uint32_t *number; /* by node: in the order of the walk; NOT_REACHED */
    uint32_t *node;   /* by number */
    uint32_t *parent; /* by number: in the walk's tree */
    uint32_t *semi, *label, *ancestor, *dominator; /* by number */
    size_t *first_back; /* by number: where who leads to it begins in `back` */
    uint32_t *back;     /* numbers */
    uint32_t *stack;    /* room for a path */
    size_t *next;       /* by number, while walking: the edge to be taken next */
    uint32_t count;     /* reached */
};

static void *items(size_t count, size_t bytes)
{
    return malloc((count + 1) * bytes);
}

static bool init(struct walk *walk, const struct flow_graph *graph)
{
    size_t count = graph->count;
    *walk = (struct walk){
        .graph = graph,
        .number = items(count, sizeof *walk->number),
        .node = items(count, sizeof *walk->node),
        .parent = items(count, sizeof *walk->parent),
        .semi = items(count, sizeof *walk->semi),
        .label = items(count, sizeof *walk->label),
        .ancestor = items(count, sizeof *walk->ancestor),
        .dominator = items(count, sizeof *walk->dominator),
        .first_back = calloc(count + 2, sizeof *walk->first_back),
        .back = items(graph->first[count], sizeof *walk->back),
        .stack = items(count, sizeof *walk->stack),
        .next = items(count, sizeof *walk->next),
    };
    return walk->number && walk->node && walk->parent && walk->semi && walk->label &&
           walk->ancestor && walk->dominator && walk->first_back && walk->back && walk->stack &&
           walk->next;
}

static void release(struct walk *walk)
{
    free(walk->number);
    free(walk->node);
    free(walk->parent);
    free(walk->semi);
    free(walk->label);
    free(walk->ancestor);
    free(walk->dominator);
    free(walk->first_back);
    free(walk->back);
    free(walk->stack);
    free(walk->next);
}

static uint32_t enter(struct walk *walk, uint32_t node, uint32_t parent)
{
    uint32_t number = walk->count++;
    walk->number[node] = number;
    walk->node[number] = node;
    walk->parent[number] = parent;
    walk->next[number] = walk->graph->first[node];
    return number;
}

static void go(struct walk *walk)
{
    const struct flow_graph *graph = walk->graph;
    memset(walk->number, 0xff, graph->count * sizeof *walk->number);
    for (uint32_t at = enter(walk, 0, 0);;) {
        uint32_t node = walk->node[at];
        if (walk->next[at] == graph->first[node + 1]) {
            if (at == 0)
                return;
            at = walk->parent[at];
            continue;
        }
        uint32_t to = graph->to[walk->next[at]++];
        if (walk->number[to] == NOT_REACHED)
            at = enter(walk, to, at);
    }
}

/* Who leads to whom. */
static void turn_round(struct walk *walk)
{
    const struct flow_graph *graph = walk->graph;
    size_t *first = walk->first_back;
    for (uint32_t i = 0; i < walk->count; i++)
        for (size_t e = graph->first[walk->node[i]]; e < graph->first[walk->node[i] + 1]; e++)
            first[walk->number[graph->to[e]] + 2]++;
    for (uint32_t i = 0; i < walk->count; i++)
        first[i + 2] += first[i + 1];
    for (uint32_t i = 0; i < walk->count; i++)
        for (size_t e = graph->first[walk->node[i]]; e < graph->first[walk->node[i] + 1]; e++)
            walk->back[first[walk->number[graph->to[e]] + 1]++] = i;
}

/* The label of the least semidominator on the way up to what is no part of the forest yet. */
static uint32_t evaluate(struct walk *walk, uint32_t v, uint32_t last)
{
    uint32_t depth = 0;
    if (v < last)
        return v;
    for (uint32_t u = v; walk->ancestor[u] >= last; u = walk->ancestor[u])
        walk->stack[depth++] = u;
    while (depth-- > 0) {
        uint32_t u = walk->stack[depth], above = walk->ancestor[u];
        if (walk->semi[walk->label[above]] < walk->semi[walk->label[u]])
            walk->label[u] = walk->label[above];
        walk->ancestor[u] = walk->ancestor[above];
    }
    return walk->label[v];
}

static void find_semidominators(struct walk *walk)
{
    for (uint32_t i = 0; i < walk->count; i++) {
        walk->semi[i] = walk->label[i] = i;
        walk->ancestor[i] = walk->parent[i];
        walk->dominator[i] = walk->parent[i];
    }
    for (uint32_t w = walk->count; w-- > 1;) {
        walk->semi[w] = walk->parent[w];
        for (size_t e = walk->first_back[w]; e < walk->first_back[w + 1]; e++) {
            uint32_t u = evaluate(walk, walk->back[e], w + 1);
            if (walk->semi[u] < walk->semi[w])
                walk->semi[w] = walk->semi[u];
        }
    }
}

static void find_dominators(struct walk *walk)
{
    for (uint32_t w = 1; w < walk->count; w++) {
        uint32_t dominator = walk->dominator[w];
        while (dominator > walk->semi[w])
            dominator = walk->dominator[dominator];
        walk->dominator[w] = dominator;
    }
}

bool dominators_find(const struct flow_graph *graph, uint32_t *immediate, uint32_t *order,
                     uint32_t *reached)
{
    struct walk walk;
    bool done = init(&walk, graph);
    if (done) {
        go(&walk);
        turn_round(&walk);
        find_semidominators(&walk);
        find_dominators(&walk);
        memset(immediate, 0xff, graph->count * sizeof *immediate);
        for (uint32_t i = 0; i < walk.count; i++)
            immediate[order[i] = walk.node[i]] = walk.node[walk.dominator[i]];
        *reached = walk.count;
    }
    release(&walk);
    return done;
}
