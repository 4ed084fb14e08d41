/* A report's input: the file read, filtered and summed up as its options want it. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/filtering.h"
#include "cli/model_input.h"
#include "report/report.h"
#include "report/reports.h"

/* Reads all.  False with a message, the exit status in `*status`, and nothing to close. */
bool report_open(struct report *report, const struct question *options, int *status);

void report_close(struct report *report);

/* Frees the model and what was selected of it ahead of that: the file's name, the filter and the
 * exit status stay. */
void report_close_model(struct report *report);

/* Has the input single blocks with their times?  Else tells that this report needs them. */
bool report_needs_objects(const struct report *report);

/* What the command exits with when all went well. */
int report_status(const struct report *report);

/* Are the values of both in the same unit?  Else tells that they can't be compared. */
bool report_have_one_unit(const struct report *base, const struct report *other);

#endif
