/* When and where the chosen profiles were: the parts of an instance's time, for reports that ask whether a level grows.
 *
 * An instance is a set of labels, for as long as its profiles come in regularly: a program that was away for a while may have
 * been started again.  Its time has STORE_PARTS parts of equal length; one with fewer profiles has none. */
#ifndef STORE_MOMENTS_H
#define STORE_MOMENTS_H

#include "profile/moment.h"
#include "store/database.h"

struct store_moments {
    struct moment *items; /* texts are owned */
    size_t count, capacity;
};

/* Makes temp.moment(profile, number): of each chosen profile that has inuse_space the number of its part in `items`.  Within a transaction, after
 * store_choose.  False when there is no memory; release them in either case. */
bool store_moments_mark(struct store_moments *moments, struct database *database);
void store_moments_release(struct store_moments *moments);

#endif
