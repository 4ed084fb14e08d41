#include "report/calls/list.h"

#include <stdlib.h>
#include <string.h>

#include "report/calls/call_graph.h"
#include "base/measure.h"
#include "base/plain.h"
#include "report/calls/functions.h"
#include "report/head.h"
#include "report/symbol_columns.h"

enum { MARGIN = 5, NUMBER_WIDTH = 6 };

struct list {
    const struct report *report; /* its grain is the line */
    struct call_graph graph;
    const struct call_node **nodes; /* those whose functions match, by function, file and line */
    size_t count;                   /* 0: no function matches */
};

/* The lines of one function in one file. */
struct routine {
    const struct call_node *const *nodes; /* in order of lines */
    size_t count;
    const char *function, *file;
    double flat, cum, base_cum; /* of all lines: recursion counts once a line */
    struct report_source source;
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

static bool choose_nodes(struct list *list)
{
    const struct call_graph *graph = &list->graph;
    list->nodes = malloc((graph->count + 1) * sizeof *list->nodes);
    for (size_t i = 0; list->nodes && i < graph->count; i++) {
        const struct symbol *symbol = symbol_of(graph, &graph->nodes[i]);
        if (symbol->function && *symbol->function && symbol->file && /* NULL of an address */
            pattern_matches(list->report->pattern, symbol->function))
            list->nodes[list->count++] = &graph->nodes[i];
    }
    if (list->count > 1)
        qsort_r(list->nodes, list->count, sizeof *list->nodes, compare, (void *)graph);
    return list->nodes;
}

/* False when there is no memory; then there is nothing to release. */
static bool list_init(struct list *list, const struct report *report)
{
    struct graph_wish wish = {.whole = true, .no_edges = true};
    *list = (struct list){.report = report};
    if (!graph_of_report(&list->graph, report, &wish))
        return false;
    if (choose_nodes(list))
        return true;
    call_graph_release(&list->graph);
    return false;
}

static void list_release(struct list *list)
{
    free(list->nodes);
    call_graph_release(&list->graph);
}

/* The routine that begins at a node. */
static struct routine routine_at(const struct list *list, size_t start)
{
    const struct symbol *first = symbol_of(&list->graph, list->nodes[start]);
    struct routine routine = {
        .nodes = list->nodes + start, .function = first->function, .file = first->file};
    while (start + routine.count < list->count) {
        const struct call_node *node = routine.nodes[routine.count];
        const struct symbol *symbol = symbol_of(&list->graph, node);
        if (strcmp(symbol->function, first->function) != 0 ||
            strcmp(symbol->file, first->file) != 0)
            break;
        routine.flat += node->flat;
        routine.cum += node->cum;
        routine.base_cum += node->base_cum;
        routine.count++;
    }
    return routine;
}

/* ---- Columns ------------------------------------------------------------------------- */

/* A line of a source file. */
struct line {
    const struct routine *routine;
    uint32_t number;
    double flat, cum, base_cum;
    const char *text; /* NULL where the source is not there */
};

static const char flat_help[] = "what is allocated there itself",
                  cum_help[] = "what comes through it", base_help[] = "`cum` in the base";

#define OF_ROUTINE(member) ANSWER_FIELD(struct routine, member)
#define OF_ITS(member) ANSWER_FIELD_OF(struct line, routine, member)
#define OF_LINE(member) ANSWER_FIELD(struct line, member)

/* For programs: functions, with arrays of their lines. */
static const struct answer_column function_columns[] = {
    {"function", NULL, ANSWER_TEXT, OF_ROUTINE(function), "name of the function"},
    {"file", NULL, ANSWER_TEXT, OF_ROUTINE(file), "source file, as the file names it"},
    {"source", NULL, ANSWER_TEXT, OF_ROUTINE(source.path), "where its source was found"},
    {"flat", NULL, ANSWER_AMOUNT, OF_ROUTINE(flat), flat_help},
    {"cum", NULL, ANSWER_AMOUNT, OF_ROUTINE(cum), cum_help},
    {"base_cum", NULL, ANSWER_AMOUNT, OF_ROUTINE(base_cum), base_help, REPORT_HAS_BASE},
};
static const struct answer_table functions_table =
    ANSWER_JSON(ANSWER_ROWS, "functions", function_columns, "a function that matches");

static const struct answer_column line_columns[] = {
    {"line", NULL, ANSWER_WHOLE, OF_LINE(number), "line of the file"},
    {"flat", NULL, ANSWER_AMOUNT, OF_LINE(flat), flat_help},
    {"cum", NULL, ANSWER_AMOUNT, OF_LINE(cum), cum_help},
    {"source", NULL, ANSWER_TEXT, OF_LINE(text), "the line's text", .flags = ANSWER_OMIT},
    {"base_cum", NULL, ANSWER_AMOUNT, OF_LINE(base_cum), base_help, REPORT_HAS_BASE},
};
static const struct answer_table lines_table =
    ANSWER_JSON(ANSWER_ROWS, "lines", line_columns, "a line of the function");

/* For others: the lines of all. */
static const struct answer_column row_columns[] = {
    {"function", NULL, ANSWER_TEXT, OF_ITS(function), "name of the function"},
    {"file", NULL, ANSWER_TEXT, OF_ITS(file), "source file, as the file names it"},
    {"line", NULL, ANSWER_WHOLE, OF_LINE(number), "line of the file"},
    {"flat", "flat", ANSWER_AMOUNT, OF_LINE(flat), flat_help, .flags = ANSWER_DOT},
    {"cum", "cum", ANSWER_AMOUNT, OF_LINE(cum), cum_help, .flags = ANSWER_DOT},
    {NULL, "line", ANSWER_WHOLE, OF_LINE(number), .width = NUMBER_WIDTH},
    {"source", "source", ANSWER_TEXT, OF_LINE(text), "the line's text"},
};
static const struct answer_table rows_table = {
    .style = ANSWER_FIXED,
    .forms = ANSWER_IN_TEXT | ANSWER_IN_CSV,
    ANSWER_COLUMNS(row_columns),
    .help = "a line of a function",
    .layout = {.heading = "", .bar = ":"},
};

const struct answer_table *const list_tables[] = {&functions_table, &lines_table, &rows_table,
                                                  NULL};

/* ---- Saying it ----------------------------------------------------------------------- */

/* Lines from a few before the first that is in the profile to a few after the last; without a
 * source, those in the profile. */
static void put_lines(struct answer *answer, const struct list *list, const struct routine *routine)
{
    const struct call_graph *graph = &list->graph;
    const struct report_source *source = &routine->source;
    uint32_t first = symbol_of(graph, routine->nodes[0])->line;
    uint32_t last = symbol_of(graph, routine->nodes[routine->count - 1])->line;
    size_t next = 0, end = (size_t)last + MARGIN;
    for (size_t number = first > MARGIN ? first - MARGIN : 1; number <= end; number++) {
        struct line line = {.routine = routine, .number = (uint32_t)number};
        if (number <= source->count)
            line.text = source->lines[number - 1];
        for (; next < routine->count && symbol_of(graph, routine->nodes[next])->line <= number;
             next++) {
            line.flat += routine->nodes[next]->flat;
            line.cum += routine->nodes[next]->cum;
            line.base_cum += routine->nodes[next]->base_cum;
        }
        if (line.text || line.flat != 0 || line.cum != 0 || line.base_cum != 0)
            answer_row(answer, &line);
    }
}

static void put_function(struct answer *answer, const struct list *list,
                         const struct routine *routine)
{
    struct answer_section lines = {.table = &lines_table, .has = report_has_base(list->report)};
    answer_row(answer, routine);
    answer_begin(answer, &lines);
    put_lines(answer, list, routine);
    answer_end(answer);
}

static void say_routine(struct answer *answer, const struct report *report,
                        const struct routine *routine)
{
    char flat[MEASURE_TEXT_BYTES], cum[MEASURE_TEXT_BYTES], share[MEASURE_TEXT_BYTES];
    answer_say(answer, "ROUTINE ======================== %s in %s", plain(routine->function),
               plain(routine->file));
    answer_say(answer, "%10s %10s (flat, cum) %s of Total",
               graph_value(flat, routine->flat, report, "minimum"),
               graph_value(cum, routine->cum, report, "minimum"),
               measure_percent(share, routine->cum, report->whole));
    if (!routine->source.path)
        answer_say(answer, " The source was not found below the present folder or those of "
                           "--source-path; no others are read.");
}

static void put_rows(struct answer *answer, const struct list *list, const struct routine *routine)
{
    bool is_read = answer_is_read(answer);
    if (is_read && !*routine->file) {
        answer_say(answer, "No source information for %s", plain(routine->function));
        return;
    }
    if (is_read)
        say_routine(answer, list->report, routine);
    put_lines(answer, list, routine);
}

static void put_routines(struct answer *answer, const struct answer_section *section,
                         void (*put)(struct answer *, const struct list *, const struct routine *))
{
    const struct list *list = section->context;
    const struct report_sources *sources = list->report->sources;
    if (!answer_tells(answer, section->table))
        return;
    answer_begin(answer, section);
    for (size_t i = 0; i < list->count;) {
        struct routine routine = routine_at(list, i);
        if (sources)
            sources->open(sources, &routine.source, routine.file);
        put(answer, list, &routine);
        if (sources)
            sources->close(&routine.source);
        i += routine.count;
    }
    answer_end(answer);
}

static void put_list(struct answer *answer, const struct list *list)
{
    char total[MEASURE_TEXT_BYTES];
    const struct report *report = list->report;
    const char *unit = report_asked_unit(report);
    struct answer_section functions = {
        .table = &functions_table, .context = list, .has = report_has_base(report)};
    struct answer_section rows = {&rows_table, list, 0, report->unit, unit ? unit : "minimum"};
    answer_say(answer, "Total: %s", graph_value(total, report->whole, report, "minimum"));
    report_say_samples(answer, report);
    report_head(answer, report);
    put_routines(answer, &functions, put_function);
    put_routines(answer, &rows, put_rows);
}

enum report_outcome list_put(struct answer *answer, const struct report *report)
{
    struct list list;
    if (!list_init(&list, report))
        return REPORT_UNFINISHED;
    bool is_missed = list.count == 0 || report_gave_up(list.report);
    if (!is_missed)
        put_list(answer, &list);
    list_release(&list);
    return is_missed ? REPORT_MISSED : REPORT_SAID;
}
