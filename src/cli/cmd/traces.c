/* heaptap traces: every stack with what it allocates. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/tags.h"
#include "base/array.h"
#include "base/measure.h"
#include "base/plain.h"
#include "cli/cli.h"
#include "cli/graph_text.h"
#include "export/csv.h"

static const char separator[] =
    "-----------+-------------------------------------------------------";

/* What is needed to print stacks. */
struct printer {
    const struct report *report;
    struct symbols symbols;
    struct frame_symbols frames;
    struct names names;
    const char **name_of; /* by symbol, NULL until it is first printed */
    size_t name_count;
    bool by_labels;  /* samples with different labels apart */
    uint32_t *order; /* stacks, the heaviest first; or rows of samples, in the file's order */
    size_t count;
    struct line {
        uint32_t symbol;
        bool is_inlined;
    } * lines; /* of a stack, the innermost first */
    size_t line_count, line_capacity;
    struct json json;
    struct csv csv;
};

/* ---- Stacks -------------------------------------------------------------------------- */

static double weight_of(const struct report *report, uint32_t stack)
{
    return report_value(report, &report->selection.profile.tallies[stack]);
}

static int compare(const void *left, const void *right, void *context)
{
    const struct report *report = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    double x = fabs(weight_of(report, a)), y = fabs(weight_of(report, b));
    return x != y ? (x > y ? -1 : 1) : a < b ? -1 : a > b;
}

static bool order_stacks(struct printer *printer)
{
    const struct report *report = printer->report;
    size_t stacks = report->selection.profile.trie.stack_count;
    printer->order = malloc((stacks + 1) * sizeof *printer->order);
    for (uint32_t i = 0; printer->order && i < stacks; i++)
        if (weight_of(report, i) != 0)
            printer->order[printer->count++] = i;
    if (printer->count > 1)
        qsort_r(printer->order, printer->count, sizeof *printer->order, compare, (void *)report);
    long most = report->options->node_count;
    if (most > 0 && (size_t)most < printer->count)
        printer->count = (size_t)most;
    return printer->order;
}

static bool walk(struct printer *printer, uint32_t stack)
{
    const struct stack_trie *trie = &printer->report->selection.profile.trie;
    printer->line_count = 0;
    for (uint32_t node = trie->ends[stack]; node != STACK_ROOT; node = trie->nodes[node].parent) {
        size_t count;
        const uint32_t *symbols =
            frame_symbols_of(&printer->frames, trie->nodes[node].frame, &count);
        if (!symbols ||
            !ARRAY_RESERVE(&printer->lines, &printer->line_capacity, printer->line_count + count))
            return false;
        for (size_t i = count; i-- > 0;)
            printer->lines[printer->line_count++] = (struct line){symbols[i], i > 0};
    }
    return true;
}

/* The rows that pass, instead of stacks. */
static bool order_rows(struct printer *printer)
{
    const struct report *report = printer->report;
    const struct model_samples *samples = &report->input.model->samples;
    printer->order = malloc((samples->count + 1) * sizeof *printer->order);
    for (uint32_t i = 0; printer->order && i < samples->count; i++)
        if (matcher_sample(&report->matcher, i) &&
            selection_stack(&report->selection, samples->stack[i]) != STACK_NONE)
            printer->order[printer->count++] = i;
    return printer->order;
}

/* ---- Labels -------------------------------------------------------------------------- */

static int compare_keys(const void *left, const void *right)
{
    const struct model_label *a = left, *b = right;
    int order = !a->text != !b->text ? (a->text ? -1 : 1) : strcmp(a->key, b->key);
    return order;
}

/* The labels of a row, texts before numbers, by their keys; malloc'ed. */
static struct model_label *labels_of(const struct printer *printer, uint32_t row, size_t *count)
{
    const struct model_samples *samples = &printer->report->input.model->samples;
    const struct model_label_set *set = &samples->sets[samples->labels[row]];
    struct model_label *labels = malloc((set->count + 1) * sizeof *labels);
    *count = labels ? set->count : 0;
    for (size_t i = 0; i < *count; i++)
        labels[i] = samples->label[set->first + i];
    if (*count > 1)
        qsort(labels, *count, sizeof *labels, compare_keys);
    return labels;
}

