/* What the heaviest functions of the user's own code hold over time: functions of libraries at the inner ends of stacks are left out. */
#ifndef REPORT_BLOCKS_FUNCTIONS_OVER_TIME_H
#define REPORT_BLOCKS_FUNCTIONS_OVER_TIME_H

#include "profile/series.h"
#include "report/blocks/over_time.h"

enum { FUNCTIONS_OVER_TIME_MAX = 16, FUNCTION_SHOWN_STEPS = 24 };

struct function_over_time {
    struct symbol symbol; /* first: SYMBOL_COLUMNS */
    double share;         /* of what is held, bytes times time, in the part that is looked at */
    double *live_bytes;   /* at the end of each step */
    double *live_objects; /* in the same storage */
    size_t steps;         /* how many there are of either */
    double shown[FUNCTION_SHOWN_STEPS]; /* the most of `live_bytes` in each of these, for people */
};

struct functions_over_time {
    struct function_over_time items[FUNCTIONS_OVER_TIME_MAX]; /* the heaviest first */
    size_t count;
    struct symbols symbols; /* of the items */
};

/* Of what passes the report's filter; its model has all blocks.  At most `most` functions, which are no more than
 * FUNCTIONS_OVER_TIME_MAX.  False when there is no memory; then there is nothing to release. */
bool functions_over_time_init(struct functions_over_time *functions, const struct report *report,
                              const struct over_time_part *part, size_t most);
void functions_over_time_release(struct functions_over_time *functions);

#endif
