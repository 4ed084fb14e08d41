/* Functions by what they allocate, themselves and through others. */
#ifndef REPORT_CALLS_TOP_H
#define REPORT_CALLS_TOP_H

#include "answer/answer.h"
#include "report/report.h"

extern const struct answer_table *const top_tables[]; /* ended by NULL */

enum report_outcome top_put(struct answer *answer, const struct report *report);

#endif
