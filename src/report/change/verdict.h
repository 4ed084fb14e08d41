/* Does a figure keep to its budget?  An estimate breaks it where it is over the limit with 95 % certainty.  Or is it what was
 * expected, within a factor of ten? */
#ifndef REPORT_CHANGE_VERDICT_H
#define REPORT_CHANGE_VERDICT_H

#include "report/change/budget.h"

struct budget {
    enum budget_measure measure;
    struct filter filter;
    double limit;     /* bytes or objects; of a growth, as a part of the base: 0.05 */
    bool is_growth;   /* over the base, where there is one */
    bool where_known; /* of files and bases that tell of the measure; others have no such budget */
    bool is_expected; /* the limit is no limit, but what is expected */
    const char
        *test; /* borrowed: of a test of the program, its name; NULL: of all that was recorded */
};

/* What is measured for a budget.  What a test has left is what was alive when it ended, which its filter says. */
static inline enum budget_measure budget_counted(const struct budget *budget)
{
    return budget->test && budget->measure == BUDGET_LIVE_AT_END ? BUDGET_ALLOCATED
                                                                 : budget->measure;
}

enum verdict { VERDICT_HOLDS, VERDICT_UNCERTAIN, VERDICT_BROKEN };

/* What became of a budget. */
struct outcome {
    const struct budget *budget;
    const char *file; /* borrowed: its name */
    struct budget_figure figure, base;
    double limit;               /* in the figure's unit */
    struct estimate_range over; /* of figure less limit */
    enum verdict verdict;
    bool is_whole;           /* all that the program did is in the file */
    bool is_open;            /* what the file lacks, or the base, might change the verdict */
    bool is_open_by_base;    /* ... what the base lacks alone */
    bool holds_so_far;       /* ... which would be that it holds */
    struct call_graph sites; /* of a budget that doesn't surely hold */
};

/* Fills limit, over and verdict from the figures.  Strict: an estimate over its limit breaks the budget, however uncertain
 * it is. */
void verdict_judge(struct outcome *outcome, bool is_strict);

/* A verdict that could change with what the file lacks, or the base, is uncertain. */
void verdict_doubt(struct outcome *outcome, bool file_lacks, bool base_lacks);

/* "holds", "uncertain", "broken" */
const char *verdict_name(enum verdict verdict);

#endif
