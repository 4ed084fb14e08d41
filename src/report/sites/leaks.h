/* What is alive at the end, by the place that allocated it, with its age and its callers. */
#ifndef REPORT_SITES_LEAKS_H
#define REPORT_SITES_LEAKS_H

#include "answer/answer.h"
#include "report/options.h"
#include "report/report.h"

/* What a question has of its own. */
struct leaks_question {
    long callers; /* shown of each place; 0 for none */
    double limit; /* bytes that the process may have; 0 where nobody says */
};

extern const struct leaks_question leaks_usual;
extern const struct question_option leaks_options[]; /* ended by one without a word */

/* Makes --sample one of what is alive at the end. */
bool leaks_check(struct question *question, struct heaptap_error *error);

extern const struct answer_table *const leaks_tables[]; /* ended by NULL */

enum report_outcome leaks_put(struct answer *answer, const struct report *report);

#endif
