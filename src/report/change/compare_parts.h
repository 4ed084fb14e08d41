/* The parts of report/change/compare.c's answer: both sides, the changes of their totals and of their functions, and what speaks against
 * comparing them. */
#ifndef REPORT_CHANGE_COMPARE_PARTS_H
#define REPORT_CHANGE_COMPARE_PARTS_H

#include "report/change/change_test.h"
#include "report/change/compare.h"
#include "report/change/difference.h"
#include "report/change/measured.h"

enum {
    COMPARE_IS_SAMPLED = 1,
    COMPARE_OF_FUNCTIONS = 2,
    COMPARE_OF_FILES = 4
}; /* for columns' `when` */

struct compare_side {
    const char *name;          /* of the file; borrowed, as all pointers below */
    const struct model *model; /* all of the file */
    bool is_whole;             /* all that the program did is in it */
    bool has[BUDGET_MEASURES]; /* which of the figures the file can give */
    struct budget_figure figures[BUDGET_MEASURES];
};

struct compare {
    const struct question *options;
    const struct filter *filter;        /* of both */
    const char *sample, *unit;          /* of the functions' values, in both */
    enum stack_weight weight;           /* of these: WEIGHT_BYTES or WEIGHT_VALUE */
    const struct report *base, *report; /* of both sides */
    struct compare_side before, after;
    const char *
        measure; /* what the functions' values are: "allocated", "live-at-end", "peak"; of other sample types, their name */
    struct difference_table table; /* of these; before is its base; borrowed */
};

/* Are its figures estimates? */
bool compare_side_is_sampled(const struct compare *compare, const struct compare_side *side);
bool compare_is_sampled(const struct compare *compare);

/* The smallest change that matters, as part of a total. */
double compare_smallest_part(const struct compare *compare);

/* ---- Changes ------------------------------------------------------------------------- */

/* One figure, in both. */
struct compare_change {
    double before, after;
    struct estimate_range before_range, after_range;
    struct estimate_range range; /* of after less before */
    bool is_unstable;            /* it depends on when a garbage collector ran */
    double p_of_all;             /* unless it is unstable: see report/change/change_test.h */
    enum change_verdict verdict; /* likewise */
};

/* Sets the range by those of before and after. */
void compare_find_range(struct compare_change *change);

/* A change as part of before; nothing where that is 0. */
struct answer_value compare_part_of(const struct compare_change *change);

/* ---- Totals -------------------------------------------------------------------------- */

struct compare_total {
    enum budget_measure measure;
    struct compare_change change;
};

/* Totals that both files have. */
struct compare_totals {
    struct compare_total items[BUDGET_MEASURES];
    size_t count;
};

struct compare_totals compare_totals_of(const struct compare *compare);

/* Do the peak and what is left depend on when a garbage collector ran? */
bool compare_is_collected(const struct compare *compare);

/* Is a total of this measure surely not what it was? */
bool compare_totals_has_changed(const struct compare_totals *figures, enum budget_measure measure);

/* Which total of bytes has fallen most, by its part, surely and not by the collector's timing; BUDGET_MEASURES for none. */
enum budget_measure compare_totals_most_fallen(const struct compare_totals *figures);

void compare_totals_put(struct answer *answer, const struct compare *compare,
                        const struct compare_totals *figures);

/* ---- Functions ----------------------------------------------------------------------- */

/* The functions' changes and how they were judged. */
struct compare_functions {
    struct compare_change *items; /* by row of the table; malloc'ed */
    struct change_rules rules;
    /* How many changed; and how many of these by what: those that are small, be it by chance or not, count as small alone. */
    size_t changed, chance, small, certain;
    struct compare_change small_sum; /* of those that are small, together; not judged */
};

/* False when there is no memory; then there is nothing to free. */
bool compare_functions_judge(struct compare_functions *changes, const struct compare *compare);

/* Do those that are small come to a change that matters, and is no chance? */
bool compare_functions_add_up(const struct compare_functions *changes);

/* Puts the first `shown` of those that changed.  False when there is no memory. */
bool compare_functions_put(struct answer *answer, const struct compare *compare,
                           const struct compare_functions *changes, size_t shown);

/* ---- Remarks ------------------------------------------------------------------------- */

/* Puts the reasons to doubt the comparison.  False when there is no memory. */
bool compare_remarks_put(struct answer *answer, const struct compare *compare);

extern const struct answer_table compare_totals_table, compare_functions_table,
    compare_remarks_table;

#endif
