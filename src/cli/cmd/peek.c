/* heaptap peek: functions with their direct callers and callees. */
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "cli/report_pattern.h"
#include "report/context.h"

static error_t parse(int key, char *argument, struct argp_state *state)
{
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    for (int i = 0; i < 6; i++)
        state->child_inputs[i] = state->input;
    return 0;
}

static const struct argp_child children[] = {{&report_argp, 0, NULL, 0},
                                             {&report_unit_argp, 0, NULL, 0},
                                             {&report_relative_argp, 0, NULL, 0},
                                             {&report_names_argp, 0, NULL, 0},
                                             {&report_markdown_argp, 0, NULL, 0},
                                             {&report_mean_argp, 0, NULL, 0},
                                             {0}};

static const struct argp argp = {
    NULL,
    parse,
    "TRACE REGEX [CLAUSE...]",
    "Shows the functions of TRACE whose names match REGEX, each between those that call it and "
    "those "
    "that it calls.\v"
    "The part of a caller is what comes through it to the function, that of a callee what the "
    "function has from it; both are of the function's cum.",
    children,
    0,
    0};

static int show(const struct report *report, const struct pattern *pattern)
{
    struct context context;
    if (!context_init(&context, report, pattern))
        return cli_out_of_memory();
    int status = answer_output_put(report, context_put, &context);
    if (context.is_missed)
        status = report_pattern_missed(report->options->pattern);
    context_release(&context);
    return status;
}

int cmd_peek(int argc, char **argv)
{
    struct question options = question_many();
    struct report report;
    int status = CLI_DONE;
    options.takes_pattern = true;
    cli_parse(&argp, argc, argv, 0, &options);
    struct pattern *pattern = report_pattern(options.pattern, &status);
    if (pattern && report_open(&report, &options, &status)) {
        status = show(&report, pattern);
        report_close(&report);
    }
    pattern_free(pattern);
    question_release(&options);
    return status;
}
