/* The command of a report, whichever it is (report/reports.h): its options are read, its file opened, its answer
 * rendered. */
#ifndef CLI_REPORT_COMMAND_H
#define CLI_REPORT_COMMAND_H

#include "cli/option_rows.h"
#include "report/reports.h"
#include "report/sources.h"

/* An exit status. */
int report_command_run(const struct report_entry *entry, int argc, char **argv);

/* The second half: a question that has its options.  An exit status. */
int report_command_answer(const struct question *question);

/* Sources as a report's functions ask for them: below the folders that the question names, and the present one. */
struct report_command_sources {
    struct report_sources sources; /* first: the report's functions get it */
    const char *folders;
};
struct report_command_sources report_command_sources(const struct question *question);

/* Of a report that is open: put into an answer that may have said something else, with sources at hand. */
enum report_outcome report_command_put(struct answer *answer, struct report *report);

/* The command line of a report; `check` is its command's own, NULL for none. */
struct command_line report_line(const struct report_entry *entry,
                                void (*check)(struct argp_state *state));

/* The whole command line of a command that is a report, which the question is of (question_of). */
void report_parse(struct question *question, int argc, char **argv);

#endif
