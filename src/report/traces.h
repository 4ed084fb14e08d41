/* Every stack with what it allocates, or every sample of a profile with its labels. */
#ifndef REPORT_TRACES_H
#define REPORT_TRACES_H

#include "answer/answer.h"
#include "report/report.h"

struct traces_question {
    const struct report *report; /* borrowed */
    bool by_labels;              /* samples as they stand in the file, of a model of values */
};

extern const struct answer_table *const traces_tables[]; /* ended by NULL */

/* Says the answer to a struct traces_question, a stack at a time.  False when there is no memory; what has been said is
 * not whole then. */
bool traces_put(struct answer *answer, const void *question);

#endif
