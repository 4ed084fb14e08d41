/* Does what is in use at a site go on growing?  Of a fleet's store, whose profiles have levels and no lives: each instance is judged by
 * itself, over its own time (profile/moment.h), so that a restart, a new version and more instances are no growth.
 *
 * An instance's p is that of a trend of its level (report/sites/trend.h); where the profiles also have what was allocated, the
 * larger of it and that of the level over the rate of allocation, which is the mean life of a block (J. D. C. Little, "A proof for the queuing formula
 * L = lambda W", Operations Research 9, 1961): where there is more load, more is in use, and lives no longer.  One whose
 * growth does not go on to the end has a p of 1.
 *
 * Instances of a version share their load, so that their p depend on each other.  That of the version is twice the smaller of n times the
 * smallest and twice the median (B. Rueger, "Das maximale Signifikanzniveau des Tests", Metrika 25, 1978), which holds
 * whatever they share.  Those of all sites and versions are corrected by Holm's method, as in survival.h. */
#ifndef REPORT_SITES_LEVELS_H
#define REPORT_SITES_LEVELS_H

#include "profile/moment.h"
#include "report/sites/sites.h"

/* What is found of a site in the version that grows most surely. */
struct level {
    double p, p_of_all;
    const char *version; /* "" where labels tell none; borrowed from the model */
    unsigned judged,
        growing; /* instances of that version that have the site, and those that grow */
    unsigned others, others_growing; /* of other versions */
    double growth_bytes;             /* a second: the mean of those that grow */
    struct estimate_range growth_range;
    double from_bytes, to_bytes; /* their first and last parts' means */
    double run_us;               /* the longest of them */
    double curve[MOMENT_PARTS];  /* their mean, or that of all, by part */
};

struct levels {
    struct level *items; /* by site */
    size_t instances;    /* that are long enough */
    size_t versions;
};

/* Of a model of values.  False when there is no memory; then there is nothing to release. */
bool levels_init(struct levels *levels, const struct sites *sites, const struct matcher *matcher);
void levels_release(struct levels *levels);

#endif
