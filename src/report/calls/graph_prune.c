#include "report/calls/graph_prune.h"

#include <stdlib.h>
#include <string.h>

struct search {
    struct call_graph *graph;
    bool *is_removed;  /* by edge */
    uint32_t *seen;    /* by node: the number of the search that met it, from 1 */
    uint32_t *queue;   /* nodes */
    uint32_t searches; /* so far */
};

/* Is there another way from the caller to the callee of `edge`? */
static bool is_redundant(struct search *search, uint32_t edge)
{
    const struct call_graph *graph = search->graph;
    uint32_t target = graph->edges[edge].from;
    size_t begin = 0, end = 0;
    search->searches++;
    search->queue[end++] = graph->edges[edge].to;
    search->seen[graph->edges[edge].to] = search->searches;
    while (begin < end) {
        const struct call_node *node = &graph->nodes[search->queue[begin++]];
        for (size_t i = 0; i < node->in_count; i++) {
            uint32_t from = graph->edges[node->in[i]].from;
            if (node->in[i] == edge || search->is_removed[node->in[i]] ||
                search->seen[from] == search->searches)
                continue;
            if (from == target)
                return true;
            search->seen[from] = search->searches;
            search->queue[end++] = from;
        }
    }
    return false;
}

static void drop_from(const struct search *search, uint32_t *list, size_t *count)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++)
        if (!search->is_removed[list[i]])
            list[kept++] = list[i];
    *count = kept;
}

/* Numbers of edges change: the removed ones leave no gap. */
static void compact(struct search *search)
{
    struct call_graph *graph = search->graph;
    uint32_t kept = 0;
    for (size_t i = 0; i < graph->count; i++) {
        drop_from(search, graph->nodes[i].in, &graph->nodes[i].in_count);
        drop_from(search, graph->nodes[i].out, &graph->nodes[i].out_count);
    }
    uint32_t *numbers = search->seen; /* large enough, and of no more use */
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        numbers[i] = kept;
        if (!search->is_removed[i])
            graph->edges[kept++] = graph->edges[i];
    }
    for (size_t i = 0; i < graph->count; i++) {
        for (size_t j = 0; j < graph->nodes[i].in_count; j++)
            graph->nodes[i].in[j] = numbers[graph->nodes[i].in[j]];
        for (size_t j = 0; j < graph->nodes[i].out_count; j++)
            graph->nodes[i].out[j] = numbers[graph->nodes[i].out[j]];
    }
    graph->edge_count = kept;
}

static void search_all(struct search *search)
{
    struct call_graph *graph = search->graph;
    for (size_t i = graph->count; i-- > 0;) {
        const struct call_node *node = &graph->nodes[i];
        for (size_t j = node->in_count; j-- > 0;) {
            uint32_t edge = node->in[j];
            if (!graph->edges[edge].is_residual)
                break;
            if (is_redundant(search, edge))
                search->is_removed[edge] = true;
        }
    }
    compact(search);
}

bool graph_prune(struct call_graph *graph)
{
    size_t most = graph->count > graph->edge_count ? graph->count : graph->edge_count;
    struct search search = {
        .graph = graph,
        .is_removed = calloc(graph->edge_count + 1, sizeof *search.is_removed),
        .seen = calloc(most + 1, sizeof *search.seen),
        .queue = malloc((graph->count + 1) * sizeof *search.queue),
    };
    bool done = search.is_removed && search.seen && search.queue;
    if (done)
        search_all(&search);
    free(search.is_removed);
    free(search.seen);
    free(search.queue);
    return done;
}
