/* Which sites of two choices of profiles are the same.
 *
 * A version may have been built in another folder than the one before: then no file has the same path in both.  A site is the one
 * of the same function in the same file; where it has no such partner, the one whose file has the most of the path's last parts in
 * common with it, its name at least.  Several that have as much in common are taken together. */
#ifndef FLEET_SITE_MATCHING_H
#define FLEET_SITE_MATCHING_H

#include "store/store.h"

/* Sets the number of each site of both sides, the same where the sites are, and how many numbers there are.  The arrays have
 * room for their sides' sites.  False when there is no memory. */
bool site_matching(const struct store_sites sides[2], uint32_t *const numbers[2], uint32_t *count);

#endif
