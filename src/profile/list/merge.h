/* Several profiles made one, as pprof does it. */
#ifndef PROFILE_LIST_MERGE_H
#define PROFILE_LIST_MERGE_H

#include "profile/profile_file.h"

/* Adds the samples of `from`, and all that they need, to those of `to`; they may come in another order
 * of sample types.  Programs and libraries of one build and offset are one, also where they were
 * loaded at other addresses: addresses in them are moved.  What else there is, comments aside, stays
 * as the first had it; the time is the earlier one, the duration the sum.  Events are dropped.
 * HEAPTAP_BAD_ARGUMENT where the two have not the same sample types; then, and without memory,
 * `to` is only fit to be freed. */
enum heaptap_status profile_merge(struct model *to, const struct model *from,
                                  struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
