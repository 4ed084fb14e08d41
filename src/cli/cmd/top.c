/* heaptap top: functions by what they allocate, themselves and through others. */
#include <math.h>
#include <stdio.h>

#include "base/measure.h"
#include "cli/cli.h"
#include "cli/graph_text.h"
#include "render/table.h"
#include "export/csv.h"

/* ---- Text ---------------------------------------------------------------------------- */

/* How pprof marks functions that stand inlined in their callers. */
static const char *inline_label(const struct call_graph *graph, const struct call_node *node)
{
    bool is_inlined = false, is_called = false;
    for (size_t i = 0; i < node->in_count; i++) {
        is_inlined |= graph->edges[node->in[i]].is_inlined;
        is_called |= !graph->edges[node->in[i]].is_inlined;
    }
    return !is_inlined ? "" : is_called ? " (partial-inline)" : " (inline)";
}

/* Only text tells of inlined functions, where there are any; edges say which are. */
static bool tells_inlines(const struct report *report)
{
    const struct model *model = report->input.model;
    bool has_inlines = false;
    for (size_t i = 0; i < model->frame_count; i++)
        has_inlines |= model->frames[i].line_count > 1;
    return has_inlines && !report->options->no_inlines && report->options->format == REPORT_TEXT;
}

/* What a terminal has left of a line for names, at least LEAST; 0 for no end of it. */
static int name_width(void)
{
    enum { FIGURES = 45, LEAST = 24 };
    int width = table_width();
    return width == 0 ? 0 : width > FIGURES + LEAST ? width - FIGURES : LEAST;
}

static void print_text(const struct report *report, const struct call_graph *graph)
{
    const char *unit = graph_unit(graph, report);
    double sum = 0;
    report_print_head(report);
    graph_print_sums(graph, report, unit, false);
    printf("%10s %5s%% %5s%% %10s %5s%%\n", "flat", "flat", "sum", "cum", "cum");
    for (size_t i = 0; i < graph->count; i++) {
        char flat[MEASURE_TEXT_BYTES], cum[MEASURE_TEXT_BYTES], of[3][MEASURE_TEXT_BYTES];
        const struct call_node *node = &graph->nodes[i];
        sum += node->flat;
        printf("%10s %s %s %10s %s  ", graph_value(flat, node->flat, report, unit),
               measure_percent(of[0], node->flat, report->whole),
               measure_percent(of[1], sum, report->whole),
               graph_value(cum, node->cum, report, unit),
               measure_percent(of[2], node->cum, report->whole));
        table_print_name("", node->name, inline_label(graph, node), name_width());
    }
}

/* ---- JSON, CSV ----------------------------------------------------------------------- */

static void print_json(const struct report *report, const struct call_graph *graph)
{
    struct json json;
    json_init(&json, stdout);
    json_object(&json);
    report_put_head(report, &json);
    json_put_uint(&json, "dropped_nodes", graph->dropped_nodes);
    json_key(&json, "nodes");
    json_array(&json);
    for (size_t i = 0; i < graph->count; i++) {
        json_object(&json);
        graph_put_node(&json, graph, &graph->nodes[i]);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

static void print_csv(const struct report *report, const struct call_graph *graph)
{
    struct csv csv;
    double sum = 0;
    puts("name,function,file,line,flat,flat_share,sum_share,cum,cum_share");
    csv_init(&csv, stdout);
    for (size_t i = 0; i < graph->count; i++) {
        const struct call_node *node = &graph->nodes[i];
        const struct symbol *symbol = &graph->symbols.items[node->symbol];
        double whole = report->whole != 0 ? report->whole : 1;
        sum += node->flat;
        csv_text(&csv, node->name);
        csv_text(&csv, symbol->function);
        csv_text(&csv, symbol->file);
        if (symbol->line > 0)
            csv_uint(&csv, symbol->line);
        else
            csv_text(&csv, NULL);
        csv_double(&csv, node->flat, 3);
        csv_double(&csv, node->flat / whole, 6);
        csv_double(&csv, sum / whole, 6);
        csv_double(&csv, node->cum, 3);
        csv_double(&csv, node->cum / whole, 6);
        csv_end_row(&csv);
    }
}

/* ---- The command --------------------------------------------------------------------- */

static error_t parse(int key, char *argument, struct argp_state *state)
{
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    for (int i = 0; i < 4; i++)
        state->child_inputs[i] = state->input;
    return 0;
}

static const struct argp_child children[] = {
    {&report_argp, 0, NULL, 0},       {&report_nodes_argp, 0, NULL, 0},
    {&report_unit_argp, 0, NULL, 0},  {&report_relative_argp, 0, NULL, 0},
    {&report_names_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    NULL,
    parse,
    "TRACE [CLAUSE...]",
    "Lists the functions that allocate most in TRACE, or weigh most in a pprof profile.\v"
    "flat is what a function allocates itself, cum what comes through it, once a stack however "
    "often "
    "it recurs. Functions whose cum is less than half a percent are left out.",
    children,
    0,
    0};

int cmd_top(int argc, char **argv)
{
    struct question options = question_many();
    struct report report;
    struct call_graph graph;
    int status = CLI_DONE;
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    if (report_open(&report, &options, &status)) {
        status = report_status(&report);
        struct graph_wish wish = {.no_edges = !tells_inlines(&report)};
        if (graph_of_report(&graph, &report, &wish)) {
            options.format == REPORT_JSON  ? print_json(&report, &graph)
            : options.format == REPORT_CSV ? print_csv(&report, &graph)
                                           : print_text(&report, &graph);
            call_graph_release(&graph);
        } else {
            status = CLI_FAILED;
        }
        report_close(&report);
    }
    question_release(&options);
    return status;
}
