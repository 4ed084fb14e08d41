#include "fleet/times.h"

#include <stdlib.h>

#include "base/array.h"

void times_spread(const struct services *services, struct interval time, double value,
                  bool is_level, double *sums, double *shares)
{
    double step = (double)(services->to_us - services->from_us) / (double)services->steps;
    double from = (double)(time.from_us - services->from_us) / step;
    double until = (double)(time.until_us - services->from_us) / step;
    double whole = until - from > TIMES_MOMENT ? until - from : TIMES_MOMENT;
    from = until - whole;
    size_t first = from > 0 ? (size_t)from : 0;
    for (size_t i = first; i < services->steps && (double)i < until; i++) {
        double begin = from > (double)i ? from : (double)i;
        double end = until < (double)i + 1 ? until : (double)i + 1;
        double part = end - begin;
        if (part <= 0)
            continue;
        sums[i] += is_level ? value * part : value * part / whole;
        if (shares)
            shares[i] += part;
    }
}

bool times_add(struct sending *sending, struct interval time)
{
    struct interval *last = sending->count > 0 ? &sending->items[sending->count - 1] : NULL;
    if (last && last->until_us == time.from_us) {
        last->until_us = time.until_us;
        return true;
    }
    if (!ARRAY_RESERVE(&sending->items, &sending->capacity, sending->count + 1))
        return false;
    sending->items[sending->count++] = time;
    return true;
}

static int by_begin(const void *left, const void *right)
{
    const struct interval *a = left, *b = right;
    return (a->from_us > b->from_us) - (a->from_us < b->from_us);
}

double times_sent(const struct services *services, struct sending *sending)
{
    double sent = 0;
    int64_t until_us = INT64_MIN;
    if (sending->count > 0)
        qsort(sending->items, sending->count, sizeof *sending->items, by_begin);
    for (size_t i = 0; i < sending->count; i++) {
        struct interval fresh = sending->items[i];
        if (fresh.from_us < until_us)
            fresh.from_us = until_us;
        if (fresh.until_us <= fresh.from_us)
            continue;
        until_us = fresh.until_us;
        sent += (double)(fresh.until_us - fresh.from_us);
        if (services->steps > 0)
            times_spread(services, fresh, 1, true, sending->parts, NULL);
    }
    return sent;
}
