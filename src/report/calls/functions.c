#include "report/calls/functions.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/comparison.h"
#include "base/measure.h"

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
        .divisor = report->divisor,
        .divisor_weight = report->divisor_weight,
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
    return graph_of_options(graph, report, &how);
}

bool graph_of_options(struct call_graph *graph, const struct report *report,
                      struct call_graph_options *how)
{
    const struct comparison *both = report->both;
    if (!both)
        return call_graph_init(graph, &report->selection.profile, &report->selection.frames, how);
    how->base = &both->before;
    return call_graph_init(graph, &both->now, &both->frames, how);
}

#define OF_GRAPH(member) ANSWER_FIELD(struct call_graph, member)

enum { HAS_BASE = REPORT_HAS_BASE, HAS_EDGES = 2 };

static const struct answer_column graph_columns[] = {
    {"all_nodes", NULL, ANSWER_WHOLE, OF_GRAPH(all_nodes),
     "functions that are not too small, shown or not"},
    {"dropped_nodes", NULL, ANSWER_WHOLE, OF_GRAPH(dropped_nodes),
     "functions that are left out for being small"},
    {"dropped_edges", NULL, ANSWER_WHOLE, OF_GRAPH(dropped_edges),
     "calls that are left out for being small", HAS_EDGES},
    {"base_total", NULL, ANSWER_AMOUNT, OF_GRAPH(base_total),
     "what passes the filter in the base that `heaptap view` compares with", HAS_BASE},
};
const struct answer_table graph_table = {
    NULL, ANSWER_RECORD, ANSWER_FIXED, ANSWER_IN_JSON, ANSWER_COLUMNS(graph_columns), NULL};

void graph_record(struct answer *answer, const struct call_graph *graph,
                  const struct report *report, bool has_edges)
{
    struct answer_section section = {.table = &graph_table,
                                     .has = report_has_base(report) | (has_edges ? HAS_EDGES : 0)};
    answer_record(answer, &section, graph);
}

const char *graph_unit(const struct call_graph *graph, const struct report *report)
{
    double least = 0;
    if (report_asked_unit(report))
        return report_asked_unit(report);
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
    const char *asked = report_asked_unit(report);
    return measure_text(text, round(value), report->unit, asked ? asked : unit);
}

__attribute__((format(printf, 2, 3))) static void put_line(struct text *lines, const char *format,
                                                           ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text_put_string(lines, line);
    text_put_char(lines, '\n');
}

static void put_dropped(struct text *lines, size_t count, const char *what, const char *of,
                        const char *limit)
{
    if (count > 0)
        put_line(lines, "Dropped %zu %s%s (%s <= %s)", count, what, count > 1 ? "s" : "", of,
                 limit);
}

static void graph_put_sums(struct text *lines, const struct call_graph *graph,
                           const struct report *report, const char *unit, bool with_edges)
{
    char shown[MEASURE_TEXT_BYTES], total[MEASURE_TEXT_BYTES], limit[MEASURE_TEXT_BYTES];
    char percent[MEASURE_TEXT_BYTES];
    const struct question *options = report->options;
    double flat = 0;
    for (size_t i = 0; i < graph->count; i++)
        flat += graph->nodes[i].flat;
    measure_percent(percent, flat, report->whole);
    put_line(lines, "Showing nodes accounting for %s, %s of %s total",
             graph_value(shown, flat, report, unit), percent + strspn(percent, " "),
             graph_value(total, report->whole, report, unit));
    if (report->whole == 0)
        return;
    put_dropped(lines, graph->dropped_nodes, "node", "cum",
                graph_value(limit, trunc(report->whole * options->node_fraction), report, unit));
    if (with_edges)
        put_dropped(
            lines, graph->dropped_edges, "edge", "freq",
            graph_value(limit, trunc(report->whole * options->edge_fraction), report, unit));
    if (graph->count > 0 && graph->count < graph->all_nodes)
        put_line(lines, "Showing top %zu nodes out of %zu", graph->count, graph->all_nodes);
}

void graph_say_sums(struct answer *answer, const struct call_graph *graph,
                    const struct report *report, const char *unit, bool with_edges)
{
    struct text lines = {0};
    graph_put_sums(&lines, graph, report, unit, with_edges);
    answer_say_lines(answer, &lines);
    text_release(&lines);
}
