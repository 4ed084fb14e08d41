/* The report `timeline`: what is alive and what is allocated, over time. */
#ifndef REPORT_BLOCKS_TIMELINE_H
#define REPORT_BLOCKS_TIMELINE_H

#include "answer/answer.h"
#include "report/options.h"
#include "report/report.h"

/* What a question has of its own. */
struct timeline_question {
    long steps;            /* into which the time is cut; 0: as many as there is room for */
    double from_us, to_us; /* the part of the run; `to_us` 0: to its end */
    const char *label;     /* of a store: a chart for each of its values; NULL: not said */
    long functions; /* so many of the user's own that hold most are told one by one; 0: none */
};
_Static_assert(sizeof(struct timeline_question) <= QUESTION_OWN_BYTES, "room for it");

extern const struct question_option timeline_options[]; /* ended by one without a word */

bool timeline_check(struct question *question, struct heaptap_error *error);
const char *timeline_refuse(const struct report *report);

static inline bool timeline_is_part(const struct question *question)
{
    const struct timeline_question *own = (const struct timeline_question *)question->own;
    return own->from_us > 0 || own->to_us > 0;
}

/* Does it need all blocks, being of a part of the run or by function?  Then the report has no series. */
static inline bool timeline_needs_blocks(const struct question *question)
{
    const struct timeline_question *own = (const struct timeline_question *)question->own;
    return timeline_is_part(question) || own->functions > 0;
}

/* Of the report's series, or of its model, which then must have all blocks: in as many steps as a text of 80 columns has, where the
 * question doesn't say how many. */
enum report_outcome timeline_put(struct answer *answer, const struct report *report);

extern const struct answer_table *const timeline_tables[]; /* ended by NULL */

#endif