static bool print_labels(struct printer *printer, uint32_t row)
{
    char text[MEASURE_TEXT_BYTES];
    size_t count;
    struct model_label *labels = labels_of(printer, row, &count);
    for (size_t i = 0; i < count; i++) {
        const char *value = labels[i].text;
        if (!value)
            value = measure_text(text, (double)labels[i].number,
                                 *labels[i].unit ? labels[i].unit : tags_unit_of_key(labels[i].key),
                                 "auto");
        if (i > 0 && strcmp(labels[i].key, labels[i - 1].key) == 0)
            printf(" %s", plain(value));
        else
            printf("%s%10s:  %s", i > 0 ? "\n" : "", plain(labels[i].key), plain(value));
    }
    if (count > 0)
        putchar('\n');
    free(labels);
    return labels;
}

static bool put_labels(struct printer *printer, uint32_t row)
{
    struct json *json = &printer->json;
    size_t count;
    struct model_label *labels = labels_of(printer, row, &count);
    json_key(json, "labels");
    json_array(json);
    for (size_t i = 0; i < count; i++) {
        json_object(json);
        json_put_string(json, "key", labels[i].key);
        if (labels[i].text)
            json_put_string(json, "text", labels[i].text);
        else
            json_put_int(json, "number", labels[i].number);
        if (!labels[i].text && *labels[i].unit)
            json_put_string(json, "unit", labels[i].unit);
        json_end(json);
    }
    json_end(json);
    free(labels);
    return labels;
}

/* The name of a line's function; NULL when there is no memory. */
static const char *name_of(struct printer *printer, const struct line *line)
{
    size_t known = printer->name_count;
    if (line->symbol >= known) {
        if (!ARRAY_RESERVE(&printer->name_of, &printer->name_count, printer->symbols.count))
            return NULL;
        memset(printer->name_of + known, 0,
               (printer->name_count - known) * sizeof *printer->name_of);
    }
    const char **name = &printer->name_of[line->symbol];
    if (!*name)
        *name = call_graph_name(&printer->names, &printer->symbols.items[line->symbol]);
    return *name;
}

/* ---- Output -------------------------------------------------------------------------- */

/* `row` is that of the labels, or MODEL_NONE; here and below. */
static bool print_text(struct printer *printer, double value, uint32_t row)
{
    char text[MEASURE_TEXT_BYTES];
    if (printer->line_count == 0)
        return true;
    puts(separator);
    if (row != MODEL_NONE && !print_labels(printer, row))
        return false;
    graph_value(text, value, printer->report, "minimum");
    for (size_t i = 0; i < printer->line_count; i++) {
        const char *name = name_of(printer, &printer->lines[i]);
        if (!name)
            return false;
        if (i == 0)
            printf("%10s   ", text);
        else
            fputs_unlocked("             ", stdout);
        fputs_unlocked(plain(name), stdout);
        fputs_unlocked(printer->lines[i].is_inlined ? " (inline)\n" : "\n", stdout);
    }
    return true;
}

static bool put_json(struct printer *printer, double value, uint32_t row)
{
    struct json *json = &printer->json;
    json_object(json);
    json_put_double(json, "value", value);
    if (row != MODEL_NONE && !put_labels(printer, row))
        return false;
    json_key(json, "stack");
    json_array(json);
    for (size_t i = 0; i < printer->line_count; i++) {
        const struct symbol *symbol = &printer->symbols.items[printer->lines[i].symbol];
        const char *name = name_of(printer, &printer->lines[i]);
        if (!name)
            return false;
        json_object(json);
        graph_put_symbol(json, name, symbol);
        if (printer->lines[i].is_inlined)
            json_put_bool(json, "inlined", true);
        json_end(json);
    }
    json_end(json);
    json_end(json);
    return true;
}

/* One row a stack: its value, and its functions from the caller on, with semicolons between. */
static bool put_csv(struct printer *printer, double value)
{
    struct text text = {0};
    for (size_t i = printer->line_count; i-- > 0;) {
        const char *name = name_of(printer, &printer->lines[i]);
        plain_put(&text, name ? name : "", CSV_STACK);
        text_put_char(&text, i > 0 ? ';' : 0);
        text.failed |= !name;
    }
    csv_double(&printer->csv, value, 3);
    csv_plain(&printer->csv, text.size > 0 && !text.failed ? text.bytes : "");
    csv_end_row(&printer->csv);
    bool done = !text.failed;
    text_release(&text);
    return done;
}

