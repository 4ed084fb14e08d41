/* The report `timeline`: what is alive and what is allocated, over time. */
#ifndef REPORT_TIMELINE_H
#define REPORT_TIMELINE_H

#include "answer/answer.h"
#include "profile/series.h"
#include "report/options.h"
#include "report/report.h"

/* What a question has of its own. */
struct timeline_question {
    long steps;        /* into which the time is cut; 0: as many as there is room for */
    const char *label; /* of a store: a chart for each of its values; NULL: not said */
};
_Static_assert(sizeof(struct timeline_question) <= QUESTION_OWN_BYTES, "room for it");

extern const struct question_option timeline_options[]; /* ended by one without a word */

struct timeline {
    const struct report *report;
    struct series series; /* of what passes the filter */
    struct series all;    /* of everything, where there is a filter */
    bool has_filter;
};

/* The report must have blocks and stay where it is.  False when there is no memory; then there is nothing to release. */
bool timeline_init(struct timeline *timeline, const struct report *report, size_t steps);

/* The same of series that were made while the trace was read, which it takes over: `all` with the report's folded model, `passing`
 * from the events of the blocks that pass its filter, NULL where there is none. */
bool timeline_init_built(struct timeline *timeline, const struct report *report,
                         struct series_builder *all, struct series *passing);
void timeline_release(struct timeline *timeline);

/* "79 GB allocated in 35.9 s; ...": one sentence, for people. */
void timeline_describe(const struct timeline *timeline, char *text, size_t size);

/* False when there is no memory. */
bool timeline_tell(struct answer *answer, const struct timeline *timeline);

/* Of a model that has all blocks: steps as a text of 80 columns has them, where the question doesn't say how many. */
enum report_outcome timeline_put(struct answer *answer, const struct report *report);

extern const struct answer_table *const timeline_tables[]; /* ended by NULL */

#endif
