/* Two reports of what functions allocate, asked instead what is alive at the end or at the peak: the same filter and options, and a
 * difference of that. */
#ifndef REPORT_CHANGE_MEASURED_H
#define REPORT_CHANGE_MEASURED_H

#include "report/change/budget.h"
#include "report/change/difference.h"
#include "report/report.h"

/* A report of a measure; it has the question, and the filter with a clause more. */
struct measured_side {
    struct question question;
    struct report report;
};

/* The same filter and options as those of a report of blocks or values, which is borrowed.  False when there is no memory. */
bool measured_side_init(struct measured_side *side, const struct report *of,
                        enum budget_measure measure);
void measured_side_release(struct measured_side *side);

struct measured {
    struct measured_side before, after;
    struct model *difference;
    struct difference_table table; /* of the difference */
};

/* Can both be asked?  The peak of what a filter leaves has a time of its own, which no clause says. */
bool measured_can(const struct report *before, const struct report *after,
                  enum budget_measure measure);

/* The reports, which have their selections, are borrowed.  False when there is no memory; then there is nothing to release. */
bool measured_init(struct measured *measured, const struct report *before,
                   const struct report *after, enum budget_measure measure,
                   const struct difference_options *how);
void measured_release(struct measured *measured);

#endif
