/* The peak of what a filter leaves, to the microsecond; profile/peak.h says what it is. */
#ifndef PROFILE_LIVE_PEAK_H
#define PROFILE_LIVE_PEAK_H

#include "profile/matcher.h"

struct live_peak {
    struct peak peak;
    double density,
        squares; /* of the samples of the estimate: the sums of model_shape.density, and of the squares of
                                their weights */
    double highest_density, highest_squares; /* of those alive at peak.highest_us */
};

/* Within from_us <= time < to_us.  Of folded rows (profile/folded_rows.h) only the whole, without a filter, where the model was asked for
 * what is alive at the peak.  Takes some tens of megabytes, whatever the number of objects.
 * False when there is no memory. */
bool live_peak_find(struct live_peak *found, const struct matcher *matcher, int64_t from_us,
                    int64_t to_us);

#endif
