/* What a report's blocks come to over time. */
#ifndef REPORT_BLOCKS_OVER_TIME_H
#define REPORT_BLOCKS_OVER_TIME_H

#include "report/report.h"

struct over_time {
    struct series passing; /* what passes the filter */
    struct series all;     /* everything, where there is a filter; else zeroed */
    bool has_filter;
};

/* Which part of the run, and what of it. */
struct over_time_part {
    int64_t from_us,
        to_us; /* the end is not included; that of all of it is the model's end_us + 1 */
    size_t steps;
    bool lacks_all; /* what doesn't pass the filter is of no interest: `all` stays zeroed */
    bool
        is_curve; /* to be drawn: nothing but what passes the filter, without its peak (series_init_steps) */
};

/* Of the report's series, of all of the run, which are taken over; or of its model, which then has all blocks.  False when there is
 * no memory; then there is nothing to release. */
bool over_time_init(struct over_time *over, const struct report *report,
                    const struct over_time_part *part);
void over_time_release(struct over_time *over);

#endif
