/* Files that reports read themselves (report/file.h). */
#ifndef CLI_REPORT_FILE_H
#define CLI_REPORT_FILE_H

#include "report/report.h"

/* Of a report that has its options and filter.  False with a message and the exit status, and nothing to close. */
bool report_file_open(struct report *report, int *status);
void report_file_close(struct report *report);

#endif
