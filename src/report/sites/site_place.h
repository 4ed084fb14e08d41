/* The line to change of a site's blocks, for whatever names it in a sentence: where a constructor or clone() allocates, its caller
 * decides, so that it is that of a caller with half of the bytes. */
#ifndef REPORT_SITES_SITE_PLACE_H
#define REPORT_SITES_SITE_PLACE_H

#include "profile/library_calls.h"
#include "report/sites/sites.h"
#include "report/symbol_columns.h"

/* Which of a site's blocks a sentence is about. */
enum site_figure { SITE_ALLOCATED, SITE_LEFT, SITE_PEAK };

/* The site's own where nothing else decides, or the sites have no origins.  With what it calls, by those blocks. */
struct symbol site_place(const struct sites *sites, const struct site *site,
                         enum site_figure figure);

/* What a site whose function has no name calls, by these blocks; also of symbol.call. */
struct symbol_call site_call(const struct sites *sites, const struct site *site,
                             enum site_figure figure);

/* The same of all sites, by function (library_calls_of).  False when there is no memory; release it in either case. */
bool site_calls_init(struct library_calls *calls, const struct sites *sites,
                     enum site_figure figure);

/* Marks a call that has all of one figure, but may have little of another that stands beside it, of which `whole` has the most. */
void symbol_call_beside(struct symbol_call *call, const struct symbol_call *whole);

enum { SITE_THROUGH_BYTES = SYMBOL_CALL_BYTES };

/* " through Row::Row (row.h:7)", what a sentence has after such a place: the site.  Where both are one, what it calls
 * (symbol_call_text), or "". */
const char *site_through_text(char text[SITE_THROUGH_BYTES], const struct symbol *place,
                              const struct site *site);

#endif
