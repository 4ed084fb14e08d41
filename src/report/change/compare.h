/* Before and after: what changed from one recording to another, and what of it is more than chance. */
#ifndef REPORT_CHANGE_COMPARE_H
#define REPORT_CHANGE_COMPARE_H

#include "answer/answer.h"
#include "report/change/budget.h"
#include "report/options.h"
#include "report/report.h"

/* What a question has of its own. */
struct compare_question {
    double smallest; /* change that matters, as part of the larger total */
};
_Static_assert(sizeof(struct compare_question) <= QUESTION_OWN_BYTES, "room for it");

extern const struct question_option compare_options[]; /* ended by one without a word */
extern const struct compare_question compare_usual;

extern const struct answer_table *const compare_tables[]; /* ended by NULL */

const char *compare_refuse(const struct report *report);

/* Of a report and its base, whose values are in the same unit. */
enum report_outcome compare_put(struct answer *answer, const struct report *report);

/* The measure that its functions are compared by: what is allocated; where no function changed in that, what is left at the end, or else
 * the peak.  Of a report that has its base.  False when there is no memory. */
bool compare_measure(const struct report *report, enum budget_measure *measure);

#endif
