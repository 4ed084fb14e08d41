/* Blocks of CPython's objects that are dead stay with the line that allocated them where the interpreter keeps them in a free list, and
 * gives them to another line: no recording tells that. */
#ifndef REPORT_SITES_FREE_LISTS_H
#define REPORT_SITES_FREE_LISTS_H

#include "report/sites/sites.h"

/* Is at least half of what is alive of a site of types that have a free list? */
bool free_lists_may_hold(const struct sites *sites, const struct site *site);

#endif
