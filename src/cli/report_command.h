/* The command of a report, whichever it is (report/reports.h): its options are read, its file opened, its answer
 * rendered. */
#ifndef CLI_REPORT_COMMAND_H
#define CLI_REPORT_COMMAND_H

#include "report/reports.h"

/* An exit status. */
int report_command_run(const struct report_entry *entry, int argc, char **argv);

/* The second half: a question that has its options.  An exit status. */
int report_command_answer(const struct question *question);

#endif
