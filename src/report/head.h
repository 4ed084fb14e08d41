/* What the answers of all reports begin with. */
#ifndef REPORT_HEAD_H
#define REPORT_HEAD_H

#include "answer/answer.h"
#include "report/report.h"

/* What a report of sites adds to its head where that is so. */
#define REPORT_ALLOCATORS_HIDDEN "; allocators left out (allocators=show)"

/* What such a report says of it, after its number of places: "" where it hides nothing. */
const char *report_hidden_text(const struct report *report);

/* For programs: the file, what is counted, the filter and the totals. */
extern const struct answer_table *const report_head_tables[]; /* ended by NULL */
void report_head(struct answer *answer, const struct report *report);

/* For a head that is not of a struct report: the version of what docs/answers.md says, of any row. */
struct answer_value report_column_schema(const void *row, const void *context);

/* For people: the lines that pprof's text reports begin with, as far as heaptap knows them. */
void report_say_head(struct answer *answer, const struct report *report);

/* For people: "Filter: ...", where there is one. */
void report_say_filter(struct answer *answer, const struct report *report);

#endif
