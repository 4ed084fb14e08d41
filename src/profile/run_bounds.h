/* Where a run ends, and where it has its peak: what must be known of a trace before its blocks can be judged as they end. */
#ifndef PROFILE_RUN_BOUNDS_H
#define PROFILE_RUN_BOUNDS_H

#include "heaptap/trace.h"
#include "profile/peak.h"

struct run_bounds {
    int64_t end_us; /* as of run_end_us */
    struct peak peak;
};

/* When the run of a trace that has been read to its end was over, in microseconds since its start: when the program ended, as its recorder
 * says, which may be long after the latest event, at `last_us`; else then.  Where the recording stopped before, or
 * the program still runs, it is over when that was: of the time after it nothing is known, while before it the program may have been idle. */
int64_t run_end_us(const struct heaptap_reader *reader, int64_t last_us);

/* Reads `reader`, of true order, to its end, without a look at stacks.  Damage is such an end, too: the next reading of the
 * trace meets it, and reports it.  False when there is no memory. */
bool run_bounds_read(struct run_bounds *bounds, struct heaptap_reader *reader);

#endif
