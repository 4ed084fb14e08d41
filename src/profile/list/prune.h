/* drop_frames and keep_frames of a pprof profile: frames that it says are of no interest. */
#ifndef PROFILE_LIST_PRUNE_H
#define PROFILE_LIST_PRUNE_H

#include "profile/profile_file.h"

/* What is left of locations and stacks; zeroed where nothing is dropped. */
struct profile_prune {
    uint32_t *line_count; /* by location: how many of its lines are left, from the outermost on; 0
                             for none.  NULL where nothing is dropped */
};

/* False when there is no memory.  An expression that is none is as if it weren't there. */
bool profile_prune_init(struct profile_prune *prune, const struct model *model);
void profile_prune_release(struct profile_prune *prune);

/* How many frames of a sample, from its innermost on, are to be left out. */
size_t profile_prune_frames(const struct profile_prune *prune, const struct model *model,
                            size_t sample);

/* How many lines are left of a location. */
static inline uint32_t profile_prune_lines(const struct profile_prune *prune,
                                           const struct model *model, size_t location)
{
    return prune->line_count ? prune->line_count[location] : model->frames[location].line_count;
}

#endif
