/* The report `stats`: sizes and lifetimes of blocks. */
#ifndef REPORT_BLOCKS_STATS_H
#define REPORT_BLOCKS_STATS_H

#include "report/blocks/stats_figures.h"
#include "answer/answer.h"
#include "report/options.h"
#include "report/report.h"

struct stats_question {
    long parts; /* equal parts of the run */
    bool major_only, estimate;
};
_Static_assert(sizeof(struct stats_question) <= QUESTION_OWN_BYTES, "room for it");

extern const struct question_option stats_options[];
extern const struct stats_question stats_usual;

enum report_outcome stats_put(struct answer *answer, const struct report *report);

extern const struct answer_table *const stats_tables[]; /* ended by NULL */

#endif
