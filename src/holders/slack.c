#include "holders/slack.h"

#include <stdlib.h>

#include "spec/holders_dump.h"

/* Which blocks are reached from roots by the words that the program asked for. */
struct reach {
    const struct graph *graph;
    bool *is_reached;
    uint32_t *queue;
    uint32_t reached;
};

static bool is_slack(const struct graph *graph, uint32_t block, const struct graph_edge *edge)
{
    return (double)edge->offset + HOLDERS_DUMP_WORD > graph->blocks[block].bytes;
}

static void add(struct reach *reach, uint32_t block)
{
    if (!reach->is_reached[block])
        reach->queue[reach->reached++] = block;
    reach->is_reached[block] = true;
}

static void go(struct reach *reach)
{
    const struct graph *graph = reach->graph;
    for (size_t i = 0; i < graph->root_count; i++)
        add(reach, graph->roots[i].block);
    for (uint32_t i = 0; i < reach->reached; i++) {
        uint32_t block = reach->queue[i];
        for (size_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++)
            if (!is_slack(graph, block, &graph->edges[e]))
                add(reach, graph->edges[e].to);
    }
}

static void drop(struct graph *graph, const bool *is_reached)
{
    size_t kept = 0, end = 0;
    for (uint32_t block = 0; block < graph->count; block++) {
        size_t edge = end;
        end = graph->first_edge[block + 1];
        graph->first_edge[block] = kept;
        for (; edge < end; edge++)
            if (!is_reached[graph->edges[edge].to] || !is_slack(graph, block, &graph->edges[edge]))
                graph->edges[kept++] = graph->edges[edge];
    }
    graph->first_edge[graph->count] = graph->edge_count = kept;
}

bool slack_drop(struct graph *graph)
{
    struct reach reach = {
        .graph = graph,
        .is_reached = calloc((size_t)graph->count + 1, sizeof *reach.is_reached),
        .queue = malloc(((size_t)graph->count + 1) * sizeof *reach.queue),
    };
    bool done = reach.is_reached && reach.queue;
    if (done) {
        go(&reach);
        drop(graph, reach.is_reached);
    }
    free(reach.is_reached);
    free(reach.queue);
    return done;
}
