/* heaptap compare --long: what changed between two traces or profiles. */
#include <stddef.h>

#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/diff_picture.h"
#include "cli/parse.h"
#include "cli/report_command.h"
#include "cli/report_output.h"

#define FIELD(name) offsetof(struct diff_command, name)

static const struct question_option rows[] = {
    {"output", 'o', OPTION_TEXT, 0, "FILE",
     "Write a picture to FILE; - for standard output, the default", FIELD(output)},
    {"graph", 0, OPTION_FLAG, 0, NULL,
     "Draw the calls as `heaptap graph` does, red for more and green for less: text for Graphviz, "
     "or a picture if FILE ends with .svg or .png",
     FIELD(is_graph)},
    {"flamegraph", 0, OPTION_FLAG, 0, NULL,
     "Draw a flame graph as SVG, as wide as the larger of both, red for more and green for less",
     FIELD(is_flames)},
    {.kind = OPTION_QUESTION, .parts = PART_FILES, .field = FIELD(question)},
    {0}};

static bool is_picture(const struct diff_command *command)
{
    return command->is_graph || command->is_flames;
}

static void check(struct argp_state *state)
{
    const struct diff_command *command = state->input;
    const struct question *question = &command->question;
    if (command->is_graph && command->is_flames)
        argp_error(state, "one picture at a time");
    if (is_picture(command) && question->format != REPORT_TEXT)
        argp_error(state, "one format at a time");
    if (!is_picture(command) && command->output)
        argp_error(state, "--output is for --graph and --flamegraph");
    if (!is_picture(command) && question->node_fraction_given)
        argp_error(state, "--node-fraction is for --graph and --flamegraph");
    if (!command->is_graph && question->edge_fraction_given)
        argp_error(state, "--edge-fraction is for --graph");
    if (command->is_flames && (question->by_cum || question->node_count >= 0))
        argp_error(state, "a flame graph has no order and no number of functions: --cum and "
                          "--node-count are for the table and --graph");
}

/* ---- The command ----------------------------------------------------------------------- */

/* The differences as a selection of their own, and a picture of them. */
static int draw(struct diffing *comparison)
{
    struct selection_options what = {.value_type = DIFFERENCE_CHANGE};
    int status = CLI_DONE;
    if (filter_parse(&comparison->everything, "", NULL, NULL) != HEAPTAP_OK)
        return cli_out_of_memory();
    if (matcher_init(&comparison->matcher, comparison->diff.model, &comparison->everything, NULL,
                     NULL) != HEAPTAP_OK) {
        cli_fail_memory(&status);
    } else {
        if (selection_init(&comparison->change, &comparison->matcher, &comparison->everything,
                           &what, NULL)) {
            status = comparison->command->is_graph ? diff_draw_graph(comparison)
                                                   : diff_draw_flames(comparison);
            selection_release(&comparison->change);
        } else {
            cli_fail_memory(&status);
        }
        matcher_release(&comparison->matcher);
    }
    filter_release(&comparison->everything);
    return status;
}

static int show(struct diffing *comparison)
{
    int status = CLI_DONE;
    if (is_picture(comparison->command))
        return draw(comparison);
    struct answer *answer = answer_output_open(comparison->command->question.format, &status);
    return answer ? answer_output_close(answer, diff_put(answer, &comparison->diff), status)
                  : status;
}

/* A side's values are in the diff; its model is not needed any more. */
static bool close_side(struct report *report, bool is_added, int *status)
{
    report_close_model(report);
    return is_added || cli_fail_memory(status);
}

static bool add_other(struct diffing *comparison, int *status)
{
    struct report *other = &comparison->other;
    comparison->has_other = report_open(other, &comparison->command->other_question, status);
    if (!comparison->has_other)
        return false;
    if (report_have_one_unit(&comparison->base, other))
        return close_side(other, diff_add(&comparison->diff, other), status);
    *status = CLI_USAGE;
    return false;
}

/* One side after the other: of two large profiles, not all is in memory at once. */
static int compare(struct diffing *comparison)
{
    struct diff *diff = &comparison->diff;
    struct report *base = &comparison->base;
    int status = CLI_DONE;
    bool is_added = diff_begin(diff, base);
    base->unit = diff->unit;
    base->sample = diff->sample;
    if (close_side(base, is_added, &status) && add_other(comparison, &status))
        status = diff_end(diff) ? show(comparison) : cli_out_of_memory();
    diff_release(diff);
    if (status == CLI_DONE)
        status = report_status(base);
    return status == CLI_DONE ? report_status(&comparison->other) : status;
}

int cmd_diff(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("diff");
    struct diff_command command = {.question = question_of(entry)};
    struct diffing comparison = {.command = &command};
    int status = CLI_DONE;
    const struct command_line line = report_line(entry, check);
    cli_parse(rows, &line, argc, argv, 0, &command);
    command.other_question = command.question;
    command.other_question.path = command.question.other;
    if (report_open(&comparison.base, &command.question, &status)) {
        status = compare(&comparison);
        if (comparison.has_other)
            report_close(&comparison.other);
        report_close(&comparison.base);
    }
    question_release(&command.question);
    return status;
}
