/* Before and after: what changed from one recording to another, and what of it is more than chance. */
#ifndef REPORT_CHANGE_COMPARE_H
#define REPORT_CHANGE_COMPARE_H

#include "report/change/budget.h"
#include "report/change/difference.h"
#include "answer/answer.h"
#include "report/options.h"
#include "report/report.h"

/* What a question has of its own. */
struct compare_question {
    double smallest; /* change that matters, as part of the larger total */
};
_Static_assert(sizeof(struct compare_question) <= QUESTION_OWN_BYTES, "room for it");

extern const struct question_option compare_options[]; /* ended by one without a word */
extern const struct compare_question compare_usual;

struct compare_side {
    const char *name;          /* of the file; borrowed, as all pointers below */
    const struct model *model; /* all of the file */
    bool is_whole;             /* all that the program did is in it */
    bool has[BUDGET_MEASURES]; /* which of the figures the file can give */
    struct budget_figure figures[BUDGET_MEASURES];
};

struct compare {
    const struct question *options;
    const struct filter *filter; /* of both */
    const char *sample, *unit;   /* of the functions' values, in both */
    enum stack_weight weight;    /* of these: WEIGHT_BYTES or WEIGHT_VALUE */
    struct compare_side before, after;
    struct difference_table table; /* before is its base */
};

extern const struct answer_table *const compare_tables[]; /* ended by NULL */

const char *compare_refuse(const struct report *report);

/* Of a report and its base, whose values are in the same unit. */
enum report_outcome compare_put(struct answer *answer, const struct report *report);

#endif
