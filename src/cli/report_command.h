/* The command of a report that has no other than the common options. */
#ifndef CLI_REPORT_COMMAND_H
#define CLI_REPORT_COMMAND_H

#include "report/reports.h"

/* An exit status. */
int report_command_run(const struct report_entry *entry, int argc, char **argv);

#endif
