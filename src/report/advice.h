/* Places worth a look, by rules: what applies, with its figures, and what usually helps. */
#ifndef REPORT_ADVICE_H
#define REPORT_ADVICE_H

#include "answer/answer.h"
#include "report/report.h"

extern const struct answer_table *const advice_tables[]; /* ended by NULL */

/* Of a report of blocks.  False when there is no memory. */
bool advice_put(struct answer *answer, const struct report *report);

#endif
