/* heaptap compare: before and after, on one page. */
#include <string.h>

#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "cli/store_input.h"
#include "report/compare.h"

struct options {
    struct question before, after; /* the same, but for their paths */
};

static error_t take_argument(struct options *options, const char *argument)
{
    const char **before = &options->before.path, **after = &options->after.path;
    const char **last = *after ? after : before;
    if (!*before)
        *before = argument;
    else if (store_input_takes(*last, argument))
        *last = store_input_with(*last, argument);
    else if (!*after)
        *after = argument;
    else
        return ARGP_ERR_UNKNOWN; /* a clause: the child's */
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        for (int i = 0; i < 6; i++)
            state->child_inputs[i] = &options->before;
        return 0;
    case ARGP_KEY_ARG:
        return take_argument(options, argument);
    case ARGP_KEY_END:
        if (!options->before.path || !options->after.path)
            argp_error(state, "which two? Name the file from before, then the one from after");
        if (strcmp(options->before.path, "-") == 0 && strcmp(options->after.path, "-") == 0)
            argp_error(state, "standard input can be one of the two, not both");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&report_filter_argp, 0, NULL, 0},
                                             {&report_grain_argp, 0, NULL, 0},
                                             {&report_count_argp, 0, NULL, 0},
                                             {&report_names_argp, 0, NULL, 0},
                                             {&report_format_argp, 0, NULL, 0},
                                             {&report_markdown_argp, 0, NULL, 0},
                                             {0}};

static const struct argp argp = {
    NULL,
    parse,
    "BEFORE AFTER [CLAUSE...]",
    "Compares two recordings of the same work: their totals, and the functions that came, went, grew and shrank, as far as "
    "that is beyond chance.\v"
    "Says what stands against comparing the two, and which totals depend on when a garbage collector ran. `heaptap diff` "
    "lists all differences, and draws them.",
    children,
    0,
    0};

/* The figures that the file has; a filter that does not fit it is an error. */
static bool measure(struct compare_side *side, const struct report *report, int *status)
{
    struct heaptap_error error;
    size_t length;
    *side = (struct compare_side){report->input.name, report->input.model, report->input.is_whole};
    for (int i = 0; i < BUDGET_MEASURES; i++) {
        enum heaptap_status found = budget_measure(&side->figures[i], side->model, &report->filter,
                                                   (enum budget_measure)i, &length, &error);
        side->has[i] = found == HEAPTAP_OK;
        if (found != HEAPTAP_OK && (found != HEAPTAP_BAD_ARGUMENT || length > 0)) {
            *status = length > 0 ? report_fail_filter(&report->filter, &error, length)
                                 : cli_fail(report->input.subject, &error);
            return false;
        }
    }
    return true;
}

static struct model *difference_of(const struct report *before, const struct report *after)
{
    struct merging *merging = difference_begin(before->unit);
    struct difference_side base = {&before->selection, before->input.model, before->weight, 1},
                           other = {&after->selection, after->input.model, after->weight, 1};
    if (!merging)
        return NULL;
    bool done = difference_add(merging, &base, DIFFERENCE_BASE) &&
                difference_add(merging, &other, DIFFERENCE_NEW);
    struct model *model = difference_end(merging);
    if (done)
        return model;
    model_free(model);
    return NULL;
}

static int show(struct compare *compare, const struct report *before, const struct report *after)
{
    struct difference_options how = {.grain = compare->options->grain};
    int status = CLI_DONE;
    struct model *model = difference_of(before, after);
    if (!model || !difference_table_init(&compare->table, model, &how)) {
        cli_fail_memory(&status);
    } else {
        struct answer *answer = answer_output_open(compare->options->format, &status);
        if (answer)
            status = answer_output_close(answer, compare_put(answer, compare), status);
        difference_table_release(&compare->table);
    }
    model_free(model);
    return status;
}

static int compare_reports(const struct options *options, const struct report *before,
                           const struct report *after)
{
    struct compare compare = {&options->before, &before->filter, before->sample, before->unit,
                              before->weight};
    int status = CLI_DONE;
    if (strcmp(before->sample, after->sample) != 0) {
        cli_warn("%s has %s, %s has %s: they can't be compared", before->input.subject,
                 before->sample, after->input.subject, after->sample);
        return CLI_USAGE;
    }
    if (measure(&compare.before, before, &status) && measure(&compare.after, after, &status))
        status = show(&compare, before, after);
    if (status == CLI_DONE)
        status = report_status(before);
    return status == CLI_DONE ? report_status(after) : status;
}

int cmd_compare(int argc, char **argv)
{
    struct options options = {.before = question_default()};
    struct report before, after;
    int status = CLI_DONE;
    cli_parse(&argp, argc, argv, 0, &options);
    const char *path = options.after.path;
    options.before.by_site = true;
    options.after = options.before;
    options.after.path = path;
    if (report_open(&before, &options.before, &status)) {
        if (report_open(&after, &options.after, &status)) {
            status = compare_reports(&options, &before, &after);
            report_close(&after);
        }
        report_close(&before);
    }
    question_release(&options.before);
    return status;
}
