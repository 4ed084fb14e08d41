/* The summary: what a recording's problem is, on one screen. */
#ifndef REPORT_SUMMARY_SUMMARY_H
#define REPORT_SUMMARY_SUMMARY_H

#include "answer/answer.h"
#include "report/options.h"
#include "report/report.h"

/* Asks for what is alive over time. */
bool summary_check(struct question *question, struct heaptap_error *error);

extern const struct answer_table *const summary_tables[]; /* ended by NULL */

enum report_outcome summary_put(struct answer *answer, const struct report *report);

#endif
