/* A set of functions that are wrappers of allocators: profile/wrappers.h finds them. */
#ifndef PROFILE_WRAPPER_SET_H
#define PROFILE_WRAPPER_SET_H

#include "base/map.h"
#include "heaptap/trace.h"

/* A set of functions, each by its name and its file's.  Zeroed, it is empty. */
struct wrappers {
    struct map by_name; /* hash of both -> 1 */
};

/* What stands for a location's function in a set. */
uint64_t wrappers_hash(const struct heaptap_location *location);

/* Adds those of another set: two recordings that are compared pass through the same functions.  False when there is no
 * memory. */
bool wrappers_join(struct wrappers *wrappers, const struct wrappers *from);
void wrappers_release(struct wrappers *wrappers);

/* Is the location's function in the set?  NULL is an empty one. */
bool wrappers_have(const struct wrappers *wrappers, const struct heaptap_location *location);

#endif
