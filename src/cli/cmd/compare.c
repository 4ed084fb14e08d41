/* heaptap compare: before and after, on one page. */
#include "cli/commands.h"
#include "cli/passing_series.h"
#include "cli/report_command.h"

int cmd_compare(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("compare");
    struct question question = question_of(entry);
    report_parse(&question, argc, argv);
    bool has_filter = question.filter.size > 0;
    question.folds_blocks = question.at_peak =
        !has_filter || (large_files_are(&(struct input_names){question.path}) &&
                        large_files_are(&(struct input_names){question.other}));
    question.series_steps = has_filter && question.folds_blocks; /* for the peak */
    int status = report_command_answer(&question);
    question_release(&question);
    return status;
}
