#include "viewer/answer_graph.h"

#include <stdlib.h>
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

/* ---- Against a base ---------------------------------------------------------------------- */

struct base_nodes {
    const struct call_graph *graph;
    uint32_t *order; /* its nodes, sorted by symbol */
    bool *found;     /* by place in `order`: the newer one has it too */
};

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int compare_symbols(const struct symbol *a, const struct symbol *b)
{
    int order = compare_texts(a->function, b->function);
    if (order == 0)
        order = compare_texts(a->file, b->file);
    if (order == 0)
        order = compare_texts(a->module, b->module);
    return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

static const struct symbol *symbol_of(const struct call_graph *graph, uint32_t node)
{
    return &graph->symbols.items[graph->nodes[node].symbol];
}

static int compare_nodes(const void *left, const void *right, void *context)
{
    return compare_symbols(symbol_of(context, *(const uint32_t *)left),
                           symbol_of(context, *(const uint32_t *)right));
}

static void base_release(struct base_nodes *base)
{
    free(base->order);
    free(base->found);
}

static bool base_init(struct base_nodes *base, const struct call_graph *graph)
{
    *base = (struct base_nodes){graph, calloc(graph->count + 1, sizeof *base->order),
                                calloc(graph->count + 1, sizeof *base->found)};
    if (!base->order || !base->found) {
        base_release(base);
        return false;
    }
    for (uint32_t i = 0; i < graph->count; i++)
        base->order[i] = i;
    qsort_r(base->order, graph->count, sizeof *base->order, compare_nodes, (void *)graph);
    return true;
}

/* The base's node of a symbol, NULL for none. */
static const struct call_node *base_find(struct base_nodes *base, const struct symbol *symbol)
{
    size_t low = 0, high = base->graph->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_symbols(symbol_of(base->graph, base->order[middle]), symbol);
        if (order == 0) {
            base->found[middle] = true;
            return &base->graph->nodes[base->order[middle]];
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static void put_base(struct json *json, const struct call_node *node)
{
    json_put_double(json, "base_flat", node ? node->flat : 0);
    json_put_double(json, "base_cum", node ? node->cum : 0);
}

static void put_gone(struct json *json, const struct base_nodes *base)
{
    json_key(json, "gone");
    json_array(json);
    for (size_t i = 0; i < base->graph->count; i++) {
        const struct call_node *node = &base->graph->nodes[base->order[i]];
        struct call_node now = {.symbol = node->symbol, .name = node->name};
        if (base->found[i])
            continue;
        json_object(json);
        put_node(json, base->graph, &now);
        put_base(json, node);
        json_end(json);
    }
    json_end(json);
}

/* ---- The answers ------------------------------------------------------------------------- */

static void put_nodes(struct json *json, const struct call_graph *graph, struct base_nodes *base)
{
    json_key(json, "nodes");
    json_array(json);
    for (size_t i = 0; i < graph->count; i++) {
        json_object(json);
        put_node(json, graph, &graph->nodes[i]);
        if (base)
            put_base(json, base_find(base, symbol_of(graph, (uint32_t)i)));
        json_end(json);
    }
    json_end(json);
}

static void put_edges(struct json *json, const struct call_graph *graph)
{
    json_key(json, "edges");
    json_array(json);
    for (size_t i = 0; i < graph->edge_count; i++)
        put_edge(json, &graph->edges[i]);
    json_end(json);
}

bool answer_put_graph(struct json *json, const struct call_graph *graph,
                      const struct call_graph *before, bool with_edges)
{
    struct base_nodes base;
    if (before && !base_init(&base, before))
        return false;
    json_put_double(json, "total", graph->total);
    if (before)
        json_put_double(json, "base_total", before->total);
    json_put_uint(json, "all_nodes", graph->all_nodes);
    json_put_uint(json, "dropped_nodes", graph->dropped_nodes);
    json_put_uint(json, "dropped_edges", graph->dropped_edges);
    put_nodes(json, graph, before ? &base : NULL);
    if (with_edges)
        put_edges(json, graph);
    else if (before)
        put_gone(json, &base);
    if (before)
        base_release(&base);
    return true;
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
