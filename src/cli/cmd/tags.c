/* heaptap tags: what has which label, size, thread, ..., and what that weighs. */
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "report/tags.h"

static const struct argp_option option_table[] = {
    {"node-count", 'n', "N", 0, "Show the N heaviest of each key; 0 for all, the default", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct question *options = state->input;
    if (key == ARGP_KEY_INIT)
        for (int i = 0; i < 5; i++)
            state->child_inputs[i] = options;
    else if (key == 'n')
        options->node_count = report_count(argument, "node-count", state);
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static const struct argp_child children[] = {
    {&report_filter_argp, 0, NULL, 0},   {&report_sample_argp, 0, NULL, 0},
    {&report_unit_argp, 0, NULL, 0},     {&report_format_argp, 0, NULL, 0},
    {&report_markdown_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    option_table,
    parse,
    "TRACE [CLAUSE...]",
    "Lists the labels of a pprof profile's samples, or the sizes, sources, domains, threads and types of the blocks of "
    "TRACE, each with what it weighs.\v"
    "Shares are of what has the key. What is listed, a filter can ask for: size=24, thread=worker; tag:KEY=VALUE in a "
    "profile.",
    children,
    0,
    0};

static int run(const struct report *report)
{
    bool has_tags = false;
    int status = report_status(report);
    struct answer *answer = answer_output_open(report->options->format, &status);
    if (!answer)
        return status;
    bool done = tags_put(answer, report, &has_tags);
    if (done && !has_tags && report->input.model->kind != MODEL_OBJECTS)
        cli_warn("%s: none of the samples has a label", report->input.subject);
    return answer_output_close(answer, done, status);
}

int cmd_tags(int argc, char **argv)
{
    struct question options = question_many();
    struct report report;
    int status = CLI_DONE;
    cli_parse(&argp, argc, argv, 0, &options);
    if (report_open(&report, &options, &status)) {
        status = run(&report);
        report_close(&report);
    }
    question_release(&options);
    return status;
}
