/* heaptap diff: what changed between two traces or profiles. */
#include <stdlib.h>
#include <string.h>

#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/diff_picture.h"
#include "cli/parse.h"
#include "cli/report_output.h"
#include "cli/store_input.h"

enum {
    OPTION_NORMALIZE = 1000,
    OPTION_GRAPH,
    OPTION_FLAMEGRAPH,
};

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0, "Write a picture to FILE; - for standard output, the default", 0},
    {"normalize", OPTION_NORMALIZE, NULL, 0,
     "Scale NEW so that both have the same total: shares are compared, not amounts", 0},
    {"graph", OPTION_GRAPH, NULL, 0,
     "Draw the calls as `heaptap graph` does, red for more and green for less: text for Graphviz, "
     "or "
     "a picture where FILE ends with .svg or .png",
     0},
    {"flamegraph", OPTION_FLAMEGRAPH, NULL, 0,
     "Draw a flame graph as SVG, as wide as the larger of both, red for more and green for less",
     0},
    {0},
};

static error_t take_argument(struct diff_options *options, const char *argument)
{
    const char **last = options->other ? &options->other : &options->report.path;
    if (!options->report.path)
        options->report.path = argument;
    else if (store_input_takes(*last, argument))
        *last = store_input_with(*last, argument);
    else if (!options->other)
        options->other = argument;
    else
        return ARGP_ERR_UNKNOWN; /* a clause: the child's */
    return 0;
}

static void set_picture(struct diff_options *options, enum picture picture,
                        struct argp_state *state)
{
    if (options->picture != NO_PICTURE && options->picture != picture)
        argp_error(state, "one picture at a time");
    options->picture = picture;
}

static void finish(const struct diff_options *options, struct argp_state *state)
{
    if (!options->report.path || !options->other)
        argp_error(state, "which two? Name the base, then the new one");
    if (options->picture != NO_PICTURE && options->report.format != REPORT_TEXT)
        argp_error(state, "one format at a time");
    if (options->picture == NO_PICTURE && options->output)
        argp_error(state, "--output is for --graph and --flamegraph");
    if (options->picture == NO_PICTURE && options->report.node_fraction_given)
        argp_error(state, "--node-fraction is for --graph and --flamegraph");
    if (options->picture != PICTURE_GRAPH && options->report.edge_fraction_given)
        argp_error(state, "--edge-fraction is for --graph");
    if (options->picture == PICTURE_FLAMES &&
        (options->report.by_cum || options->report.node_count >= 0))
        argp_error(state, "a flame graph has no order and no number of functions: --cum and "
                          "--node-count are for the table and --graph");
    if (options->report.path && options->other && strcmp(options->report.path, "-") == 0 &&
        strcmp(options->other, "-") == 0)
        argp_error(state, "standard input can be one of the two, not both");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct diff_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = state->child_inputs[2] =
            state->child_inputs[3] = &options->report;
        return 0;
    case 'o':
        options->output = argument;
        return 0;
    case OPTION_NORMALIZE:
        options->normalize = true;
        return 0;
    case OPTION_GRAPH:
    case OPTION_FLAMEGRAPH:
        set_picture(options, key == OPTION_GRAPH ? PICTURE_GRAPH : PICTURE_FLAMES, state);
        return 0;
    case ARGP_KEY_ARG:
        return take_argument(options, argument);
    case ARGP_KEY_END:
        finish(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&report_argp, 0, NULL, 0},
                                             {&report_nodes_argp, 0, NULL, 0},
                                             {&report_names_argp, 0, NULL, 0},
                                             {&report_markdown_argp, 0, NULL, 0},
                                             {0}};

static const struct argp argp = {
    option_table,
    parse,
    "BASE NEW [CLAUSE...]",
    "Lists the functions whose own values differ most between two traces, or two pprof profiles: "
    "what was added, has gone, grown or shrunk.\v"
    "Percentages are of the total of BASE. Clauses filter both.",
    children,
    0,
    0};

/* ---- The command ----------------------------------------------------------------------- */

static int fail_memory(void)
{
    cli_warn("out of memory");
    return CLI_FAILED;
}

static double total_of(const struct report *report)
{
    return report_value(report, &report->selection.profile.total);
}

static bool is_sampled(const struct report *report)
{
    return report->weight != WEIGHT_VALUE && report->input.model->info.sample_rate < 1;
}

static struct estimate_range range_of(const struct report *report)
{
    const struct stack_profile *profile = &report->selection.profile;
    return stack_tally_range(&profile->total, &profile->estimate, report->weight);
}

static int print(const struct comparison *comparison)
{
    int status = CLI_DONE;
    if (comparison->options->picture == PICTURE_GRAPH)
        return diff_draw_graph(comparison);
    if (comparison->options->picture == PICTURE_FLAMES)
        return diff_draw_flames(comparison);
    struct answer *answer = answer_output_open(comparison->options->report.format, &status);
    return answer ? answer_output_close(answer, diff_put(answer, &comparison->diff), status)
                  : status;
}

