/* Does one block grow until the run ends, replaced by ever larger ones?  An array that realloc enlarges, a buffer, a table: each of its
 * blocks is young, so that their ages (report/sites/survival.h) tell nothing, and hardly more than one is alive at any time.
 *
 * What is looked at is the size of the largest block that is alive at the end of each step; of blocks that were sampled, too, the size is
 * known.  Where none is seen, it is what it was before.
 *
 * The test.  Null hypothesis: where the size changes, it is as likely to fall as to rise.  Each pair of steps with another size than the
 * pair before is a trial, which succeeds if the size is larger than ever; p is the probability of at least as many successes, if each has one of 1/2, from a
 * third of the run on or from half of it on: the larger one counts.  As it is a second test of the site, p is doubled.  A buffer that has the size of the largest request
 * so far only rises, but rarely: the nth of requests in any order is the largest with a probability of 1/n (A. Renyi, "Theorie des elements saillants d'une suite
 * d'observations", 1962), and three rises or more in the last two thirds have a lower probability than that p.
 *
 * Conditions that can only clear: the block is half of what the site has at the end, or more; one was alive in three of four steps; the size never fell by
 * more than a tenth of how much it has grown since a third of the run, also before that; the last third has half of the middle one's growth or
 * more; and it has not paused at the end, for a tenth of the run, as it never had before. */
#ifndef REPORT_SITES_LARGEST_H
#define REPORT_SITES_LARGEST_H

#include "report/sites/survival.h"

struct largest {
    bool goes_on;               /* all conditions hold */
    unsigned trials, successes; /* of the sign test, from a third of the run on */
    double p;
    double from_bytes,
        to_bytes;        /* at the end of the first 16th, or when it was seen first; at the end */
    double growth_bytes; /* a second */
    struct estimate_range growth_range;
};

/* Of one site's cells, which has so much at the end. */
struct largest largest_of(const struct lives_cell *cells, size_t count,
                          const struct survival_span *span, double live_bytes);

#endif
