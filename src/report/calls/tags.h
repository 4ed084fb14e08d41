/* What has which label, size, thread, ..., and what that weighs. */
#ifndef REPORT_CALLS_TAGS_H
#define REPORT_CALLS_TAGS_H

#include "answer/answer.h"
#include "report/options.h"
#include "report/report.h"

extern const struct answer_table *const tags_tables[]; /* ended by NULL */

extern const struct question_option tags_options[]; /* ended by one without a word */

enum report_outcome tags_put(struct answer *answer, const struct report *report);

#endif
