/* Places worth a look, by rules: what applies, with its figures, and what usually helps. */
#ifndef REPORT_ADVICE_ADVICE_H
#define REPORT_ADVICE_ADVICE_H

#include "answer/answer.h"
#include "report/options.h"
#include "report/report.h"

extern const struct answer_table *const advice_tables[]; /* ended by NULL */

extern const struct question_option advice_options[]; /* ended by one without a word */

/* Of a report of blocks. */
enum report_outcome advice_put(struct answer *answer, const struct report *report);

#endif
