#include "viewer/answer_graph.h"

#include <string.h>

static void put_node(struct json *json, const struct call_graph *graph,
                     const struct call_node *node, bool compares)
{
    const struct symbol *symbol = &graph->symbols.items[node->symbol];
    json_put_string(json, "name", node->name);
    json_put_string(json, "function", symbol_name(symbol));
    json_put_string(json, "file", symbol->file);
    if (symbol->line > 0)
        json_put_uint(json, "line", symbol->line);
    json_put_double(json, "flat", node->flat);
    json_put_double(json, "cum", node->cum);
    if (compares) {
        json_put_double(json, "base_flat", node->base_flat);
        json_put_double(json, "base_cum", node->base_cum);
    }
}

static void put_weight(struct json *json, const struct call_edge *edge, bool compares)
{
    json_put_double(json, "weight", edge->weight);
    if (compares)
        json_put_double(json, "base_weight", edge->base_weight);
    json_put_bool(json, "inlined", edge->is_inlined);
}

static void put_total(struct json *json, const struct call_graph *graph, bool compares)
{
    json_put_double(json, "total", graph->total);
    if (compares)
        json_put_double(json, "base_total", graph->base_total);
}

static void put_nodes(struct json *json, const struct call_graph *graph, bool compares)
{
    json_key(json, "nodes");
    json_begin_array(json);
    for (size_t i = 0; i < graph->count; i++) {
        json_begin_object(json);
        put_node(json, graph, &graph->nodes[i], compares);
        json_end(json);
    }
    json_end(json);
}

static void put_edges(struct json *json, const struct call_graph *graph, bool compares)
{
    json_key(json, "edges");
    json_begin_array(json);
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct call_edge *edge = &graph->edges[i];
        json_begin_object(json);
        json_put_uint(json, "from", edge->from);
        json_put_uint(json, "to", edge->to);
        json_put_bool(json, "residual", edge->is_residual);
        put_weight(json, edge, compares);
        json_end(json);
    }
    json_end(json);
}

void answer_put_graph(struct json *json, const struct call_graph *graph, bool compares,
                      bool with_edges)
{
    put_total(json, graph, compares);
    json_put_uint(json, "all_nodes", graph->all_nodes);
    json_put_uint(json, "dropped_nodes", graph->dropped_nodes);
    json_put_uint(json, "dropped_edges", graph->dropped_edges);
    put_nodes(json, graph, compares);
    if (with_edges)
        put_edges(json, graph, compares);
}

/* The nodes at the other ends of a node's edges. */
static void put_neighbours(struct json *json, const struct call_graph *graph,
                           const struct call_node *node, bool callers, bool compares)
{
    size_t count = callers ? node->in_count : node->out_count;
    json_key(json, callers ? "callers" : "callees");
    json_begin_array(json);
    for (size_t i = 0; i < count; i++) {
        const struct call_edge *edge = &graph->edges[callers ? node->in[i] : node->out[i]];
        json_begin_object(json);
        put_weight(json, edge, compares);
        put_node(json, graph, &graph->nodes[callers ? edge->from : edge->to], compares);
        json_end(json);
    }
    json_end(json);
}

void answer_put_peek(struct json *json, const struct call_graph *graph, bool compares,
                     const char *function)
{
    put_total(json, graph, compares);
    json_key(json, "found");
    json_begin_array(json);
    for (size_t i = 0; i < graph->count; i++) {
        const struct call_node *node = &graph->nodes[i];
        if (strcmp(symbol_name(&graph->symbols.items[node->symbol]), function) != 0)
            continue;
        json_begin_object(json);
        put_node(json, graph, node, compares);
        put_neighbours(json, graph, node, true, compares);
        put_neighbours(json, graph, node, false, compares);
        json_end(json);
    }
    json_end(json);
}