static void begin(struct printer *printer)
{
    csv_init(&printer->csv, stdout);
    json_init(&printer->json, stdout);
    if (printer->report->options->format == REPORT_TEXT)
        report_print_head(printer->report);
    if (printer->report->options->format == REPORT_CSV)
        puts("value,stack");
    if (printer->report->options->format == REPORT_JSON) {
        json_object(&printer->json);
        report_put_head(printer->report, &printer->json);
        json_key(&printer->json, "stacks");
        json_array(&printer->json);
    }
}

static void end(struct printer *printer)
{
    if (printer->report->options->format == REPORT_TEXT)
        puts(separator);
    if (printer->report->options->format == REPORT_JSON) {
        json_end(&printer->json);
        json_end(&printer->json);
    }
}

static bool print_one(struct printer *printer, uint32_t number)
{
    const struct report *report = printer->report;
    const struct model_samples *samples = &report->input.model->samples;
    uint32_t stack = number, row = MODEL_NONE;
    double value = 0;
    if (printer->by_labels) {
        row = number;
        stack = selection_stack(&report->selection, samples->stack[row]);
        value = (double)samples->values[row * samples->type_count + report->what.value_type];
    } else {
        value = weight_of(report, stack);
    }
    if (!walk(printer, stack))
        return false;
    return report->options->format == REPORT_TEXT   ? print_text(printer, value, row)
           : report->options->format == REPORT_JSON ? put_json(printer, value, row)
                                                    : put_csv(printer, value);
}

static bool print_all(struct printer *printer)
{
    bool done = printer->by_labels ? order_rows(printer) : order_stacks(printer);
    if (done)
        begin(printer);
    for (size_t i = 0; done && i < printer->count; i++)
        done = print_one(printer, printer->order[i]);
    if (done)
        end(printer);
    return done;
}

static int print(const struct report *report, bool by_labels)
{
    struct printer printer = {.report = report, .by_labels = by_labels};
    if (by_labels && report->input.model->kind == MODEL_OBJECTS) {
        cli_warn("%s: this is a trace; only pprof profiles have labels", report->input.subject);
        return CLI_USAGE;
    }
    symbols_init(&printer.symbols, report->options->grain);
    bool done = frame_symbols_init(&printer.frames, &report->selection.frames, &printer.symbols);
    printer.frames.by_module = true;
    printer.frames.no_inlines = report->options->no_inlines;
    done = done && print_all(&printer);
    frame_symbols_release(&printer.frames);
    symbols_release(&printer.symbols);
    names_release(&printer.names);
    free(printer.name_of);
    free(printer.order);
    free(printer.lines);
    if (!done)
        cli_warn("out of memory");
    return done ? report_status(report) : CLI_FAILED;
}

/* ---- The command --------------------------------------------------------------------- */

struct options {
    struct question report;
    bool by_labels;
};

enum { OPTION_LABELS = 1000 };

static const struct argp_option option_table[] = {
    {"labels", OPTION_LABELS, NULL, 0,
     "Of a pprof profile: list its samples as they stand in the file, with their labels", 0},
    {"node-count", 'n', "N", 0, "Show the N heaviest stacks; 0 for all, the default", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &options->report;
        return 0;
    case OPTION_LABELS:
        options->by_labels = true;
        return 0;
    case ARGP_KEY_END:
        if (options->by_labels && options->report.node_count >= 0)
            argp_error(state, "--labels lists all samples: it leaves no choice of the heaviest");
        return 0;
    case 'n':
        options->report.node_count = report_count(argument, "node-count", state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&report_argp, 0, NULL, 0}, {&report_unit_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    option_table,
    parse,
    "TRACE [CLAUSE...]",
    "Lists the stacks of TRACE, or of a pprof profile, each with its value, the heaviest first.\v"
    "Stacks begin with the function that allocates.",
    children,
    0,
    0};

int cmd_traces(int argc, char **argv)
{
    struct options options = {.report = question_many()};
    struct report report;
    int status = CLI_DONE;
    cli_parse(&argp, argc, argv, 0, &options);
    if (report_open(&report, &options.report, &status)) {
        status = print(&report, options.by_labels);
        report_close(&report);
    }
    question_release(&options.report);
    return status;
}
