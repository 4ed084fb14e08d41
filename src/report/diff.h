/* What changed between two traces or profiles, by function. */
#ifndef REPORT_DIFF_H
#define REPORT_DIFF_H

#include "analyze/difference.h"
#include "answer/answer.h"
#include "report/options.h"

/* What a question has of its own. */
struct diff_question {
    bool normalize; /* the new one is scaled to the base's total */
};
_Static_assert(sizeof(struct diff_question) <= QUESTION_OWN_BYTES, "room for it");

extern const struct question_option diff_options[]; /* ended by one without a word */

struct diff {
    const struct question *options;
    const char *base_name, *other_name; /* of the files */
    const struct filter *filter;        /* of both */
    struct library_hidden other_hidden; /* what the new one's sites leave out, and ... */
    double other_hidden_share;          /* ... how much of it comes through that */
    char *unit, *sample;                /* of both */
    enum stack_weight weight;
    bool normalize;                                /* as in the question */
    bool base_is_sampled, other_is_sampled;        /* their figures are estimates */
    struct estimate_range base_range, other_range; /* 95 % bounds of the totals, unscaled */
    struct difference_table table;
};

extern const struct answer_table *const diff_tables[]; /* ended by NULL */

/* False when there is no memory. */
bool diff_put(struct answer *answer, const struct diff *diff);

#endif
