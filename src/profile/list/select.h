/* A pprof profile of what a filter leaves of it. */
#ifndef PROFILE_LIST_SELECT_H
#define PROFILE_LIST_SELECT_H

#include "profile/profile_file.h"
#include "profile/selection.h"

/* A profile of the rows of `model` that pass, with stacks as the selection has them; equal ones are added up.  `matcher` and
 * `selection` are of `model`, whose texts and file go over to the result: it is then only fit to be freed, together with them.  NULL
 * when there is no memory. */
struct model *profile_select(struct model *model, const struct matcher *matcher,
                             const struct selection *selection);

#endif
