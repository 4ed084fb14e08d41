/* Where a report is written that may also be a file of its own. */
#ifndef CLI_REPORT_OUTPUT_H
#define CLI_REPORT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/output_file.h"

/* Writes what `print` prints to `path` (NULL or "-": standard output), which appears when it is
 * complete.  `print` returns false when there is no memory.  Returns an exit status, after a message
 * for a failure. */
int report_output_write(const char *path, bool (*print)(void *context, FILE *file), void *context);

/* The same in two steps.  NULL with a message and the status where the file can't be written. */
struct report_output {
    const char *path;
    struct output_file file;
    FILE *stream;
};
FILE *report_output_begin(struct report_output *output, const char *path, int *status);

/* What was written appears where it is to be `kept`; else the file is as it was.  An exit status. */
int report_output_end(struct report_output *output, bool kept);

/* Prints a message about an output's errno, and returns CLI_FAILED. */
int report_output_fail(const char *path, int code);

/* NULL ends with nothing. */
bool report_output_ends_with(const char *path, const char *end);

#endif
