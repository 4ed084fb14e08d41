/* heaptap advice: places worth a look, by rules. */
#include <stdio.h>
#include <stdlib.h>

#include "analyze/advice.h"
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "cli/report_output.h"
#include "report/advice.h"

enum { OPTION_RULES = 1000 };

static const struct argp_option option_table[] = {
    {"node-count", 'n', "N", 0, "Show N points at most (20); 0 for all", 0},
    {"rules", OPTION_RULES, NULL, 0, "List the rules and when they apply", 0},
    {0},
};

static int print_rules(void)
{
    for (int rule = 0; rule < ADVICE_RULES; rule++)
        printf("%-14s  %s\n", advice_rule_name((enum advice_rule)rule),
               advice_rule_condition((enum advice_rule)rule));
    return CLI_DONE;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct question *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        for (int i = 0; i < 5; i++)
            state->child_inputs[i] = options;
        return 0;
    case 'n':
        options->node_count = report_count(argument, "node-count", state);
        return 0;
    case OPTION_RULES:
        exit(print_rules());
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&report_filter_argp, 0, NULL, 0},   {&report_grain_argp, 0, NULL, 0},
    {&report_inlines_argp, 0, NULL, 0},  {&report_format_argp, 0, NULL, 0},
    {&report_markdown_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    option_table,
    parse,
    "TRACE [CLAUSE...]",
    "Names the places of TRACE to which one of a few rules applies: much that dies at once, blocks "
    "that grow, many small ones, what grows all the time, ... Each with its figures, and with what "
    "usually helps.\v"
    "--rules lists the rules with their conditions.",
    children,
    0,
    0};

static int print(const struct report *report)
{
    int status = report_status(report);
    struct answer *answer = answer_output_open(report->options->format, &status);
    return answer ? answer_output_close(answer, advice_put(answer, report), status) : status;
}

int cmd_advice(int argc, char **argv)
{
    struct question options = question_default();
    struct report report;
    int status = CLI_DONE;
    options.grain = GRAIN_LINE;
    options.by_site = true;
    cli_parse(&argp, argc, argv, 0, &options);
    if (report_open(&report, &options, &status)) {
        status = report_needs_objects(&report) ? print(&report) : CLI_BAD_INPUT;
        report_close(&report);
    }
    question_release(&options);
    return status;
}
