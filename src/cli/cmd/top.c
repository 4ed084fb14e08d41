/* heaptap top: functions by what they allocate, themselves and through others. */
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "report/top.h"

static error_t parse(int key, char *argument, struct argp_state *state)
{
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    for (int i = 0; i < 6; i++)
        state->child_inputs[i] = state->input;
    return 0;
}

static const struct argp_child children[] = {{&report_argp, 0, NULL, 0},
                                             {&report_nodes_argp, 0, NULL, 0},
                                             {&report_unit_argp, 0, NULL, 0},
                                             {&report_relative_argp, 0, NULL, 0},
                                             {&report_markdown_argp, 0, NULL, 0},
                                             {&report_names_argp, 0, NULL, 0},
                                             {0}};

static const struct argp argp = {
    NULL,
    parse,
    "TRACE [CLAUSE...]",
    "Lists the functions that allocate most in TRACE, or weigh most in a pprof profile.\v"
    "flat is what a function allocates itself, cum what comes through it, once per stack however "
    "often it recurs. Functions whose cum is less than half a percent are left out.",
    children,
    0,
    0};

int cmd_top(int argc, char **argv)
{
    struct question options = question_many();
    struct report report;
    int status = CLI_DONE;
    cli_parse(&argp, argc, argv, 0, &options);
    if (report_open(&report, &options, &status)) {
        struct answer *answer = answer_output_open(options.format, &status);
        if (answer)
            status = answer_output_close(answer, top_put(answer, &report), report_status(&report));
        report_close(&report);
    }
    question_release(&options);
    return status;
}
