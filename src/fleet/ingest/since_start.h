/* Profiles that count from their program's start, made into those of an interval.
 *
 * Go's heap profile says what was allocated since the program began; a store wants what was allocated since the profile
 * before.  So what the last one had of each stack is remembered and taken off.  What is in use is a level, which stays as it is.  Of
 * the first profile the interval is not known: nothing counts as allocated then.  A total that is smaller than before is that of a
 * program that has started again: all of it counts.  A single stack may have less than before, as Go scales what it samples by the
 * mean size of its blocks: nothing of it counts until it has more. */
#ifndef FLEET_INGEST_SINCE_START_H
#define FLEET_INGEST_SINCE_START_H

#include "base/map.h"
#include "profile/model.h"

/* What one profile had: sums by a hash of stack and type. */
struct since_start_sums {
    struct map places; /* -> index into values */
    int64_t *values;
    size_t count, capacity;
};

enum { SINCE_START_TYPES = 16 }; /* a profile has no more that are of use */

/* Zeroed, there was none. */
struct since_start {
    bool is_known; /* there was one */
    struct since_start_sums before, now;
    double totals[SINCE_START_TYPES], new_totals[SINCE_START_TYPES]; /* by type */
};

/* Makes the samples of a model those since the profile before.  False when there is no memory; the model is then good for release
 * only. */
bool since_start_take_off(struct since_start *since, struct model *model);

/* The last profile has been stored: the next is counted from it.  Else it is as if it had not come. */
void since_start_keep(struct since_start *since);
void since_start_release(struct since_start *since);

#endif