/* The differences as a selection of their own.  False when there is no memory. */
static bool select_change(struct comparison *comparison)
{
    struct selection_options what = {.value_type = DIFFERENCE_CHANGE};
    if (filter_parse(&comparison->everything, "", NULL, NULL) != HEAPTAP_OK)
        return false;
    if (matcher_init(&comparison->matcher, comparison->model, &comparison->everything, NULL,
                     NULL) == HEAPTAP_OK) {
        if (selection_init(&comparison->change, &comparison->matcher, &comparison->everything,
                           &what))
            return true;
        matcher_release(&comparison->matcher);
    }
    filter_release(&comparison->everything);
    return false;
}

static int show(struct comparison *comparison)
{
    const struct question *want = &comparison->options->report;
    int status;
    struct difference_options how = {want->grain, want->no_inlines, want->by_cum};
    if (!difference_table_init(&comparison->diff.table, comparison->model, &how))
        return fail_memory();
    if (select_change(comparison)) {
        status = print(comparison);
        selection_release(&comparison->change);
        matcher_release(&comparison->matcher);
        filter_release(&comparison->everything);
    } else {
        status = fail_memory();
    }
    difference_table_release(&comparison->diff.table);
    return status;
}

static bool are_comparable(const struct comparison *comparison)
{
    if (strcmp(comparison->diff.unit, comparison->other.unit) == 0)
        return true;
    cli_warn("%s of %s is in %s, %s of %s in %s: they can't be compared; --sample chooses",
             comparison->diff.sample, comparison->base.input.subject, comparison->diff.unit,
             comparison->other.sample, comparison->other.input.subject, comparison->other.unit);
    return false;
}

/* A side's values go into the model of both; what they came from is not needed any more. */
static bool add(struct merging *merging, struct report *report, int type, double scale, int *status)
{
    struct difference_side side = {&report->selection, report->input.model, report->weight, scale};
    bool done = difference_add(merging, &side, type);
    report_close_model(report);
    if (!done)
        *status = fail_memory();
    return done;
}

static bool add_other(struct comparison *comparison, struct merging *merging, double base,
                      int *status)
{
    struct report *other = &comparison->other;
    if (!report_open(other, &comparison->options->other_report, status))
        return false;
    double total = total_of(other);
    comparison->diff.other_name = other->input.name;
    comparison->diff.other_is_sampled = is_sampled(other);
    comparison->diff.other_range = range_of(other);
    double scale = comparison->options->normalize && total != 0 ? base / total : 1;
    if (are_comparable(comparison))
        return add(merging, other, DIFFERENCE_NEW, scale, status);
    *status = CLI_USAGE;
    return false;
}

/* One side after the other: of two large profiles, not all is in memory at once. */
static struct model *merge(struct comparison *comparison, int *status)
{
    double base = total_of(&comparison->base);
    comparison->diff.base_is_sampled = is_sampled(&comparison->base);
    comparison->diff.base_range = range_of(&comparison->base);
    struct merging *merging = difference_begin(comparison->diff.unit);
    if (!merging) {
        *status = fail_memory();
        return NULL;
    }
    bool done = add(merging, &comparison->base, DIFFERENCE_BASE, 1, status) &&
                add_other(comparison, merging, base, status);
    struct model *model = difference_end(merging);
    if (done)
        return model;
    model_free(model);
    return NULL;
}

static int compare(struct comparison *comparison)
{
    int status = CLI_DONE;
    const struct report *base = &comparison->base;
    comparison->diff = (struct diff){.options = &comparison->options->report,
                                     .base_name = base->input.name,
                                     .filter = &base->filter,
                                     .weight = base->weight,
                                     .normalize = comparison->options->normalize};
    comparison->diff.unit = strdup(base->unit);
    comparison->diff.sample = strdup(base->sample);
    if (!comparison->diff.unit || !comparison->diff.sample)
        status = fail_memory();
    else if ((comparison->model = merge(comparison, &status)))
        status = show(comparison);
    model_free(comparison->model);
    free(comparison->diff.unit);
    free(comparison->diff.sample);
    if (status == CLI_DONE)
        status = report_status(&comparison->base);
    return status == CLI_DONE ? report_status(&comparison->other) : status;
}

int cmd_diff(int argc, char **argv)
{
    struct diff_options options = {.report = question_default()};
    struct comparison comparison = {.options = &options};
    int status = CLI_DONE;
    cli_parse(&argp, argc, argv, 0, &options);
    options.report.by_site = options.report.folds_blocks = true;
    options.other_report = options.report;
    options.other_report.path = options.other;
    if (report_open(&comparison.base, &options.report, &status)) {
        status = compare(&comparison);
        report_close(&comparison.other);
        report_close(&comparison.base);
    }
    question_release(&options.report);
    return status;
}
