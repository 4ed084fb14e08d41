/* heaptap check: do traces keep to their budgets? */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/plain.h"
#include "base/units.h"
#include "cli/budget_list.h"
#include "profile/range_text.h"
#include "render/charset.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "cli/suppressions.h"

struct options {
    struct suppressions suppressions;
    struct question report; /* its path is the first file's */
    const char **files;
    size_t file_count, file_capacity;
    const char *limits[BUDGET_MEASURES]; /* NULL for none */
    const char *budgets, *base, *growth; /* NULL for none */
    bool json, strict, verbose;
};

enum {
    OPTION_LIMIT = 1000,
    OPTION_BUDGETS = OPTION_LIMIT + BUDGET_MEASURES,
    OPTION_BASE,
    OPTION_GROWTH,
    OPTION_STRICT,
    OPTION_JSON
};

static const struct argp_option option_table[] = {
    {"max-peak", OPTION_LIMIT + BUDGET_PEAK, "LIMIT", 0,
     "The most bytes that may be alive at once: 100MB; or +5%, of the base's", 0},
    {"max-allocated", OPTION_LIMIT + BUDGET_ALLOCATED, "LIMIT", 0,
     "The most bytes that may be allocated", 0},
    {"max-live-at-end", OPTION_LIMIT + BUDGET_LIVE_AT_END, "LIMIT", 0,
     "The most bytes that may be left at the end", 0},
    {"max-objects", OPTION_LIMIT + BUDGET_OBJECTS, "LIMIT", 0,
     "The most objects that may be allocated", 0},
    {"max-growth", OPTION_GROWTH, "PART", 0,
     "All of these may be larger than the base's by so much: 5%", 0},
    {"base", OPTION_BASE, "FILE", 0, "What growth is over", 0},
    {"budgets", OPTION_BUDGETS, "FILE", 0,
     "Budgets, a line each: `allocated where focus=parse_json <= 20 MB`", 0},
    {"strict", OPTION_STRICT, NULL, 0,
     "An estimate over its limit breaks the budget, however uncertain it is", 0},
    {"verbose", 'v', NULL, 0, "Also tell which budgets hold", 0},
    {"json", OPTION_JSON, NULL, 0, "Print JSON", 0},
    {0},
};

/* ---- Options ------------------------------------------------------------------------- */

static error_t take_argument(struct options *options, const char *argument,
                             struct argp_state *state)
{
    if (options->file_count > 0 && strpbrk(argument, "=<>"))
        return ARGP_ERR_UNKNOWN; /* a clause: the child's */
    if (!ARRAY_RESERVE(&options->files, &options->file_capacity, options->file_count + 1))
        argp_failure(state, CLI_FAILED, 0, "out of memory");
    options->files[options->file_count++] = argument;
    options->report.path = options->files[0];
    return 0;
}

static void finish(const struct options *options, struct argp_state *state)
{
    bool has_limit = options->budgets || options->growth;
    for (int i = 0; i < BUDGET_MEASURES; i++)
        has_limit |= options->limits[i] != NULL;
    if (options->file_count > 0 && !has_limit)
        argp_error(state, "what should hold? --max-peak and its like say it, or a file of "
                          "--budgets");
    if (options->growth && !options->base)
        argp_error(state, "growth over what? --base FILE says it");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->report;
        state->child_inputs[1] = &options->suppressions;
        return 0;
    case OPTION_BUDGETS:
        options->budgets = argument;
        return 0;
    case OPTION_BASE:
        options->base = argument;
        return 0;
    case OPTION_GROWTH:
        options->growth = argument;
        return 0;
    case OPTION_STRICT:
        options->strict = true;
        return 0;
    case OPTION_JSON:
        options->json = true;
        return 0;
    case 'v':
        options->verbose = true;
        return 0;
    case ARGP_KEY_ARG:
        return take_argument(options, argument, state);
    case ARGP_KEY_END:
        finish(options, state);
        return 0;
    default:
        if (key < OPTION_LIMIT || key >= OPTION_LIMIT + BUDGET_MEASURES)
            return ARGP_ERR_UNKNOWN;
        options->limits[key - OPTION_LIMIT] = argument;
        return 0;
    }
}

