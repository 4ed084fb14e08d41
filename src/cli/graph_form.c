/* The graph of calls, for Graphviz. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/measure.h"
#include "cli/written_form.h"
#include "report/calls/graph_dot.h"
#include "answer/short_name.h"
#include "report/calls/functions.h"
#include "report/calls/graph.h"
#include "report/head.h"

/* ---- Legend ---------------------------------------------------------------------------- */

enum { LEGEND_LINES = 8, LEGEND_BYTES = 512 };

struct legend {
    char text[LEGEND_LINES][LEGEND_BYTES];
    const char *lines[LEGEND_LINES];
    size_t count;
};

__attribute__((format(printf, 2, 3))) static void add_line(struct legend *legend,
                                                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(legend->text[legend->count], LEGEND_BYTES, format, arguments);
    va_end(arguments);
    legend->lines[legend->count] = legend->text[legend->count];
    legend->count++;
}

static const char *program_of(const struct report *report)
{
    const char *name = model_program_name(report->input.model);
    return *name ? name : report->input.name;
}

static void describe(struct legend *legend, const struct report *report,
                     const struct call_graph *graph, const char *unit)
{
    const struct question *options = report->options;
    char shown[MEASURE_TEXT_BYTES], percent[MEASURE_TEXT_BYTES], whole[MEASURE_TEXT_BYTES];
    double sum = 0;
    for (size_t i = 0; i < graph->count; i++)
        sum += graph->nodes[i].flat;
    measure_percent(percent, sum, report->whole);
    add_line(legend, "File: %s", program_of(report));
    add_line(legend, "Type: %s", report->sample);
    if (*report->filter.text)
        add_line(legend, "Filter: %s", report->filter.text);
    if (report_is_sampled(report)) {
        char samples[REPORT_SAMPLES_BYTES];
        report_samples_text(samples, report);
        add_line(legend, "%s", samples);
    }
    add_line(legend, "Showing nodes accounting for %s, %s of %s total",
             graph_value(shown, sum, report, unit), percent + strspn(percent, " "),
             graph_value(whole, report->whole, report, unit));
    if (graph->dropped_nodes > 0)
        add_line(
            legend, "Dropped %zu node%s (cum <= %s)", graph->dropped_nodes,
            graph->dropped_nodes > 1 ? "s" : "",
            graph_value(shown, fabs(trunc(report->whole * options->node_fraction)), report, unit));
    if (graph->dropped_edges > 0)
        add_line(
            legend, "Dropped %zu edge%s (freq <= %s)", graph->dropped_edges,
            graph->dropped_edges > 1 ? "s" : "",
            graph_value(shown, fabs(trunc(report->whole * options->edge_fraction)), report, unit));
    if (graph->count < graph->all_nodes)
        add_line(legend, "Showing top %zu nodes out of %zu", graph->count, graph->all_nodes);
}

/* ---- The picture ----------------------------------------------------------------------- */

static bool draw(const struct drawn_graph *drawn, const struct report *report, FILE *file)
{
    const struct call_graph *graph = &drawn->graph;
    const char *unit = graph_unit(graph, report);
    struct legend legend = {.count = 0};
    describe(&legend, report, graph, unit);
    struct graph_dot_options how = {
        .title = program_of(report),
        .legend = legend.lines,
        .legend_count = legend.count,
        .total = report->whole,
        .unit = report->unit,
        .print_unit = unit,
        .labels = drawn->labels.graph ? &drawn->labels : NULL,
        .shorten = short_name,
    };
    return graph_dot_print(graph, &how, file);
}

bool graph_form_write(const struct report *report, FILE *file)
{
    struct drawn_graph drawn;
    if (!drawn_graph_init(&drawn, report))
        return false;
    bool done = draw(&drawn, report, file);
    drawn_graph_release(&drawn);
    return done;
}
