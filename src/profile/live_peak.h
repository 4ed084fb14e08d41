/* When most of what a filter leaves was alive, to the microsecond. */
#ifndef PROFILE_LIVE_PEAK_H
#define PROFILE_LIVE_PEAK_H

#include "profile/matcher.h"

struct live_peak_found {
    int64_t time_us; /* the earliest of such times */
    int64_t samples; /* alive at the end of that microsecond */
    double density;  /* the same as sums of model_shape.density */
};

/* Within from_us <= time < to_us.  Takes some tens of megabytes, whatever the number of objects.
 * False when there is no memory. */
bool live_peak_find(struct live_peak_found *peak, const struct matcher *matcher, int64_t from_us,
                    int64_t to_us);

#endif
