/* Where a run ends, and where it has its peak: what must be known of a trace before its blocks can be judged as they end. */
#ifndef PROFILE_RUN_BOUNDS_H
#define PROFILE_RUN_BOUNDS_H

#include "heaptap/trace.h"
#include "profile/peak.h"

struct run_bounds {
    int64_t end_us; /* time of the last event */
    struct peak peak;
};

/* Reads `reader`, of true order, to its end, without a look at stacks.  Damage is such an end, too: the next reading of the
 * trace meets it, and reports it.  False when there is no memory. */
bool run_bounds_read(struct run_bounds *bounds, struct heaptap_reader *reader);

#endif
