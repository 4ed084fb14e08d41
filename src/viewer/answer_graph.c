#include "viewer/answer_graph.h"

#include <string.h>

static void put_node(struct json *json, const struct call_graph *graph,
                     const struct call_node *node)
{
    const struct symbol *symbol = &graph->symbols.items[node->symbol];
    json_put_string(json, "name", node->name);
    json_put_string(json, "function", symbol_name(symbol));
    json_put_string(json, "file", symbol->file);
    if (symbol->line > 0)
        json_put_uint(json, "line", symbol->line);
    json_put_double(json, "flat", node->flat);
    json_put_double(json, "cum", node->cum);
}

static void put_edge(struct json *json, const struct call_edge *edge)
{
    json_object(json);
    json_put_uint(json, "from", edge->from);
    json_put_uint(json, "to", edge->to);
    json_put_double(json, "weight", edge->weight);
    json_put_bool(json, "residual", edge->is_residual);
    json_put_bool(json, "inlined", edge->is_inlined);
    json_end(json);
}

void answer_put_graph(struct json *json, const struct call_graph *graph, bool with_edges)
{
    json_put_double(json, "total", graph->total);
    json_put_uint(json, "all_nodes", graph->all_nodes);
    json_put_uint(json, "dropped_nodes", graph->dropped_nodes);
    json_put_uint(json, "dropped_edges", graph->dropped_edges);
    json_key(json, "nodes");
    json_array(json);
    for (size_t i = 0; i < graph->count; i++) {
        json_object(json);
        put_node(json, graph, &graph->nodes[i]);
        json_end(json);
    }
    json_end(json);
    if (!with_edges)
        return;
    json_key(json, "edges");
    json_array(json);
    for (size_t i = 0; i < graph->edge_count; i++)
        put_edge(json, &graph->edges[i]);
    json_end(json);
}

/* The nodes at the other ends of a node's edges. */
static void put_neighbours(struct json *json, const char *key, const struct call_graph *graph,
                           const uint32_t *edges, size_t count, bool is_callers)
{
    json_key(json, key);
    json_array(json);
    for (size_t i = 0; i < count; i++) {
        const struct call_edge *edge = &graph->edges[edges[i]];
        json_object(json);
        json_put_double(json, "weight", edge->weight);
        json_put_bool(json, "inlined", edge->is_inlined);
        put_node(json, graph, &graph->nodes[is_callers ? edge->from : edge->to]);
        json_end(json);
    }
    json_end(json);
}

void answer_put_peek(struct json *json, const struct call_graph *graph, const char *function)
{
    json_put_double(json, "total", graph->total);
    json_key(json, "found");
    json_array(json);
    for (size_t i = 0; i < graph->count; i++) {
        const struct call_node *node = &graph->nodes[i];
        if (strcmp(symbol_name(&graph->symbols.items[node->symbol]), function) != 0)
            continue;
        json_object(json);
        put_node(json, graph, node);
        put_neighbours(json, "callers", graph, node->in, node->in_count, true);
        put_neighbours(json, "callees", graph, node->out, node->out_count, false);
        json_end(json);
    }
    json_end(json);
}
