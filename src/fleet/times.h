/* Times of profiles, and the steps into which a report cuts all of them. */
#ifndef FLEET_TIMES_H
#define FLEET_TIMES_H

#include "report/change/services.h"

struct interval {
    int64_t from_us, until_us;
};

/* When any of several series sent.  Zeroed, it is empty; `items` and `parts` are to be freed. */
struct sending {
    struct interval *items; /* in no order, some within others */
    size_t count, capacity;
    double *parts; /* by step: the part in which any did; the caller's zeros at first */
};

/* How long what is of a moment holds, in steps. */
#define TIMES_MOMENT 1e-9

/* Adds `value` to the steps of `services` by the time that it holds: a level times the part of each step, an amount shared out; `shares`,
 * NULL for none, gets how much of each step that is.  What is of a moment belongs to one step. */
void times_spread(const struct services *services, struct interval time, double value,
                  bool is_level, double *sums, double *shares);

/* False when there is no memory. */
bool times_add(struct sending *sending, struct interval time);

/* How long any series sent, in microseconds; and which part of each step.  Sorts the times. */
double times_sent(const struct services *services, struct sending *sending);

#endif
