#include "cli/graph_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/measure.h"
#include "cli/cli.h"
#include "profile/pattern.h"

static bool name_matches(void *pattern, const char *name)
{
    return pattern_matches(pattern, name);
}

bool graph_of_report(struct call_graph *graph, const struct report *report,
                     const struct graph_wish *wish)
{
    const struct question *options = report->options;
    struct call_graph_options how = {
        .grain = options->grain,
        .no_inlines = options->no_inlines,
        .weight = report->weight,
        .order = options->by_cum ? ORDER_CUM : ORDER_FLAT,
        .node_count = wish->whole                ? 0
                      : options->node_count >= 0 ? (size_t)options->node_count
                                                 : wish->node_count,
        .node_fraction = wish->whole ? 0 : options->node_fraction,
        .edge_fraction = wish->whole ? 0 : options->edge_fraction,
        .no_edges = wish->no_edges,
        .is_asked = wish->pattern ? name_matches : NULL,
        .asked_context = (void *)wish->pattern,
    };
    if (call_graph_init(graph, &report->selection.profile, &report->selection.frames, &how))
        return true;
    cli_warn("out of memory");
    return false;
}

const char *graph_unit(const struct call_graph *graph, const struct report *report)
{
    double least = 0;
    if (report->options->unit)
        return report->options->unit;
    for (size_t i = 0; i < graph->count; i++) {
        double value = fabs(round(graph->nodes[i].flat));
        if (value == 0)
            value = fabs(round(graph->nodes[i].cum));
        if (value > 0 && (least == 0 || value < least))
            least = value;
    }
    return graph->count > 0 ? measure_table_unit(least, report->whole, report->unit) : "minimum";
}

const char *graph_value(char *text, double value, const struct report *report, const char *unit)
{
    const char *asked = report->options->unit;
    return measure_text(text, round(value), report->unit, asked ? asked : unit);
}

static void print_dropped(size_t count, const char *what, const char *of, const char *limit)
{
    if (count > 0)
        printf("Dropped %zu %s%s (%s <= %s)\n", count, what, count > 1 ? "s" : "", of, limit);
}

void graph_print_sums(const struct call_graph *graph, const struct report *report, const char *unit,
                      bool with_edges)
{
    char shown[MEASURE_TEXT_BYTES], total[MEASURE_TEXT_BYTES], limit[MEASURE_TEXT_BYTES];
    char percent[MEASURE_TEXT_BYTES];
    const struct question *options = report->options;
    double flat = 0;
    for (size_t i = 0; i < graph->count; i++)
        flat += graph->nodes[i].flat;
    measure_percent(percent, flat, report->whole);
    printf("Showing nodes accounting for %s, %s of %s total\n",
           graph_value(shown, flat, report, unit), percent + strspn(percent, " "),
           graph_value(total, report->whole, report, unit));
    if (report->whole == 0)
        return;
    print_dropped(graph->dropped_nodes, "node", "cum",
                  graph_value(limit, trunc(report->whole * options->node_fraction), report, unit));
    if (with_edges)
        print_dropped(
            graph->dropped_edges, "edge", "freq",
            graph_value(limit, trunc(report->whole * options->edge_fraction), report, unit));
    if (graph->count > 0 && graph->count < graph->all_nodes)
        printf("Showing top %zu nodes out of %zu\n", graph->count, graph->all_nodes);
}

/* ---- JSON ---------------------------------------------------------------------------- */

void graph_put_symbol(struct json *json, const char *name, const struct symbol *symbol)
{
    char address[24];
    json_put_string(json, "name", name);
    if (symbol->function && *symbol->function)
        json_put_string(json, "function", symbol->function);
    if (symbol->file && *symbol->file)
        json_put_string(json, "file", symbol->file);
    if (symbol->line > 0)
        json_put_uint(json, "line", symbol->line);
    if (symbol->address > 0) {
        snprintf(address, sizeof address, "0x%" PRIx64, symbol->address);
        json_put_string(json, "address", address);
    }
    if (symbol->module && *symbol->module)
        json_put_string(json, "module", symbol->module);
}

void graph_put_node(struct json *json, const struct call_graph *graph, const struct call_node *node)
{
    graph_put_symbol(json, node->name, &graph->symbols.items[node->symbol]);
    json_put_double(json, "flat", node->flat);
    json_put_double(json, "cum", node->cum);
}
