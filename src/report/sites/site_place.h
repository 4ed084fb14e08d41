/* The line to change of a site's blocks, for whatever names it in a sentence: where a constructor or clone() allocates, its caller
 * decides, so that it is that of a caller with half of the bytes. */
#ifndef REPORT_SITES_SITE_PLACE_H
#define REPORT_SITES_SITE_PLACE_H

#include "report/sites/sites.h"

/* The site's own where nothing else decides, or the sites have no origins. */
struct symbol site_place(const struct sites *sites, const struct site *site);

enum { SITE_THROUGH_BYTES = 1024 };

/* " through Row::Row (row.h:7)", what a sentence has after such a place: the site; "" where both are one. */
const char *site_through_text(char text[SITE_THROUGH_BYTES], const struct symbol *place,
                              const struct site *site);

#endif
