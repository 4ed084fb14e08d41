/* A pprof profile of what a filter leaves of it. */
#ifndef PPROF_READ_SELECT_H
#define PPROF_READ_SELECT_H

#include "pprof/read/profile.h"
#include "profile/selection.h"

/* Leaves the samples of `*pprof` that pass, with stacks as the selection has them; equal ones are added up.
 * `matcher` and `selection` are of its model.  False when there is no memory; then the profile is freed, and NULL. */
bool pprof_select(struct pprof **pprof, const struct matcher *matcher,
                  const struct selection *selection);

#endif
