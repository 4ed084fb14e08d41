/* What of a site is held by nothing, by the last snapshot of what holds blocks (profile/holders.h). */
#ifndef REPORT_SITES_LOST_H
#define REPORT_SITES_LOST_H

#include "report/sites/sites.h"

/* Of its blocks that are left, or of a trace that doesn't say which are, of those in the snapshot: the part of the bytes that no root
 * leads to.  0 where there was no snapshot, or none of its blocks were in it. */
double lost_part(const struct sites *sites, const struct site *site);

/* By site, the bytes that are left and that no root leads to; zeros where that isn't known.  To be freed; NULL when there is no memory. */
double *lost_bytes(const struct sites *sites);

#endif
