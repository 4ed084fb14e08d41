/* What is alive at the end, by the place that allocated it, with its age and its callers. */
#ifndef REPORT_LEAKS_H
#define REPORT_LEAKS_H

#include "answer/answer.h"
#include "report/report.h"

struct leaks_question {
    long callers; /* shown of each place; 0 for none */
    bool has_suppressions;
    size_t patterns;               /* of suppressions */
    struct stack_tally suppressed; /* what they leave out */
};

enum { LEAKS_CALLERS_SHOWN = 5 };

extern const struct answer_table *const leaks_tables[]; /* ended by NULL */

/* False when there is no memory. */
bool leaks_put(struct answer *answer, const struct report *report,
               const struct leaks_question *question);

#endif
