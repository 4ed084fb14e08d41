/* Where a command's answer goes: standard output, in the form that its options ask for. */
#ifndef CLI_ANSWER_OUTPUT_H
#define CLI_ANSWER_OUTPUT_H

#include "answer/forms.h"
#include "report/question.h"
#include "report/report.h"

/* On any file; NULL when there is no memory. */
struct answer *answer_output_on(FILE *file, enum report_format format);

/* NULL with a message, and the exit status in `*status`. */
struct answer *answer_output_open(enum report_format format, int *status);

/* `done`: the report has had memory for all of it.  Returns `status`, or the exit status for want of memory, which is
 * told. */
int answer_output_close(struct answer *answer, bool done, int status);

#endif
