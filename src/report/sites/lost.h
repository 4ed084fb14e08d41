/* What of a site is held by nothing, by the last snapshot of what holds blocks (profile/holders.h). */
#ifndef REPORT_SITES_LOST_H
#define REPORT_SITES_LOST_H

#include "report/sites/sites.h"

/* The part of its bytes there that no root leads to; 0 where there was no snapshot, or none of its blocks were in it. */
double lost_part(const struct sites *sites, const struct site *site);

#endif
