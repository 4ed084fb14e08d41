/* heaptap leaks: what is alive at the end, by the place that allocated it. */
#include <string.h>

#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "cli/suppressions.h"
#include "report/leaks.h"

struct options {
    struct question report;
    struct suppressions suppressions;
    struct leaks_question leaks;
};

enum { OPTION_CALLERS = 1000 };

static const struct argp_option option_table[] = {
    {"node-count", 'n', "N", 0, "Show N places at most (20); 0 for all", 0},
    {"callers", OPTION_CALLERS, "N", 0, "Show N callers of each place at most (5)", 0},
    {0},
};

/* The whole name of a sample type in use at the end. */
static const char *sample_of(const char *word, struct argp_state *state)
{
    static const char space[] = "inuse_space", objects[] = "inuse_objects";
    if (!word || strcmp(word, "space") == 0 || strcmp(word, "inuse") == 0)
        return space;
    if (strcmp(word, "objects") == 0)
        return objects;
    if (strncmp(word, "inuse_", strlen("inuse_")) != 0)
        argp_error(state,
                   "leaks are in use at the end: --sample takes inuse_space or inuse_objects, "
                   "not '%s'",
                   word);
    return word;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->report;
        state->child_inputs[2] = &options->report;
        state->child_inputs[3] = &options->suppressions;
        return 0;
    case 'n':
        options->report.node_count = report_count(argument, "node-count", state);
        return 0;
    case OPTION_CALLERS:
        options->leaks.callers = report_count(argument, "callers", state);
        return 0;
    case ARGP_KEY_END:
        options->report.sample = sample_of(options->report.sample, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&report_argp, 0, NULL, 0},
                                             {&report_names_argp, 0, NULL, 0},
                                             {&report_markdown_argp, 0, NULL, 0},
                                             {&suppressions_argp, 0, NULL, 0},
                                             {0}};

static const struct argp argp = {
    option_table,
    parse,
    "TRACE [CLAUSE...]",
    "Lists what is alive at the end of TRACE by the place that allocated it, with its age and its "
    "callers.\v"
    "KEPT is the part of all bytes of the place that is still alive. BORN shows when in the run "
    "this was allocated, one sign for each eighth of the run: what grows all the time leaks. The "
    "clause lifetime>=10s leaves out what is young.",
    children,
    0,
    0};

/* ---- The command ----------------------------------------------------------------------- */

static int report_with_suppressions(struct options *options, const struct report *report)
{
    struct leaks_question *leaks = &options->leaks;
    int status;
    leaks->has_suppressions = options->suppressions.path || report->input.model->suppressed;
    leaks->patterns = suppressions_count(&options->suppressions, report->input.model);
    if (!suppressions_sum(&options->suppressions, report->input.model, &report->what,
                          &leaks->suppressed, &status))
        return status;
    struct answer *answer = answer_output_open(options->report.format, &status);
    if (!answer)
        return status;
    status = answer_output_close(answer, leaks_put(answer, report, leaks), report_status(report));
    suppressions_tell(&options->suppressions, report->input.subject, report->input.model,
                      &report->what, report->weight, &leaks->suppressed);
    return status;
}

int cmd_leaks(int argc, char **argv)
{
    struct options options = {.report = question_many(),
                              .leaks = {.callers = LEAKS_CALLERS_SHOWN},
                              .suppressions.takes_own = true};
    struct report report;
    int status = CLI_DONE;
    options.report.grain = GRAIN_LINE;
    cli_parse(&argp, argc, argv, 0, &options);
    options.report.by_site = options.report.hides_types = true;
    options.report.hides_suppressed = !options.suppressions.path;
    if (suppressions_add(&options.suppressions, &options.report.filter, &status) &&
        report_open(&report, &options.report, &status)) {
        status = report_with_suppressions(&options, &report);
        report_close(&report);
    }
    suppressions_release(&options.suppressions);
    question_release(&options.report);
    return status;
}
