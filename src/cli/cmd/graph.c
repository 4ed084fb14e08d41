/* heaptap graph: who calls whom, as a picture. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/graph_labels.h"
#include "analyze/graph_prune.h"
#include "base/measure.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/dot_program.h"
#include "cli/graph_text.h"
#include "cli/parse.h"
#include "cli/report_output.h"
#include "render/short_name.h"
#include "report/head.h"
#include "export/csv.h"
#include "export/graph_dot.h"

enum format { FORMAT_BY_NAME, FORMAT_DOT, FORMAT_SVG, FORMAT_PNG };

struct options {
    struct question report;
    enum format format;
    const char *output; /* NULL or "-" for standard output */
    bool no_labels, drop_negative;
};

enum {
    OPTION_DOT = 1000,
    OPTION_SVG,
    OPTION_PNG,
    OPTION_NO_LABELS,
    OPTION_DROP_NEGATIVE,
    NODES = 80
};

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0, "Write to FILE; - for standard output, the default", 0},
    {"dot", OPTION_DOT, NULL, 0,
     "Text for Graphviz: the default, unless FILE ends with .svg or .png", 0},
    {"svg", OPTION_SVG, NULL, 0, "An SVG picture, made by Graphviz's dot", 0},
    {"png", OPTION_PNG, NULL, 0, "A PNG picture, made by Graphviz's dot", 0},
    {"no-labels", OPTION_NO_LABELS, NULL, 0,
     "Leave out the boxes with sizes of blocks, and other labels of a pprof profile", 0},
    {"drop-negative", OPTION_DROP_NEGATIVE, NULL, 0, "Leave out functions that have shrunk", 0},
    {0},
};

static void finish(struct options *options, struct argp_state *state)
{
    if (options->format != FORMAT_BY_NAME && options->report.format != REPORT_TEXT)
        argp_error(state, "one format at a time");
    if (options->format == FORMAT_BY_NAME)
        options->format = report_output_ends_with(options->output, ".svg")   ? FORMAT_SVG
                          : report_output_ends_with(options->output, ".png") ? FORMAT_PNG
                                                                             : FORMAT_DOT;
}

