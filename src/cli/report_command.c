#include "cli/report_command.h"

#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "cli/report_output.h"

enum { PARSERS_MAX = 8 };

static size_t parser_count; /* argp doesn't say how many children the parser has */

static error_t pass_on(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    for (size_t i = 0; i < parser_count; i++)
        state->child_inputs[i] = state->input;
    return 0;
}

static void parse(const struct report_entry *entry, int argc, char **argv,
                  struct question *question)
{
    struct argp_child children[PARSERS_MAX + 1] = {{0}};
    struct argp argp = {NULL, pass_on, "TRACE [CLAUSE...]", entry->about, children, 0, 0};
    size_t count = 0;
    children[count++].argp =
        entry->traits & REPORT_ONLY_FILTER ? &report_filter_argp : &report_argp;
    if (entry->traits & REPORT_ONLY_FILTER)
        children[count++].argp = &report_format_argp;
    if (entry->traits & REPORT_TAKES_NODES)
        children[count++].argp = &report_nodes_argp;
    if (entry->traits & REPORT_TAKES_COUNT)
        children[count++].argp = &report_count_argp;
    if (entry->traits & REPORT_TAKES_UNITS) {
        children[count++].argp = &report_unit_argp;
        children[count++].argp = &report_relative_argp;
        children[count++].argp = &report_mean_argp;
    }
    children[count++].argp = &report_markdown_argp;
    children[count++].argp = &report_names_argp;
    parser_count = count;
    cli_parse(&argp, argc, argv, 0, question);
}

static int answer_it(const struct report_entry *entry, const struct report *report)
{
    int status = CLI_BAD_INPUT;
    if (entry->traits & REPORT_NEEDS_BLOCKS && !report_needs_objects(report))
        return status;
    struct answer *answer = answer_output_open(report->options->format, &status);
    return answer ? answer_output_close(answer, entry->put(answer, report), report_status(report))
                  : status;
}

int report_command_run(const struct report_entry *entry, int argc, char **argv)
{
    struct question question =
        entry->traits & REPORT_NEEDS_BLOCKS ? question_default() : question_many();
    struct report report;
    int status;
    question.folds_blocks |= (entry->traits & REPORT_FOLDS_BLOCKS) != 0;
    parse(entry, argc, argv, &question);
    if (report_open(&report, &question, &status)) {
        status = answer_it(entry, &report);
        report_close(&report);
    }
    question_release(&question);
    return status;
}
