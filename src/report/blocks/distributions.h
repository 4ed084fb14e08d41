/* The report `distributions`: how the blocks that a filter leaves spread over sizes and lifetimes, and over the domains or threads that
 * allocated them. */
#ifndef REPORT_BLOCKS_DISTRIBUTIONS_H
#define REPORT_BLOCKS_DISTRIBUTIONS_H

#include "answer/answer.h"
#include "report/report.h"

extern const struct answer_table *const distributions_tables[]; /* ended by NULL */

/* Of single blocks with their times. */
enum report_outcome distributions_put(struct answer *answer, const struct report *report);

#endif
