/* What changed between two traces or profiles, by function. */
#ifndef REPORT_CHANGE_DIFF_H
#define REPORT_CHANGE_DIFF_H

#include "report/change/difference_test.h"
#include "answer/answer.h"
#include "report/options.h"
#include "report/report.h"

/* What a question has of its own. */
struct diff_question {
    bool normalize;  /* the new one is scaled to the base's total */
    double smallest; /* change that matters, as part of the larger total */
};
_Static_assert(sizeof(struct diff_question) <= QUESTION_OWN_BYTES, "room for it");

extern const struct diff_question diff_usual;
extern const struct question_option diff_options[]; /* ended by one without a word */

struct diff {
    const struct question *options;
    const char *base_name, *other_name; /* of the files */
    const struct filter *filter;        /* of both */
    struct library_hidden other_hidden; /* what the new one's sites leave out, and ... */
    double other_hidden_share;          /* ... how much of it comes through that */
    char *unit, *sample;                /* of both; owned */
    enum stack_weight weight;
    bool normalize;                         /* as in the question */
    bool has_errors;                        /* how far off the figures of both may be is known */
    bool tells_codes;                       /* of both: struct frame_source */
    bool base_is_sampled, other_is_sampled; /* their figures are estimates */
    bool has_table;                         /* there is a table to release */
    double base_whole;                      /* of the base, all that its report is about */
    struct estimate_range base_range, other_range; /* 95 % bounds of the totals, unscaled */
    struct merging *merging;                       /* of the values of both, until all are there */
    struct model *model; /* of the values of both by stack (report/change/difference.h); owned */
    struct difference_table table;
    struct change_rules rules; /* of the verdicts */
    struct function_verdict
        *verdicts; /* by row, of cum; NULL where the errors of a file's figures aren't known */
};

extern const struct answer_table *const diff_tables[]; /* ended by NULL */

/* Made in three steps: of the base, of what is compared with it, whose values are in the same unit, and then of both.  After
 * its step a report's model and selection may go; its options, names and filter stay.  False when there is no memory: diff_release
 * is called in any case. */
bool diff_begin(struct diff *diff, const struct report *base);
bool diff_add(struct diff *diff, const struct report *other);
bool diff_end(struct diff *diff);
void diff_release(struct diff *diff);

/* False when there is no memory. */
bool diff_put(struct answer *answer, const struct diff *diff);

/* Of a report and its base, whose values are in the same unit, in one go. */
enum report_outcome diff_of_reports(struct answer *answer, const struct report *report);

#endif
