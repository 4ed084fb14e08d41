/* What has which label, size, thread, ..., and what that weighs. */
#ifndef REPORT_TAGS_H
#define REPORT_TAGS_H

#include "answer/answer.h"
#include "report/report.h"

extern const struct answer_table *const tags_tables[]; /* ended by NULL */

/* `*has_tags`: something has one.  False when there is no memory. */
bool tags_put(struct answer *answer, const struct report *report, bool *has_tags);

#endif
