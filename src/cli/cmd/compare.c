/* heaptap compare: before and after, on one page. */
#include <string.h>

#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/passing_series.h"
#include "cli/report.h"
#include "cli/report_options.h"
#include "report/change/compare.h"

/* The figures that the file has; a filter that does not fit it is an error. */
static bool measure(struct compare_side *side, const struct report *report, int *status)
{
    struct heaptap_error error;
    size_t length;
    *side = (struct compare_side){report->input.name, report->input.model, report->input.is_whole};
    for (int i = 0; i < BUDGET_MEASURES; i++) {
        if (i == BUDGET_PEAK && report->series) { /* folded rows do not know it */
            side->has[i] = true;
            budget_measure_series(&side->figures[i], &report->series->passing);
            side->figures[i].is_empty = report->is_filtered_empty;
            continue;
        }
        enum heaptap_status found = budget_measure(&side->figures[i], side->model, &report->filter,
                                                   (enum budget_measure)i, &length, &error);
        side->has[i] = found == HEAPTAP_OK;
        if (found != HEAPTAP_OK && (found != HEAPTAP_BAD_ARGUMENT || length > 0)) {
            *status = length > 0 ? filtering_status(&report->filter, &error, length)
                                 : cli_fail(report->input.subject, &error);
            return false;
        }
    }
    return true;
}

static int show(struct compare *compare, const struct report *before, const struct report *after)
{
    struct difference_options how = {.grain = compare->options->grain,
                                     .tells_codes = before->selection.frames.tells_codes &&
                                                    after->selection.frames.tells_codes};
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

static int compare_reports(const struct report *before, const struct report *after)
{
    struct compare compare = {before->options, &before->filter, before->sample, before->unit,
                              before->weight};
    int status = CLI_DONE;
    if (strcmp(before->sample, after->sample) != 0) {
        cli_warn("%s has %s, %s has %s: they can't be compared", before->input.subject,
                 before->sample, after->input.subject, after->sample);
        return CLI_USAGE;
    }
    if (!report_have_one_unit(before, after))
        return CLI_USAGE;
    if (measure(&compare.before, before, &status) && measure(&compare.after, after, &status))
        status = show(&compare, before, after);
    if (status == CLI_DONE)
        status = report_status(before);
    return status == CLI_DONE ? report_status(after) : status;
}

int cmd_compare(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("compare");
    struct question question = question_of(entry);
    struct report before, after;
    int status = CLI_DONE;
    cli_parse(report_entry_argp(entry, NULL, NULL), argc, argv, 0, &question);
    bool has_filter = question.filter.size > 0;
    question.folds_blocks = question.at_peak =
        !has_filter || (large_files_are(&(struct input_names){question.path}) &&
                        large_files_are(&(struct input_names){question.other}));
    question.series_steps = has_filter && question.folds_blocks; /* for the peak */
    struct question other = question;
    other.path = question.other;
    if (report_open(&before, &question, &status)) {
        if (report_open(&after, &other, &status)) {
            status = compare_reports(&before, &after);
            report_close(&after);
        }
        report_close(&before);
    }
    question_release(&question);
    return status;
}
