/* The diagnosis: the three causes that cost most memory, in less than 2 kB.
 *
 * A cause is a point of advice, of which the reports `advice` and `summary` tell more; where there are fewer than three, a line
 * that has much of the peak, of what is left, or of all. */
#ifndef REPORT_SUMMARY_DIAGNOSIS_H
#define REPORT_SUMMARY_DIAGNOSIS_H

#include "answer/answer.h"
#include "report/report.h"

extern const struct answer_table *const diagnosis_tables[]; /* ended by NULL */

enum report_outcome diagnosis_put(struct answer *answer, const struct report *report);

#endif
