/* heaptap list: functions line by line, with their sources. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/measure.h"
#include "base/plain.h"
#include "cli/cli.h"
#include "cli/graph_text.h"
#include "cli/report_pattern.h"
#include "cli/source_file.h"
#include "export/csv.h"

enum { MARGIN = 5, OPTION_SOURCE_PATH = 1000 };

/* The lines of one function in one file. */
struct routine {
    const struct call_node *const *nodes; /* in order of lines */
    size_t count;
    const char *function, *file;
    double flat, cum; /* of all lines: recursion counts once a line */
};

struct printer {
    const struct report *report;
    const struct call_graph *graph;
    const char *folders;
    struct json json;
    struct csv csv;
};

/* ---- Routines ------------------------------------------------------------------------ */

static const struct symbol *symbol_of(const struct call_graph *graph, const struct call_node *node)
{
    return &graph->symbols.items[node->symbol];
}

static int compare(const void *left, const void *right, void *context)
{
    const struct call_graph *graph = context;
    const struct symbol *a = symbol_of(graph, *(const struct call_node *const *)left);
    const struct symbol *b = symbol_of(graph, *(const struct call_node *const *)right);
    int order = strcmp(a->function, b->function);
    if (order == 0)
        order = strcmp(a->file, b->file);
    return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

/* The nodes whose functions match, sorted; malloc'ed, NULL when there is no memory. */
static const struct call_node **matching_nodes(const struct call_graph *graph,
                                               const struct pattern *pattern, size_t *count)
{
    const struct call_node **nodes = malloc((graph->count + 1) * sizeof *nodes);
    *count = 0;
    for (size_t i = 0; nodes && i < graph->count; i++) {
        const struct symbol *symbol = symbol_of(graph, &graph->nodes[i]);
        if (symbol->function && *symbol->function && pattern_matches(pattern, symbol->function))
            nodes[(*count)++] = &graph->nodes[i];
    }
    if (nodes && *count > 1)
        qsort_r(nodes, *count, sizeof *nodes, compare, (void *)graph);
    return nodes;
}

/* The routine that begins at nodes[0]. */
static struct routine routine_at(const struct call_graph *graph,
                                 const struct call_node *const *nodes, size_t left)
{
    const struct symbol *first = symbol_of(graph, nodes[0]);
    struct routine routine = {.nodes = nodes, .function = first->function, .file = first->file};
    while (routine.count < left) {
        const struct symbol *symbol = symbol_of(graph, nodes[routine.count]);
        if (strcmp(symbol->function, first->function) != 0 ||
            strcmp(symbol->file, first->file) != 0)
            break;
        routine.flat += nodes[routine.count]->flat;
        routine.cum += nodes[routine.count]->cum;
        routine.count++;
    }
    return routine;
}

/* ---- Lines --------------------------------------------------------------------------- */

struct line {
    uint32_t number;
    double flat, cum;
    const char *text; /* NULL where the source is not there */
};

static void print_line(struct printer *printer, const struct routine *routine,
                       const struct line *line)
{
    char flat[MEASURE_TEXT_BYTES] = ".", cum[MEASURE_TEXT_BYTES] = ".";
    const struct report *report = printer->report;
    switch (report->options->format) {
    case REPORT_TEXT:
    case REPORT_MARKDOWN:
        if (line->flat != 0)
            graph_value(flat, line->flat, report, "minimum");
        if (line->cum != 0)
            graph_value(cum, line->cum, report, "minimum");
        printf("%10s %10s %6u:%s\n", flat, cum, line->number,
               line->text ? plain_as(line->text, PLAIN_KEEP_TABS) : "");
        break;
    case REPORT_JSON:
        json_object(&printer->json);
        json_put_uint(&printer->json, "line", line->number);
        json_put_double(&printer->json, "flat", line->flat);
        json_put_double(&printer->json, "cum", line->cum);
        if (line->text)
            json_put_string(&printer->json, "source", line->text);
        json_end(&printer->json);
        break;
    case REPORT_CSV:
        csv_text(&printer->csv, routine->function);
        csv_text(&printer->csv, routine->file);
        csv_uint(&printer->csv, line->number);
        csv_double(&printer->csv, line->flat, 3);
        csv_double(&printer->csv, line->cum, 3);
        csv_text(&printer->csv, line->text);
        csv_end_row(&printer->csv);
        break;
    }
}

/* Lines from a few before the first that is in the profile to a few behind the last; without a
 * source, those in the profile. */
static void print_lines(struct printer *printer, const struct routine *routine,
                        const struct source_file *source)
{
    const struct call_graph *graph = printer->graph;
    uint32_t first = symbol_of(graph, routine->nodes[0])->line;
    uint32_t last = symbol_of(graph, routine->nodes[routine->count - 1])->line;
    size_t next = 0, end = (size_t)last + MARGIN;
    for (size_t number = first > MARGIN ? first - MARGIN : 1; number <= end; number++) {
        struct line line = {.number = (uint32_t)number};
        if (source->lines && number <= source->count)
            line.text = source->lines[number - 1];
        for (; next < routine->count && symbol_of(graph, routine->nodes[next])->line <= number;
             next++) {
            line.flat += routine->nodes[next]->flat;
            line.cum += routine->nodes[next]->cum;
        }
        if (line.text || line.flat != 0 || line.cum != 0)
            print_line(printer, routine, &line);
    }
}

static void print_routine(struct printer *printer, const struct routine *routine)
{
    char flat[MEASURE_TEXT_BYTES], cum[MEASURE_TEXT_BYTES], share[MEASURE_TEXT_BYTES];
    const struct report *report = printer->report;
    enum report_format format = report->options->format;
    struct source_file source;
    bool is_found = source_file_open(&source, routine->file, printer->folders);
    if (format == REPORT_TEXT) {
        printf("ROUTINE ======================== %s in %s\n", plain(routine->function),
               plain(routine->file));
        printf("%10s %10s (flat, cum) %s of Total\n",
               graph_value(flat, routine->flat, report, "minimum"),
               graph_value(cum, routine->cum, report, "minimum"),
               measure_percent(share, routine->cum, report->whole));
        if (!is_found)
            puts(" " SOURCE_FILE_NOT_FOUND);
    }
    if (format == REPORT_JSON) {
        json_object(&printer->json);
        json_put_string(&printer->json, "function", routine->function);
        json_put_string(&printer->json, "file", routine->file);
        json_put_string(&printer->json, "source", source.path);
        json_put_double(&printer->json, "flat", routine->flat);
        json_put_double(&printer->json, "cum", routine->cum);
        json_key(&printer->json, "lines");
        json_array(&printer->json);
    }
    print_lines(printer, routine, &source);
    if (format == REPORT_JSON) {
        json_end(&printer->json);
        json_end(&printer->json);
    }
    source_file_release(&source);
}

/* ---- The report ---------------------------------------------------------------------- */

static void begin(struct printer *printer)
{
    char total[MEASURE_TEXT_BYTES];
    const struct report *report = printer->report;
    json_init(&printer->json, stdout);
    csv_init(&printer->csv, stdout);
    switch (report->options->format) {
    case REPORT_TEXT:
    case REPORT_MARKDOWN:
        printf("Total: %s\n", graph_value(total, report->whole, report, "minimum"));
        break;
    case REPORT_JSON:
        json_object(&printer->json);
        report_put_head(report, &printer->json);
        json_key(&printer->json, "functions");
        json_array(&printer->json);
        break;
    case REPORT_CSV:
        puts("function,file,line,flat,cum,source");
        break;
    }
}

static void print_routines(struct printer *printer, const struct call_node *const *nodes,
                           size_t count)
{
    begin(printer);
    for (size_t i = 0; i < count;) {
        struct routine routine = routine_at(printer->graph, nodes + i, count - i);
        if (*routine.file || printer->report->options->format != REPORT_TEXT)
            print_routine(printer, &routine);
        else
            printf("No source information for %s\n", plain(routine.function));
        i += routine.count;
    }
    if (printer->report->options->format == REPORT_JSON) {
        json_end(&printer->json);
        json_end(&printer->json);
    }
}

static int print(const struct report *report, const struct pattern *pattern, const char *folders)
{
    struct call_graph graph;
    struct printer printer = {.report = report, .graph = &graph, .folders = folders};
    size_t count;
    if (!graph_of_report(&graph, report, &(struct graph_wish){.whole = true, .no_edges = true}))
        return cli_out_of_memory();
    const struct call_node **nodes = matching_nodes(&graph, pattern, &count);
    int status = nodes ? report_status(report) : CLI_FAILED;
    if (!nodes) {
        cli_warn("out of memory");
    } else if (count == 0) {
        cli_warn("no function matches '%s'", report->options->pattern);
        status = CLI_FOUND;
    } else {
        print_routines(&printer, nodes, count);
    }
    free(nodes);
    call_graph_release(&graph);
    return status;
}

/* ---- The command --------------------------------------------------------------------- */

struct options {
    struct question report;
    const char *folders;
};

static const struct argp_option option_table[] = {
    {"source-path", OPTION_SOURCE_PATH, "DIR[:DIR...]", 0,
     "Read sources below these folders, too; without it, below the present one alone", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        for (int i = 0; i < 6; i++)
            state->child_inputs[i] = &options->report;
        return 0;
    case OPTION_SOURCE_PATH:
        options->folders = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&report_filter_argp, 0, NULL, 0},
                                             {&report_sample_argp, 0, NULL, 0},
                                             {&report_inlines_argp, 0, NULL, 0},
                                             {&report_unit_argp, 0, NULL, 0},
                                             {&report_relative_argp, 0, NULL, 0},
                                             {&report_format_argp, 0, NULL, 0},
                                             {0}};

static const struct argp argp = {
    option_table,
    parse,
    "TRACE REGEX [CLAUSE...]",
    "Shows the functions of TRACE whose names match REGEX line by line, with their sources where "
    "these "
    "are found.\v"
    "flat is what a line allocates itself, cum what it and what it calls allocate.",
    children,
    0,
    0};

int cmd_list(int argc, char **argv)
{
    struct options options = {.report = question_many(), .folders = ""};
    struct report report;
    int status = CLI_DONE;
    options.report.takes_pattern = true;
    options.report.grain = GRAIN_LINE;
    cli_parse(&argp, argc, argv, 0, &options);
    struct pattern *pattern = report_pattern(options.report.pattern, &status);
    if (pattern && report_open(&report, &options.report, &status)) {
        status = print(&report, pattern, options.folders);
        report_close(&report);
    }
    pattern_free(pattern);
    question_release(&options.report);
    return status;
}