static const struct argp_child children[] = {
    {&report_filter_argp, 0, NULL, 0}, {&suppressions_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    option_table,
    parse,
    "FILE... [CLAUSE...]",
    "Checks that what FILE allocates keeps to its budgets, and names the sites that break them.\v"
    "Exits with 0 where all budgets hold, with 1 where one is broken. An estimate from samples "
    "breaks "
    "its budget where it is over the limit with 95 % certainty.",
    children,
    0,
    0};

static bool fail_limit(const char *option, const char *text, int *status)
{
    cli_warn("--%s takes %s, not '%s'", option,
             strcmp(option, "max-growth") == 0    ? "a part such as 5%"
             : strcmp(option, "max-objects") == 0 ? "a number, or a growth such as +5%"
                                                  : "a size such as 20MB, or a growth such as +5%",
             text);
    *status = CLI_USAGE;
    return false;
}

static bool add_limit(struct budget_list *list, const struct options *options,
                      enum budget_measure measure, int *status)
{
    struct budget budget = {.measure = measure};
    char option[32];
    snprintf(option, sizeof option, "max-%s", budget_measure_name(measure));
    if (!budget_parse_limit(&budget, options->limits[measure]))
        return fail_limit(option, options->limits[measure], status);
    return budget_list_add(list, &budget, &options->report.filter, "", status);
}

/* A profile has no peak.  In a heap with a garbage collector, what is live is what it has not collected yet, be it needed
 * or not: peak and end move by megabytes with its timing. */
static bool is_comparable(const struct model *base, enum budget_measure measure)
{
    bool is_live = measure == BUDGET_PEAK || measure == BUDGET_LIVE_AT_END;
    return base->kind == MODEL_OBJECTS ? !(is_live && base->is_collected) : measure != BUDGET_PEAK;
}

static bool add_growth(struct budget_list *list, const struct options *options,
                       const struct model *base, int *status)
{
    struct budget budget = {0};
    char text[64];
    snprintf(text, sizeof text, "%s%.60s", *options->growth == '+' ? "" : "+", options->growth);
    if (!budget_parse_limit(&budget, text))
        return fail_limit("max-growth", options->growth, status);
    for (int i = 0; i < BUDGET_MEASURES; i++) {
        budget.measure = (enum budget_measure)i;
        if (is_comparable(base, budget.measure) &&
            !budget_list_add(list, &budget, &options->report.filter, "", status))
            return false;
    }
    return true;
}

static bool fill_list(struct budget_list *list, const struct options *options,
                      const struct model *base, int *status)
{
    for (int i = 0; i < BUDGET_MEASURES; i++)
        if (options->limits[i] && !add_limit(list, options, (enum budget_measure)i, status))
            return false;
    if (options->growth && !add_growth(list, options, base, status))
        return false;
    if (options->budgets &&
        !budget_list_read(list, options->budgets, &options->report.filter, status))
        return false;
    for (size_t i = 0; i < list->count && !base; i++)
        if (list->items[i].is_growth) {
            cli_warn("growth over what? --base FILE says it");
            *status = CLI_USAGE;
            return false;
        }
    return true;
}

/* ---- One budget ---------------------------------------------------------------------- */

enum verdict { HOLDS, PERHAPS_BROKEN, BROKEN };

static const char *const verdict_names[] = {"holds", "uncertain", "broken"};

struct outcome {
    const struct budget *budget;
    const char *file;
    struct budget_figure figure, base;
    double limit;               /* in the figure's unit */
    struct estimate_range over; /* of figure less limit */
    enum verdict verdict;
    struct call_graph sites; /* of a budget that doesn't surely hold */
};

static bool measure(struct budget_figure *figure, const struct model *model, const char *file,
                    const struct budget *budget, int *status)
{
    struct heaptap_error error;
    size_t length;
    if (budget_measure(figure, model, &budget->filter, budget->measure, &length, &error) ==
        HEAPTAP_OK)
        return true;
    *status =
        length > 0 ? report_fail_filter(&budget->filter, &error, length) : cli_fail(file, &error);
    return false;
}

static void judge(struct outcome *outcome, bool is_strict)
{
    const struct budget *budget = outcome->budget;
    const struct budget_figure *figure = &outcome->figure, *base = &outcome->base;
    double allowed = 1 + budget->limit;
    outcome->limit = budget->is_growth ? allowed * base->value : budget->limit;
    outcome->over = estimate_difference_range(
        figure->value, &figure->range, budget->is_growth ? allowed : 0, base->value, &base->range);
    if (!budget->is_growth)
        outcome->over.low -= budget->limit;
    double over = figure->value - outcome->limit;
    outcome->verdict = over <= 0                            ? HOLDS
                       : is_strict || outcome->over.low > 0 ? BROKEN
                                                            : PERHAPS_BROKEN;
}

static const char *amount(char *text, enum budget_measure measure, double value)
{
    return measure == BUDGET_OBJECTS ? units_count(text, value) : units_bytes(text, value);
}

/* Two amounts that differ: in digits enough to see that, or else whole. */
static void put_amounts(char *value, char *limit, const struct outcome *outcome)
{
    enum budget_measure measure = outcome->budget->measure;
    double figure = outcome->figure.value;
    const char *unit = measure == BUDGET_OBJECTS ? "" : " B";
    amount(value, measure, figure);
    amount(limit, measure, outcome->limit);
    if (strcmp(value, limit) != 0 || figure == outcome->limit)
        return;
    int decimals = round(figure) == round(outcome->limit) ? 3 : 0;
    snprintf(value, UNITS_TEXT_BYTES, "%.*f%s", decimals, figure, unit);
    snprintf(limit, UNITS_TEXT_BYTES, "%.*f%s", decimals, outcome->limit, unit);
}

static void print_line(const struct outcome *outcome)
{
    static const char *const said[] = {"keeps to", "is perhaps over", "is over"};
    const struct budget *budget = outcome->budget;
    char value[UNITS_TEXT_BYTES], limit[UNITS_TEXT_BYTES], range[RANGE_TEXT_BYTES];
    put_amounts(value, limit, outcome);
    printf("%s: %s %s", plain(outcome->file), budget_measure_name(budget->measure), value);
    fputs(range_text(range, &outcome->figure.range,
                     budget->measure == BUDGET_OBJECTS ? units_count : units_bytes),
          stdout);
    printf(" %s %s", said[outcome->verdict], limit);
    if (budget->is_growth)
        printf(" (base %s, +%g %%)", amount(value, budget->measure, outcome->base.value),
               100 * budget->limit);
    if (*budget->filter.text)
        printf(", where %s", plain(budget->filter.text));
    for (size_t i = 0; i < outcome->sites.count && outcome->sites.nodes[i].flat > 0; i++)
        printf("%s %s %s", i == 0 ? ":" : ",",
               amount(value, budget->measure, outcome->sites.nodes[i].flat),
               plain(outcome->sites.nodes[i].name));
    putchar('\n');
}

static void put_json(struct json *json, const struct outcome *outcome)
{
    const struct budget *budget = outcome->budget;
    json_object(json);
    json_put_string(json, "file", outcome->file);
    json_put_string(json, "measure", budget_measure_name(budget->measure));
    json_put_string(json, "unit", budget->measure == BUDGET_OBJECTS ? "count" : "bytes");
    json_put_string(json, "filter", budget->filter.text);
    json_put_string(json, "verdict", verdict_names[outcome->verdict]);
    json_put_double(json, "measured", outcome->figure.value);
    json_put_double(json, "limit", outcome->limit);
    json_put_double(json, "uncertainty", (outcome->over.high - outcome->over.low) / 2);
    json_put_double(json, "low", outcome->figure.range.low);
    json_put_double(json, "high", outcome->figure.range.high);
    json_put_double(json, "samples", outcome->figure.samples);
    if (budget->is_growth) {
        json_put_double(json, "base", outcome->base.value);
        json_put_double(json, "growth_allowed", budget->limit);
    }
    json_key(json, "sites");
    json_array(json);
    for (size_t i = 0; i < outcome->sites.count && outcome->sites.nodes[i].flat > 0; i++) {
        json_object(json);
        json_put_string(json, "name", outcome->sites.nodes[i].name);
        json_put_double(json, "value", outcome->sites.nodes[i].flat);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

/* ---- All of them --------------------------------------------------------------------- */

struct checking {
    const struct options *options;
    const struct model *base; /* NULL for none */
    struct json json;
    size_t broken;
};

static bool measure_both(struct outcome *outcome, const struct checking *checking,
                         const struct model_input *input, int *status)
{
    const struct budget *budget = outcome->budget;
    if (!measure(&outcome->figure, input->model, trace_input_subject(&input->trace), budget,
                 status))
        return false;
    if (outcome->figure.is_empty) /* its function has another name now, perhaps */
        report_note_empty(trace_input_subject(&input->trace));
    return !budget->is_growth ||
           measure(&outcome->base, checking->base, checking->options->base, budget, status);
}

static bool check_budget(struct checking *checking, const struct model_input *input,
                         const struct budget *budget, int *status)
{
    struct outcome outcome = {.budget = budget, .file = trace_input_name(&input->trace)};
    if (!measure_both(&outcome, checking, input, status))
        return false;
    judge(&outcome, checking->options->strict);
    if (outcome.verdict != HOLDS && !budget_sites(&outcome.sites, &outcome.figure, input->model,
                                                  &budget->filter, budget->measure))
        return cli_fail_memory(status);
    checking->broken += outcome.verdict == BROKEN;
    if (checking->options->json)
        put_json(&checking->json, &outcome);
    else if (outcome.verdict != HOLDS || checking->options->verbose)
        print_line(&outcome);
    if (outcome.verdict != HOLDS)
        call_graph_release(&outcome.sites);
    return true;
}

/* The worst status, so that what is wrong with one file doesn't hide behind another. */
static void worsen(int *status, int other)
{
    *status = other > *status ? other : *status;
}

static void sum_suppressed(const struct checking *checking, const struct model_input *input,
                           double *suppressed, int *status)
{
    const struct suppressions *suppressions = &checking->options->suppressions;
    struct selection_options what = {.value_type = input->model->samples.default_type};
    enum stack_weight weight = input->model->kind == MODEL_OBJECTS ? WEIGHT_BYTES : WEIGHT_VALUE;
    struct stack_tally sum;
    if (!suppressions_sum(suppressions, input->model, &what, &sum, status))
        return;
    suppressions_tell(suppressions, trace_input_subject(&input->trace), input->model, &what, weight,
                      &sum);
    *suppressed = stack_tally_weight(&sum, &input->model->estimate, weight);
}

/* `*suppressed` is set where that has been summed up. */
static void check_file(struct checking *checking, const char *path, const struct budget_list *list,
                       double *suppressed, int *status)
{
    struct model_input input;
    int met = CLI_DONE;
    bool is_open = model_input_open(&input, path);
    worsen(status, input.trace.exit_status);
    if (!is_open)
        return;
    for (size_t i = 0; i < list->count && met == CLI_DONE; i++)
        check_budget(checking, &input, &list->items[i], &met);
    if (met == CLI_DONE)
        sum_suppressed(checking, &input, suppressed, &met);
    worsen(status, met);
    model_input_close(&input);
}

/* Allocated bytes, or of profiles the values of their default type. */
static void put_suppressed(struct json *json, const struct options *options,
                           const double *suppressed)
{
    json_key(json, "suppressed");
    json_array(json);
    for (size_t i = 0; i < options->file_count; i++) {
        json_object(json);
        json_put_string(json, "file", options->files[i]);
        json_put_uint(json, "patterns", options->suppressions.count);
        json_put_double(json, "value", suppressed[i]); /* null where the file could not be read */
        json_end(json);
    }
    json_end(json);
}

static void begin_json(struct checking *checking)
{
    json_init(&checking->json, stdout);
    json_object(&checking->json);
    json_key(&checking->json, "budgets");
    json_array(&checking->json);
}

static void end_json(struct checking *checking, const double *suppressed)
{
    json_end(&checking->json);
    if (checking->options->suppressions.path)
        put_suppressed(&checking->json, checking->options, suppressed);
    json_put_uint(&checking->json, "broken", checking->broken);
    json_end(&checking->json);
}

static int check_files(struct checking *checking, const struct budget_list *list)
{
    const struct options *options = checking->options;
    double *suppressed = calloc(options->file_count + 1, sizeof *suppressed);
    int status = CLI_DONE;
    if (!suppressed) {
        cli_fail_memory(&status);
        return status;
    }
    if (options->json)
        begin_json(checking);
    for (size_t i = 0; i < options->file_count; i++) {
        suppressed[i] = NAN;
        check_file(checking, options->files[i], list, &suppressed[i], &status);
    }
    if (options->json)
        end_json(checking, suppressed);
    free(suppressed);
    return status != CLI_DONE ? status : checking->broken > 0 ? CLI_FOUND : CLI_DONE;
}

static int run(const struct options *options)
{
    struct model_input base = {0};
    struct budget_list list = {0};
    int status = CLI_DONE;
    if (options->base && !model_input_open(&base, options->base))
        return base.trace.exit_status;
    if (fill_list(&list, options, base.model, &status)) {
        struct checking checking = {.options = options, .base = base.model};
        status = check_files(&checking, &list);
    }
    budget_list_release(&list);
    model_input_close(&base);
    return status != CLI_DONE && status != CLI_FOUND ? status
           : base.trace.exit_status != CLI_DONE      ? base.trace.exit_status
                                                     : status;
}

int cmd_check(int argc, char **argv)
{
    struct options options = {.report = question_default()};
    cli_parse(&argp, argc, argv, 0, &options);
    int status;
    if (suppressions_add(&options.suppressions, &options.report.filter, &status))
        status = run(&options);
    suppressions_release(&options.suppressions);
    question_release(&options.report);
    free(options.files);
    return status;
}
