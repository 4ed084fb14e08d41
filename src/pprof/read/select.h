/* A pprof profile of what a filter leaves of another. */
#ifndef PPROF_READ_SELECT_H
#define PPROF_READ_SELECT_H

#include "pprof/read/profile.h"
#include "profile/selection.h"

/* A profile of the samples that pass, with stacks as the selection has them; equal ones are added up.
 * `matcher` and `selection` are of the model of `source`, which gives what is not about samples.
 * `*pprof` is the caller's, and borrows from nothing.  False when there is no memory. */
bool pprof_select(struct pprof **pprof, const struct pprof *source, const struct matcher *matcher,
                  const struct selection *selection);

#endif
