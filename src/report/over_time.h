/* What a report's blocks come to over time. */
#ifndef REPORT_OVER_TIME_H
#define REPORT_OVER_TIME_H

#include "report/report.h"

struct over_time {
    struct series passing; /* what passes the filter */
    struct series all;     /* everything, where there is a filter; else zeroed */
    bool has_filter;
};

/* Of the report's series, which are taken over, or of its model, in so many steps; the model then has all blocks.  False when
 * there is no memory; then there is nothing to release. */
bool over_time_init(struct over_time *over, const struct report *report, size_t steps);
void over_time_release(struct over_time *over);

#endif
