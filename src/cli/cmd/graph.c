/* heaptap graph: who calls whom, as a picture. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/measure.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/dot_program.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "cli/report_command.h"
#include "cli/report_options.h"
#include "cli/report_output.h"
#include "render/short_name.h"
#include "report/functions.h"
#include "report/graph.h"
#include "report/head.h"
#include "export/graph_dot.h"

enum format { FORMAT_BY_NAME, FORMAT_DOT, FORMAT_SVG, FORMAT_PNG };

/* Where it is drawn, besides the question. */
struct picture_options {
    enum format format;
    const char *output; /* NULL or "-" for standard output */
};

enum { OPTION_DOT = 1000, OPTION_SVG, OPTION_PNG };

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0, "Write to FILE; - for standard output, the default", 0},
    {"dot", OPTION_DOT, NULL, 0,
     "Text for Graphviz: the default, unless FILE ends with .svg or .png", 0},
    {"svg", OPTION_SVG, NULL, 0, "An SVG picture, made by Graphviz's dot", 0},
    {"png", OPTION_PNG, NULL, 0, "A PNG picture, made by Graphviz's dot", 0},
    {0},
};

static void set_format(struct picture_options *options, enum format format,
                       struct argp_state *state)
{
    if (options->format != FORMAT_BY_NAME && options->format != format)
        argp_error(state, "one format at a time");
    options->format = format;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct picture_options *options = state->input;
    switch (key) {
    case 'o':
        options->output = argument;
        return 0;
    case OPTION_DOT:
    case OPTION_SVG:
    case OPTION_PNG:
        set_format(options, (enum format)(FORMAT_DOT + key - OPTION_DOT), state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp picture_argp = {option_table, parse, 0, 0, 0, 0, 0};

static enum format format_of(const struct picture_options *options)
{
    return options->format != FORMAT_BY_NAME                  ? options->format
           : report_output_ends_with(options->output, ".svg") ? FORMAT_SVG
           : report_output_ends_with(options->output, ".png") ? FORMAT_PNG
                                                              : FORMAT_DOT;
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

/* ---- The command ----------------------------------------------------------------------- */

struct picture {
    const struct report *report;
    const struct drawn_graph *drawn;
};

static bool draw(void *context, FILE *file)
{
    const struct picture *picture = context;
    const struct report *report = picture->report;
    const struct call_graph *graph = &picture->drawn->graph;
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
        .labels = picture->drawn->labels.graph ? &picture->drawn->labels : NULL,
        .shorten = short_name,
    };
    return graph_dot_print(graph, &how, file);
}

static int draw_it(const struct picture_options *options, const struct report *report)
{
    static const char *const kinds[] = {NULL, NULL, "svg", "png"};
    struct drawn_graph drawn;
    struct picture picture = {report, &drawn};
    if (!drawn_graph_init(&drawn, report))
        return cli_out_of_memory();
    int status = dot_program_write(options->output, kinds[format_of(options)], draw, &picture);
    drawn_graph_release(&drawn);
    return status == CLI_DONE ? report_status(report) : status;
}

static int run(const struct question *question, const struct picture_options *options)
{
    struct report report;
    int status;
    if (question->format != REPORT_TEXT && options->format != FORMAT_BY_NAME) {
        cli_warn("one format at a time");
        return CLI_USAGE;
    }
    if (question->format != REPORT_TEXT)
        return report_command_answer(question);
    if (!report_open(&report, question, &status))
        return status;
    status = draw_it(options, &report);
    report_close(&report);
    return status;
}

int cmd_graph(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("graph");
    struct picture_options options = {.format = FORMAT_BY_NAME};
    struct question question = question_of(entry);
    cli_parse(report_entry_argp(entry, &picture_argp, &options), argc, argv, 0, &question);
    int status = run(&question, &options);
    question_release(&question);
    return status;
}
