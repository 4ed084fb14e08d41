/* The report `stats`: sizes and lifetimes of blocks. */
#ifndef REPORT_STATS_H
#define REPORT_STATS_H

#include "analyze/stats_report.h"
#include "answer/answer.h"

/* False when there is no memory. */
bool stats_put(struct answer *answer, const struct stats_report *report);

extern const struct answer_table *const stats_tables[]; /* ended by NULL */

#endif
