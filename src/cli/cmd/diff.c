/* heaptap diff: what changed between two traces or profiles. */
#include <stdlib.h>
#include <string.h>

#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/diff_picture.h"
#include "cli/parse.h"
#include "cli/report_output.h"
#include "report/head.h"

enum { OPTION_GRAPH = 1000, OPTION_FLAMEGRAPH };

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0, "Write a picture to FILE; - for standard output, the default", 0},
    {"graph", OPTION_GRAPH, NULL, 0,
     "Draw the calls as `heaptap graph` does, red for more and green for less: text for Graphviz, "
     "or a picture where FILE ends with .svg or .png",
     0},
    {"flamegraph", OPTION_FLAMEGRAPH, NULL, 0,
     "Draw a flame graph as SVG, as wide as the larger of both, red for more and green for less",
     0},
    {0},
};

static void set_picture(struct diff_command *command, enum picture picture,
                        struct argp_state *state)
{
    if (command->picture != NO_PICTURE && command->picture != picture)
        argp_error(state, "one picture at a time");
    command->picture = picture;
}

static void finish(const struct diff_command *command, struct argp_state *state)
{
    const struct question *question = &command->question;
    if (command->picture != NO_PICTURE && question->format != REPORT_TEXT)
        argp_error(state, "one format at a time");
    if (command->picture == NO_PICTURE && command->output)
        argp_error(state, "--output is for --graph and --flamegraph");
    if (command->picture == NO_PICTURE && question->node_fraction_given)
        argp_error(state, "--node-fraction is for --graph and --flamegraph");
    if (command->picture != PICTURE_GRAPH && question->edge_fraction_given)
        argp_error(state, "--edge-fraction is for --graph");
    if (command->picture == PICTURE_FLAMES && (question->by_cum || question->node_count >= 0))
        argp_error(state, "a flame graph has no order and no number of functions: --cum and "
                          "--node-count are for the table and --graph");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct diff_command *command = state->input;
    switch (key) {
    case 'o':
        command->output = argument;
        return 0;
    case OPTION_GRAPH:
    case OPTION_FLAMEGRAPH:
        set_picture(command, key == OPTION_GRAPH ? PICTURE_GRAPH : PICTURE_FLAMES, state);
        return 0;
    case ARGP_KEY_END:
        finish(command, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp picture_argp = {option_table, parse, 0, 0, 0, 0, 0};

/* ---- The command ----------------------------------------------------------------------- */

static bool normalizes(const struct comparison *comparison)
{
    return ((const struct diff_question *)comparison->command->question.own)->normalize;
}

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
    if (comparison->command->picture == PICTURE_GRAPH)
        return diff_draw_graph(comparison);
    if (comparison->command->picture == PICTURE_FLAMES)
        return diff_draw_flames(comparison);
    struct answer *answer = answer_output_open(comparison->command->question.format, &status);
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
    const struct question *want = &comparison->command->question;
    int status;
    struct difference_options how = {want->grain, want->no_inlines, want->by_cum};
    if (!difference_table_init(&comparison->diff.table, comparison->model, &how))
        return fail_memory();
    if (diff_judge(&comparison->diff) && select_change(comparison)) {
        status = print(comparison);
        selection_release(&comparison->change);
        matcher_release(&comparison->matcher);
        filter_release(&comparison->everything);
    } else {
        status = fail_memory();
    }
    free(comparison->diff.verdicts);
    difference_table_release(&comparison->diff.table);
    return status;
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
    if (!report_open(other, &comparison->command->other_question, status))
        return false;
    double total = total_of(other);
    comparison->diff.other_name = other->input.name;
    comparison->diff.other_is_sampled = is_sampled(other);
    comparison->diff.other_range = range_of(other);
    comparison->diff.has_errors =
        comparison->base.weight != WEIGHT_VALUE && other->weight != WEIGHT_VALUE;
    double scale = normalizes(comparison) && total != 0 ? base / total : 1;
    if (report_have_one_unit(&comparison->base, other))
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
    if (done && !model)
        *status = fail_memory();
    if (done)
        return model;
    model_free(model);
    return NULL;
}

/* The base's model goes ahead of the rest: its names are copies. */
static struct model *merge_kept(struct comparison *comparison, int *status)
{
    comparison->base.unit = comparison->diff.unit;
    comparison->base.sample = comparison->diff.sample;
    return merge(comparison, status);
}

static int compare(struct comparison *comparison)
{
    int status = CLI_DONE;
    const struct report *base = &comparison->base;
    comparison->diff = (struct diff){.options = &comparison->command->question,
                                     .base_name = base->input.name,
                                     .filter = &base->filter,
                                     .weight = base->weight,
                                     .normalize = normalizes(comparison)};
    comparison->diff.unit = strdup(base->unit);
    comparison->diff.sample = strdup(base->sample);
    if (!comparison->diff.unit || !comparison->diff.sample)
        status = fail_memory();
    else if ((comparison->model = merge_kept(comparison, &status))) {
        const struct report *other = &comparison->other;
        comparison->diff.other_hidden = other->selection.hidden;
        comparison->diff.other_hidden_share =
            report_hidden_share(&other->selection.hidden, &other->selection.profile, other->weight);
        status = show(comparison);
    }
    model_free(comparison->model);
    free(comparison->diff.unit);
    free(comparison->diff.sample);
    if (status == CLI_DONE)
        status = report_status(&comparison->base);
    return status == CLI_DONE ? report_status(&comparison->other) : status;
}

int cmd_diff(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("diff");
    struct diff_command command = {.question = question_of(entry)};
    struct comparison comparison = {.command = &command};
    int status = CLI_DONE;
    cli_parse(report_entry_argp(entry, &picture_argp, &command), argc, argv, 0, &command.question);
    command.other_question = command.question;
    command.other_question.path = command.question.other;
    if (report_open(&comparison.base, &command.question, &status)) {
        status = compare(&comparison);
        report_close(&comparison.other);
        report_close(&comparison.base);
    }
    question_release(&command.question);
    return status;
}
