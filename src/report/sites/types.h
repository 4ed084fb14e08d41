/* What is allocated by type, or by size where the trace has no types. */
#ifndef REPORT_SITES_TYPES_H
#define REPORT_SITES_TYPES_H

#include "answer/answer.h"
#include "report/report.h"

extern const struct answer_table *const types_tables[]; /* ended by NULL */

/* Of single blocks with their times.  False when there is no memory. */
enum report_outcome types_put(struct answer *answer, const struct report *report);

#endif
