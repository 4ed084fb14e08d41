#include "report/blocks/median.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/order.h"

enum { DIGITS = 12, BUCKETS = (64 - DIGITS + 1) << DIGITS };

static unsigned bucket_of(uint64_t value)
{
    unsigned bits = 64 - (unsigned)__builtin_clzll(value | 1);
    unsigned shift = bits > DIGITS + 1 ? bits - DIGITS - 1 : 0;
    return (shift << DIGITS) + (unsigned)(value >> shift);
}

bool median_count(struct median_counts *counts, uint64_t value, double weight)
{
    if (!counts->buckets && !(counts->buckets = calloc(BUCKETS, sizeof *counts->buckets)))
        return false;
    counts->buckets[bucket_of(value)] += weight;
    counts->total += weight;
    return true;
}

void median_counts_release(struct median_counts *counts)
{
    free(counts->buckets);
    *counts = (struct median_counts){0};
}

/* Is it the first for which `reached`, the weight up to it, comes to the target, or passes it? */
static bool has_reached(double reached, double target, bool passes)
{
    return passes ? reached > target : reached >= target;
}

/* Where that is so; where rounding has eaten the rest, the last that has a weight. */
static struct median_window window_at(const struct median_counts *counts, double target,
                                      bool passes)
{
    struct median_window last = {0};
    double below = 0;
    for (unsigned bucket = 0; bucket < BUCKETS; bucket++) {
        if (counts->buckets[bucket] <= 0)
            continue;
        last = (struct median_window){bucket, below};
        below += counts->buckets[bucket];
        if (has_reached(below, target, passes))
            break;
    }
    return last;
}

void median_look_begin(struct median_look *look, const struct median_counts *counts)
{
    double target = counts->total / 2;
    *look = (struct median_look){.target = target,
                                 .low = window_at(counts, target, false),
                                 .high = window_at(counts, target, true)};
}

bool median_look_add(struct median_look *look, uint64_t value, double weight)
{
    bool fresh;
    unsigned bucket = bucket_of(value);
    if (bucket != look->low.bucket && bucket != look->high.bucket)
        return true;
    uint32_t *place = map_put(&look->index, value, (uint32_t)look->count, &fresh);
    if (!place || !ARRAY_RESERVE(&look->seen, &look->capacity, look->count + 1))
        return false;
    if (fresh)
        look->seen[look->count++] = (struct weighted_value){.value = value};
    look->seen[*place].weight += weight;
    return true;
}

/* As window_at, among the values of the window, which are in order. */
static uint64_t value_at(const struct median_look *look, const struct median_window *window,
                         bool passes)
{
    double reached = window->below;
    uint64_t last = 0;
    for (size_t i = 0; i < look->count; i++) {
        if (bucket_of(look->seen[i].value) != window->bucket || look->seen[i].weight <= 0)
            continue;
        last = look->seen[i].value;
        reached += look->seen[i].weight;
        if (has_reached(reached, look->target, passes))
            break;
    }
    return last;
}

double median_look_end(struct median_look *look)
{
    if (look->count > 0)
        qsort(look->seen, look->count, sizeof *look->seen, order_numbers);
    uint64_t low = value_at(look, &look->low, false), high = value_at(look, &look->high, true);
    return (double)low + (double)(high - low) / 2;
}

void median_look_release(struct median_look *look)
{
    map_release(&look->index);
    free(look->seen);
    *look = (struct median_look){0};
}
