/* Where a report is written that may also be a file of its own. */
#ifndef CLI_REPORT_OUTPUT_H
#define CLI_REPORT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/report.h"

/* Writes what `print` prints to `path` (NULL or "-": standard output), which appears when it is
 * complete.  `print` returns false when there is no memory.  An exit status; whatever went wrong
 * has been told. */
int report_output_write(const char *path, bool (*print)(void *context, FILE *file), void *context);

/* Tells what is wrong with an output: an errno; CLI_FAILED. */
int report_output_fail(const char *path, int code);

/* NULL ends with nothing. */
bool report_output_ends_with(const char *path, const char *end);

/* Has the input single blocks with their times?  Else tells that this report needs them. */
bool report_needs_objects(const struct report *report);

#endif
