/* Functions with those that call them and those that they call: pprof's -tree and -peek. */
#ifndef REPORT_CALLS_CONTEXT_H
#define REPORT_CALLS_CONTEXT_H

#include "answer/answer.h"
#include "report/report.h"

extern const struct answer_table *const context_tables[]; /* ended by NULL */

/* With a pattern, all functions whose names match; else as many as the question wants. */
enum report_outcome context_put(struct answer *answer, const struct report *report);

#endif
