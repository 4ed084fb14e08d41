/* heaptap traces: every stack with what it allocates. */
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "report/traces.h"

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
        for (int i = 0; i < 5; i++)
            state->child_inputs[i] = &options->report;
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
    {&report_argp, 0, NULL, 0},       {&report_unit_argp, 0, NULL, 0},
    {&report_names_argp, 0, NULL, 0}, {&report_markdown_argp, 0, NULL, 0},
    {&report_mean_argp, 0, NULL, 0},  {0}};

static const struct argp argp = {
    option_table,
    parse,
    "TRACE [CLAUSE...]",
    "Lists the stacks of TRACE, or of a pprof profile, each with its value, the heaviest first.\v"
    "Stacks begin with the function that allocates.",
    children,
    0,
    0};

static int show(const struct report *report, bool by_labels)
{
    struct traces_question question = {report, by_labels};
    if (!by_labels || report->input.model->kind != MODEL_OBJECTS)
        return answer_output_put(report, traces_put, &question);
    cli_warn("%s: this is a trace; only pprof profiles have labels", report->input.subject);
    return CLI_USAGE;
}

int cmd_traces(int argc, char **argv)
{
    struct options options = {.report = question_many()};
    struct report report;
    int status = CLI_DONE;
    cli_parse(&argp, argc, argv, 0, &options);
    if (report_open(&report, &options.report, &status)) {
        status = show(&report, options.by_labels);
        report_close(&report);
    }
    question_release(&options.report);
    return status;
}
