/* Profiles of intervals of watched interpreters.  Their reports are files that they share with us
 * (spec/guest_report.h), so they are read while the program runs, and it does nothing for that:
 * what was allocated in an interval is the difference to the last look. */
#ifndef CLI_MEMTRACER_GUEST_INTERVALS_H
#define CLI_MEMTRACER_GUEST_INTERVALS_H

#include "base/map.h"
#include "cli/record/intervals.h"

struct guest_profile;
struct watched; /* a process */

struct guest_intervals {
    const char *folder; /* of the reports; borrowed */
    int64_t every_us;
    void (*take)(void *context, const struct interval *interval);
    void *context;
    int64_t next_us; /* when to look again; 0: has not begun */
    struct watched **processes;
    size_t count, capacity;
    size_t met; /* processes that profiles have come of */
};

/* Looks where an interval is over, or, `at_last`, in any case.  False when there is no memory. */
bool guest_intervals_collect(struct guest_intervals *intervals, bool at_last);

/* The profile of a process from its beginning until now, to be freed; NULL when there is no memory. */
struct model *guest_profile_pprof(const struct guest_profile *profile);

void guest_intervals_release(struct guest_intervals *intervals);

#endif
