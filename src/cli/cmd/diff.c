/* heaptap diff: what changed between two traces or profiles. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/diff_report.h"
#include "cli/report_output.h"

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
    if (!options->report.path)
        options->report.path = argument;
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
        state->child_inputs[0] = state->child_inputs[1] = &options->report;
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

static int print(const struct diff *diff)
{
    enum report_format format = diff->options->report.format;
    if (diff->options->picture == PICTURE_GRAPH)
        return diff_draw_graph(diff);
    if (diff->options->picture == PICTURE_FLAMES)
        return diff_draw_flames(diff);
    bool done = format == REPORT_JSON  ? diff_print_json(diff)
                : format == REPORT_CSV ? diff_print_csv(diff)
                                       : diff_print_text(diff);
    return done ? CLI_DONE : fail_memory();
}

/* The differences as a selection of their own.  False when there is no memory. */
static bool select_change(struct diff *diff)
{
    struct selection_options what = {.value_type = DIFFERENCE_CHANGE};
    if (filter_parse(&diff->everything, "", NULL, NULL) != HEAPTAP_OK)
        return false;
    if (matcher_init(&diff->matcher, diff->model, &diff->everything, NULL, NULL) == HEAPTAP_OK) {
        if (selection_init(&diff->change, &diff->matcher, &diff->everything, &what))
            return true;
        matcher_release(&diff->matcher);
    }
    filter_release(&diff->everything);
    return false;
}

static int show(struct diff *diff)
{
    const struct question *want = &diff->options->report;
    int status;
    struct difference_options how = {want->grain, want->no_inlines, want->by_cum};
    if (!difference_table_init(&diff->table, diff->model, &how))
        return fail_memory();
    if (select_change(diff)) {
        status = print(diff);
        selection_release(&diff->change);
        matcher_release(&diff->matcher);
        filter_release(&diff->everything);
    } else {
        status = fail_memory();
    }
    difference_table_release(&diff->table);
    return status;
}

static bool are_comparable(const struct diff *diff)
{
    if (strcmp(diff->unit, diff->other.unit) == 0)
        return true;
    cli_warn("%s of %s is in %s, %s of %s in %s: they can't be compared; --sample chooses",
             diff->sample, diff->base.input.subject, diff->unit, diff->other.sample,
             diff->other.input.subject, diff->other.unit);
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

static bool add_other(struct diff *diff, struct merging *merging, double base, int *status)
{
    struct report *other = &diff->other;
    if (!report_open(other, &diff->options->other_report, status))
        return false;
    double total = total_of(other);
    diff->other_is_sampled = is_sampled(other);
    diff->other_range = range_of(other);
    double scale = diff->options->normalize && total != 0 ? base / total : 1;
    if (are_comparable(diff))
        return add(merging, other, DIFFERENCE_NEW, scale, status);
    *status = CLI_USAGE;
    return false;
}

/* One side after the other: of two large profiles, not all is in memory at once. */
static struct model *merge(struct diff *diff, int *status)
{
    double base = total_of(&diff->base);
    diff->base_is_sampled = is_sampled(&diff->base);
    diff->base_range = range_of(&diff->base);
    struct merging *merging = difference_begin(diff->unit);
    if (!merging) {
        *status = fail_memory();
        return NULL;
    }
    bool done = add(merging, &diff->base, DIFFERENCE_BASE, 1, status) &&
                add_other(diff, merging, base, status);
    struct model *model = difference_end(merging);
    if (done)
        return model;
    model_free(model);
    return NULL;
}

static int compare(struct diff *diff)
{
    int status = CLI_DONE;
    diff->unit = strdup(diff->base.unit);
    diff->sample = strdup(diff->base.sample);
    if (!diff->unit || !diff->sample)
        status = fail_memory();
    else if ((diff->model = merge(diff, &status)))
        status = show(diff);
    model_free(diff->model);
    free(diff->unit);
    free(diff->sample);
    if (status == CLI_DONE)
        status = report_status(&diff->base);
    return status == CLI_DONE ? report_status(&diff->other) : status;
}

int cmd_diff(int argc, char **argv)
{
    struct diff_options options = {.report = question_default()};
    struct diff diff = {.options = &options};
    int status = CLI_DONE;
    cli_parse(&argp, argc, argv, 0, &options);
    options.report.by_site = true;
    options.other_report = options.report;
    options.other_report.path = options.other;
    if (report_open(&diff.base, &options.report, &status)) {
        status = compare(&diff);
        report_close(&diff.other);
        report_close(&diff.base);
    }
    question_release(&options.report);
    return status;
}
