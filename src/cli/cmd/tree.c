/* heaptap tree: the call tree, from either end. */
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "report/context.h"
#include "report/tree.h"

struct options {
    struct question report;
    struct tree_question how;
    bool context;
};

enum { OPTION_MAX_DEPTH = 1000, OPTION_CONTEXT };

static const struct argp_option option_table[] = {
    {"reverse", 'r', NULL, 0, "Begin with the functions that allocate, their callers below them",
     0},
    {"max-depth", OPTION_MAX_DEPTH, "N", 0, "Go N calls deep; 0 for no limit, the default", 0},
    {"context", OPTION_CONTEXT, NULL, 0,
     "List functions with their direct callers and callees instead, as pprof -tree does", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        for (int i = 0; i < 7; i++)
            state->child_inputs[i] = &options->report;
        return 0;
    case 'r':
        options->how.outward = true;
        return 0;
    case OPTION_MAX_DEPTH:
        options->how.max_depth = (uint32_t)report_count(argument, "max-depth", state);
        return 0;
    case OPTION_CONTEXT:
        options->context = true;
        return 0;
    case ARGP_KEY_END:
        if (options->context && (options->how.outward || options->how.max_depth > 0))
            argp_error(state, "--context is no tree: it has no direction and no depth");
        if (!options->context && options->report.by_cum)
            argp_error(state, "--cum is for --context: calls in a tree are sorted by it anyway");
        if (!options->context && options->report.edge_fraction_given)
            argp_error(state, "--edge-fraction is for --context: a tree has no edges of their own");
        if (!options->context && options->report.is_mean)
            argp_error(
                state,
                "--mean is for --context: in a tree, calls add up to those that they come from");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&report_argp, 0, NULL, 0},       {&report_nodes_argp, 0, NULL, 0},
    {&report_unit_argp, 0, NULL, 0},  {&report_relative_argp, 0, NULL, 0},
    {&report_names_argp, 0, NULL, 0}, {&report_markdown_argp, 0, NULL, 0},
    {&report_mean_argp, 0, NULL, 0},  {0}};

static const struct argp argp = {
    option_table,
    parse,
    "TRACE [CLAUSE...]",
    "Shows the call tree of TRACE, or of a pprof profile: what each call allocates, and where "
    "below.\v"
    "cum is what comes through a call, flat what its function allocates itself there. Calls of "
    "less "
    "than half a percent are left out. A function that alone stands below another is not indented.",
    children,
    0,
    0};

static int show_context(const struct report *report)
{
    struct context context;
    if (!context_init(&context, report, NULL))
        return cli_out_of_memory();
    int status = answer_output_put(report, context_put, &context);
    context_release(&context);
    return status;
}

static int show(const struct report *report, const struct tree_question *how)
{
    struct tree tree;
    if (!tree_init(&tree, report, how))
        return cli_out_of_memory();
    int status = answer_output_put(report, tree_put, &tree);
    tree_release(&tree);
    return status;
}

int cmd_tree(int argc, char **argv)
{
    struct options options = {.report = question_many()};
    struct report report;
    int status = CLI_DONE;
    cli_parse(&argp, argc, argv, 0, &options);
    if (report_open(&report, &options.report, &status)) {
        status = options.context ? show_context(&report) : show(&report, &options.how);
        report_close(&report);
    }
    question_release(&options.report);
    return status;
}
