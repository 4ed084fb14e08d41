/* heaptap leaks: a report that can leave out what a file of suppressions names. */
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "cli/report_options.h"
#include "cli/suppressions.h"
#include "report/leaks.h"

static int put(struct suppressions *suppressions, const struct report *report)
{
    const struct leaks_question *leaks = (const struct leaks_question *)report->options->own;
    int status;
    struct answer *answer = answer_output_open(report->options->format, &status);
    if (!answer)
        return status;
    status = answer_output_close(answer, leaks_put(answer, report) == REPORT_SAID,
                                 report_status(report));
    suppressions_tell(suppressions, report->input.subject, report->input.model, &report->what,
                      report->weight, &leaks->suppressed);
    return status;
}

static int answer_it(struct question *question, struct suppressions *suppressions,
                     const struct report *report)
{
    struct leaks_question *leaks = (struct leaks_question *)question->own;
    int status;
    leaks->has_suppressions = suppressions->path || report->input.model->suppressed;
    leaks->patterns = suppressions_count(suppressions, report->input.model);
    return suppressions_sum(suppressions, report->input.model, &report->what, &leaks->suppressed,
                            &status)
               ? put(suppressions, report)
               : status;
}

int cmd_leaks(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("leaks");
    struct suppressions suppressions = {.takes_own = true};
    struct question question = question_of(entry);
    struct report report;
    int status = CLI_DONE;
    cli_parse(report_entry_argp(entry, &suppressions_argp, &suppressions), argc, argv, 0,
              &question);
    question.in_base_units = true;
    question.hides_suppressed = !suppressions.path;
    if (suppressions_add(&suppressions, &question.filter, &status) &&
        report_open(&report, &question, &status)) {
        status = answer_it(&question, &suppressions, &report);
        report_close(&report);
    }
    suppressions_release(&suppressions);
    question_release(&question);
    return status;
}
