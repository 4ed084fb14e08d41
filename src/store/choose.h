/* The profiles that a selector chooses, as a table of the connection's own. */
#ifndef STORE_CHOOSE_H
#define STORE_CHOOSE_H

#include "store/database.h"
#include "store/selector.h"

struct store;

/* Makes temp.NAME(profile, type, weight): each chosen profile with each of its types, and what its values count for: 1, but of
 * a level 1 / the number of its series' chosen profiles that have it.  Returns how many profiles are chosen.  Refuses a
 * file in which some of them have no totals. */
int64_t store_choose(struct store *store, const char *name, const struct store_selector *selector);

extern const char store_lost_totals[]; /* the sentence for that */

/* Makes the table `chosen_series (id)`: labels are looked at once for each series, of which there are few. */
void store_choose_series(struct database *database, const struct store_selector *selector);

#endif