static void set_format(struct options *options, enum format format, struct argp_state *state)
{
    if (options->format != FORMAT_BY_NAME && options->format != format)
        argp_error(state, "one format at a time");
    options->format = format;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        for (int i = 0; i < 5; i++)
            state->child_inputs[i] = &options->report;
        return 0;
    case 'o':
        options->output = argument;
        return 0;
    case OPTION_DOT:
    case OPTION_SVG:
    case OPTION_PNG:
        set_format(options, (enum format)(FORMAT_DOT + key - OPTION_DOT), state);
        return 0;
    case OPTION_NO_LABELS:
        options->no_labels = true;
        return 0;
    case OPTION_DROP_NEGATIVE:
        options->drop_negative = true;
        return 0;
    case ARGP_KEY_END:
        finish(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&report_argp, 0, NULL, 0},       {&report_nodes_argp, 0, NULL, 0},
    {&report_unit_argp, 0, NULL, 0},  {&report_relative_argp, 0, NULL, 0},
    {&report_names_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    option_table,
    parse,
    "TRACE [CLAUSE...]",
    "Draws the functions of TRACE, or of a pprof profile, and who calls whom, as pprof does.\v"
    "The size of a text shows what a function allocates itself, the colour of a node and the width "
    "of an edge what comes through it. Dotted edges pass over functions that are not shown; boxes "
    "show sizes of blocks.",
    children,
    0,
    0};

/* ---- The graph ------------------------------------------------------------------------- */

static double flat_total(const struct report *report)
{
    return report_value(report, &report->selection.profile.total);
}

/* Labels may take places of nodes, so they come first.  False with a message. */
static bool build(const struct options *options, const struct report *report,
                  struct call_graph *graph, struct graph_labels *labels)
{
    const struct question *want = &options->report;
    struct call_graph_options how = {
        .grain = want->grain,
        .no_inlines = want->no_inlines,
        .weight = report->weight,
        .order = want->by_cum ? ORDER_CUM : ORDER_ENTROPY,
        .node_count = want->node_count >= 0 ? (size_t)want->node_count : NODES,
        .node_fraction = want->node_fraction,
        .edge_fraction = want->edge_fraction,
        .drop_negative = options->drop_negative,
    };
    struct graph_labels_options what = {&report->what, &how, flat_total(report)};
    bool done =
        options->no_labels || graph_labels_init(labels, &report->matcher, &report->filter, &what);
    if (done && !options->no_labels) {
        labels->graph = graph;
        how.label_count = graph_labels_count;
        how.label_context = labels;
    }
    done =
        done && call_graph_init(graph, &report->selection.profile, &report->selection.frames, &how);
    if (done && !graph_prune(graph)) {
        call_graph_release(graph);
        done = false;
    }
    if (!done) {
        graph_labels_release(labels);
        cli_warn("out of memory");
    }
    return done;
}

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

/* ---- JSON, CSV ------------------------------------------------------------------------- */

static void put_edge(struct json *json, const struct call_graph *graph,
                     const struct call_edge *edge)
{
    json_object(json);
    json_put_uint(json, "from", edge->from);
    json_put_uint(json, "to", edge->to);
    json_put_string(json, "caller", graph->nodes[edge->from].name);
    json_put_string(json, "callee", graph->nodes[edge->to].name);
    json_put_double(json, "weight", edge->weight);
    json_put_bool(json, "residual", edge->is_residual);
    json_put_bool(json, "inlined", edge->is_inlined);
    json_end(json);
}

static void print_json(const struct report *report, const struct call_graph *graph)
{
    struct json json;
    json_init(&json, stdout);
    json_object(&json);
    report_put_head(report, &json);
    json_put_uint(&json, "dropped_nodes", graph->dropped_nodes);
    json_put_uint(&json, "dropped_edges", graph->dropped_edges);
    json_key(&json, "nodes");
    json_array(&json);
    for (size_t i = 0; i < graph->count; i++) {
        json_object(&json);
        graph_put_node(&json, graph, &graph->nodes[i]);
        json_end(&json);
    }
    json_end(&json);
    json_key(&json, "edges");
    json_array(&json);
    for (size_t i = 0; i < graph->edge_count; i++)
        put_edge(&json, graph, &graph->edges[i]);
    json_end(&json);
    json_end(&json);
}

static void print_csv(const struct call_graph *graph)
{
    struct csv csv;
    puts("caller,callee,weight,residual,inlined");
    csv_init(&csv, stdout);
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct call_edge *edge = &graph->edges[i];
        csv_text(&csv, graph->nodes[edge->from].name);
        csv_text(&csv, graph->nodes[edge->to].name);
        csv_double(&csv, edge->weight, 3);
        csv_uint(&csv, edge->is_residual);
        csv_uint(&csv, edge->is_inlined);
        csv_end_row(&csv);
    }
}

/* ---- The command ----------------------------------------------------------------------- */

struct picture {
    const struct report *report;
    const struct call_graph *graph;
    const struct graph_labels *labels;
};

static bool draw(void *context, FILE *file)
{
    const struct picture *picture = context;
    const struct report *report = picture->report;
    const char *unit = graph_unit(picture->graph, report);
    struct legend legend = {.count = 0};
    describe(&legend, report, picture->graph, unit);
    struct graph_dot_options how = {
        .title = program_of(report),
        .legend = legend.lines,
        .legend_count = legend.count,
        .total = report->whole,
        .unit = report->unit,
        .print_unit = unit,
        .labels = picture->labels,
        .shorten = short_name,
    };
    return graph_dot_print(picture->graph, &how, file);
}

static int print(const struct options *options, const struct report *report,
                 const struct call_graph *graph, const struct graph_labels *labels)
{
    static const char *const kinds[] = {NULL, NULL, "svg", "png"};
    struct picture picture = {report, graph, options->no_labels ? NULL : labels};
    if (options->report.format == REPORT_JSON)
        print_json(report, graph);
    else if (options->report.format == REPORT_CSV)
        print_csv(graph);
    else
        return dot_program_write(options->output, kinds[options->format], draw, &picture);
    return CLI_DONE;
}

int cmd_graph(int argc, char **argv)
{
    struct options options = {.report = question_many()};
    struct report report;
    struct call_graph graph;
    struct graph_labels labels = {0};
    int status = CLI_DONE;
    cli_parse(&argp, argc, argv, 0, &options);
    if (report_open(&report, &options.report, &status)) {
        status = CLI_FAILED;
        if (build(&options, &report, &graph, &labels)) {
            status = print(&options, &report, &graph, &labels);
            if (status == CLI_DONE)
                status = report_status(&report);
            call_graph_release(&graph);
            graph_labels_release(&labels);
        }
        report_close(&report);
    }
    question_release(&options.report);
    return status;
}
