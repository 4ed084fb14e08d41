#include "cli/graph_context.h"

#include <stdio.h>

#include "base/measure.h"
#include "base/plain.h"
#include "export/csv.h"

static const char separator[] =
    "----------------------------------------------------------+-------------";

/* ---- Text ---------------------------------------------------------------------------- */

static void print_edges(const struct call_graph *graph, const struct report *report,
                        const char *unit, const struct call_node *node, bool incoming)
{
    char value[MEASURE_TEXT_BYTES], share[MEASURE_TEXT_BYTES];
    size_t count = incoming ? node->in_count : node->out_count;
    for (size_t i = 0; i < count; i++) {
        const struct call_edge *edge = &graph->edges[incoming ? node->in[i] : node->out[i]];
        printf("%50s %s |   %s%s\n", graph_value(value, edge->weight, report, unit),
               measure_percent(share, edge->weight, node->cum),
               plain(graph->nodes[incoming ? edge->from : edge->to].name),
               edge->is_inlined ? " (inline)" : "");
    }
}

static void print_node(const struct call_graph *graph, const struct report *report,
                       const char *unit, const struct call_node *node, double sum)
{
    char flat[MEASURE_TEXT_BYTES], cum[MEASURE_TEXT_BYTES], share[3][MEASURE_TEXT_BYTES];
    puts(separator);
    print_edges(graph, report, unit, node, true);
    printf("%10s %s %s %10s %s                | %s\n", graph_value(flat, node->flat, report, unit),
           measure_percent(share[0], node->flat, report->whole),
           measure_percent(share[1], sum, report->whole), graph_value(cum, node->cum, report, unit),
           measure_percent(share[2], node->cum, report->whole), plain(node->name));
    print_edges(graph, report, unit, node, false);
}

static void print_text_head(const struct call_graph *graph, const struct report *report,
                            const char *unit)
{
    report_print_head(report);
    graph_print_sums(graph, report, unit, false);
    puts(separator);
    puts("      flat  flat%   sum%        cum   cum%   calls calls% + context 	 	 ");
}

/* ---- JSON, CSV ----------------------------------------------------------------------- */

static void put_edges(struct json *json, const struct call_graph *graph,
                      const struct call_node *node, bool incoming)
{
    size_t count = incoming ? node->in_count : node->out_count;
    json_key(json, incoming ? "callers" : "callees");
    json_array(json);
    for (size_t i = 0; i < count; i++) {
        const struct call_edge *edge = &graph->edges[incoming ? node->in[i] : node->out[i]];
        const struct call_node *other = &graph->nodes[incoming ? edge->from : edge->to];
        json_object(json);
        graph_put_symbol(json, other->name, &graph->symbols.items[other->symbol]);
        json_put_double(json, "value", edge->weight);
        json_put_bool(json, "inlined", edge->is_inlined);
        json_put_bool(json, "residual", edge->is_residual);
        json_end(json);
    }
    json_end(json);
}

static void put_row(struct csv *csv, const struct call_node *node, const char *kind,
                    const char *other, double flat, double value, double share)
{
    csv_text(csv, node->name);
    csv_text(csv, kind);
    csv_text(csv, other);
    csv_double(csv, flat, 3);
    csv_double(csv, value, 3);
    csv_double(csv, share, 6);
    csv_end_row(csv);
}

static void put_rows(struct csv *csv, const struct call_graph *graph, const struct report *report,
                     const struct call_node *node)
{
    double cum = node->cum != 0 ? node->cum : 1;
    for (size_t i = 0; i < node->in_count; i++) {
        const struct call_edge *edge = &graph->edges[node->in[i]];
        put_row(csv, node, "caller", graph->nodes[edge->from].name, 0, edge->weight,
                edge->weight / cum);
    }
    put_row(csv, node, "function", node->name, node->flat, node->cum,
            report->whole != 0 ? node->cum / report->whole : 0);
    for (size_t i = 0; i < node->out_count; i++) {
        const struct call_edge *edge = &graph->edges[node->out[i]];
        put_row(csv, node, "callee", graph->nodes[edge->to].name, 0, edge->weight,
                edge->weight / cum);
    }
}

/* ---- All ----------------------------------------------------------------------------- */

static void print_one(const struct call_graph *graph, const struct report *report, const char *unit,
                      const struct call_node *node, double sum, struct json *json, struct csv *csv)
{
    switch (report->options->format) {
    case REPORT_TEXT:
    case REPORT_MARKDOWN:
        print_node(graph, report, unit, node, sum);
        break;
    case REPORT_JSON:
        json_object(json);
        graph_put_node(json, graph, node);
        put_edges(json, graph, node, true);
        put_edges(json, graph, node, false);
        json_end(json);
        break;
    case REPORT_CSV:
        put_rows(csv, graph, report, node);
        break;
    }
}

void graph_context_print(const struct call_graph *graph, const struct report *report,
                         const struct pattern *pattern, size_t *shown)
{
    enum report_format format = report->options->format;
    const char *unit = graph_unit(graph, report);
    struct json json;
    struct csv csv;
    double sum = 0;
    *shown = 0;
    csv_init(&csv, stdout);
    json_init(&json, stdout);
    if (format == REPORT_TEXT)
        print_text_head(graph, report, unit);
    if (format == REPORT_CSV)
        puts("name,kind,other,flat,value,share");
    if (format == REPORT_JSON) {
        json_object(&json);
        report_put_head(report, &json);
        json_put_uint(&json, "dropped_nodes", graph->dropped_nodes);
        json_key(&json, "nodes");
        json_array(&json);
    }
    for (size_t i = 0; i < graph->count; i++) {
        const struct call_node *node = &graph->nodes[i];
        if (pattern && !pattern_matches(pattern, node->name))
            continue;
        ++*shown;
        sum += node->flat;
        print_one(graph, report, unit, node, sum, &json, &csv);
    }
    if (format == REPORT_TEXT && graph->count > 0)
        puts(separator);
    if (format == REPORT_JSON) {
        json_end(&json);
        json_end(&json);
    }
}
