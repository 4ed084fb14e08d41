/* heaptap callers and callees: the call tree that begins with chosen functions. */
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "cli/report_pattern.h"
#include "report/tree.h"

struct options {
    struct question report;
    struct tree_question how;
};

enum { OPTION_MAX_DEPTH = 1000, OPTION_NODE_FRACTION };

static const struct argp_option option_table[] = {
    {"max-depth", OPTION_MAX_DEPTH, "N", 0, "Go N calls deep; 0 for no limit, the default", 0},
    {"node-count", 'n', "N", 0, "Show N lines at most; 0 for all, the default", 0},
    {"node-fraction", OPTION_NODE_FRACTION, "PART", 0,
     "Leave out what is less than PART of the whole, 0.005 by default", 0},
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
    case OPTION_MAX_DEPTH:
        options->how.max_depth = (uint32_t)report_count(argument, "max-depth", state);
        return 0;
    case 'n':
        options->report.node_count = report_count(argument, "node-count", state);
        return 0;
    case OPTION_NODE_FRACTION:
        options->report.node_fraction = report_fraction(argument, "node-fraction", state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&report_argp, 0, NULL, 0},          {&report_unit_argp, 0, NULL, 0},
    {&report_relative_argp, 0, NULL, 0}, {&report_names_argp, 0, NULL, 0},
    {&report_markdown_argp, 0, NULL, 0}, {0}};

static const struct argp callers_argp = {
    option_table,
    parse,
    "TRACE REGEX [CLAUSE...]",
    "Shows through whom the functions of TRACE that match REGEX are called, and what each way "
    "brings.\v"
    "A stack begins at the outermost function that matches and goes on to its callers; it counts "
    "once.",
    children,
    0,
    0};

static const struct argp callees_argp = {
    option_table,
    parse,
    "TRACE REGEX [CLAUSE...]",
    "Shows where the functions of TRACE that match REGEX, and what they call, allocate.\v"
    "A stack begins at the outermost function that matches and goes on to its callees; it counts "
    "once.",
    children,
    0,
    0};

static int show(const struct report *report, const struct tree_question *how)
{
    struct tree tree;
    if (!tree_init(&tree, report, how))
        return cli_out_of_memory();
    int status = tree.is_missed ? report_pattern_missed(report->options->pattern)
                                : answer_output_put(report, tree_put, &tree);
    tree_release(&tree);
    return status;
}

static int run(int argc, char **argv, const struct argp *argp, bool outward)
{
    struct options options = {.report = question_many(), .how = {.outward = outward}};
    struct report report;
    int status = CLI_DONE;
    options.report.takes_pattern = true;
    cli_parse(argp, argc, argv, 0, &options);
    struct pattern *pattern = report_pattern(options.report.pattern, &status);
    options.how.pattern = pattern;
    if (pattern && report_open(&report, &options.report, &status)) {
        status = show(&report, &options.how);
        report_close(&report);
    }
    pattern_free(pattern);
    question_release(&options.report);
    return status;
}

int cmd_callers(int argc, char **argv)
{
    return run(argc, argv, &callers_argp, true);
}

int cmd_callees(int argc, char **argv)
{
    return run(argc, argv, &callees_argp, false);
}
