/* Every stack with what it allocates, or every sample of a profile with its labels. */
#ifndef REPORT_CALLS_TRACES_H
#define REPORT_CALLS_TRACES_H

#include "answer/answer.h"
#include "report/options.h"
#include "report/report.h"

extern const struct answer_table *const traces_tables[]; /* ended by NULL */

extern const struct question_option traces_options[]; /* ended by one without a word */
bool traces_check(struct question *question, struct heaptap_error *error);

/* Why the report can't be made of this input; NULL where it can. */
const char *traces_refuse(const struct report *report);

/* A stack at a time. */
enum report_outcome traces_put(struct answer *answer, const struct report *report);

#endif
