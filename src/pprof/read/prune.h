/* drop_frames and keep_frames of a pprof profile: frames that it says are of no interest. */
#ifndef PPROF_READ_PRUNE_H
#define PPROF_READ_PRUNE_H

#include "pprof/read/profile.h"

/* What is left of locations and stacks; zeroed where nothing is dropped. */
struct pprof_prune {
    uint32_t *line_count; /* by location: how many of its lines are left, from the outermost on; 0
                             for none.  NULL where nothing is dropped */
};

/* False when there is no memory.  An expression that is none is as if it weren't there. */
bool pprof_prune_init(struct pprof_prune *prune, const struct pprof *pprof);
void pprof_prune_release(struct pprof_prune *prune);

/* How many frames of a sample, from its innermost on, are to be left out. */
size_t pprof_prune_frames(const struct pprof_prune *prune, const struct pprof *pprof,
                          size_t sample);

/* How many lines are left of a location. */
static inline uint32_t pprof_prune_lines(const struct pprof_prune *prune, const struct pprof *pprof,
                                         size_t location)
{
    return prune->line_count ? prune->line_count[location] : pprof->locations[location].line_count;
}

#endif
