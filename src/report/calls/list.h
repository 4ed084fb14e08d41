/* Functions line by line, with their sources. */
#ifndef REPORT_CALLS_LIST_H
#define REPORT_CALLS_LIST_H

#include "answer/answer.h"
#include "report/report.h"

extern const struct answer_table *const list_tables[]; /* ended by NULL */

/* Of a report with a pattern, whose grain is the line. */
enum report_outcome list_put(struct answer *answer, const struct report *report);

#endif
