#include "report/blocks/lifetimes.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void lifetimes_release(struct lifetimes *lifetimes)
{
    free(lifetimes->values);
    free(lifetimes->weights);
    median_counts_release(&lifetimes->counts);
    median_look_release(&lifetimes->look);
    *lifetimes = (struct lifetimes){0};
}

static bool keep(struct lifetimes *lifetimes, uint64_t value, double weight, bool weighted)
{
    size_t count = lifetimes->count + 1;
    if (!ARRAY_RESERVE(&lifetimes->values, &lifetimes->capacity, count) ||
        (weighted && !ARRAY_RESERVE(&lifetimes->weights, &lifetimes->weights_capacity, count)))
        return false;
    if (weighted)
        lifetimes->weights[lifetimes->count] = weight;
    lifetimes->values[lifetimes->count] = value;
    return true;
}

bool lifetimes_add(struct lifetimes *lifetimes, uint64_t value, double weight, bool weighted)
{
    unsigned bin = lifetimes_bin_of(value);
    if (lifetimes->looks_again)
        return median_look_add(&lifetimes->look, value, weight);
    if (!lifetimes->only_counts && !keep(lifetimes, value, weight, weighted))
        return false;
    lifetimes->count++;
    lifetimes->sum += (long double)weight * (long double)value;
    lifetimes->max = value > lifetimes->max ? value : lifetimes->max;
    lifetimes->bins[bin] += weight;
    lifetimes->blocks[bin]++;
    return median_count(&lifetimes->counts, value, weight);
}

void lifetimes_look_again(struct lifetimes *lifetimes)
{
    lifetimes->looks_again = true;
    if (lifetimes->counts.total > 0)
        median_look_begin(&lifetimes->look, &lifetimes->counts);
}

unsigned lifetimes_bin_of(uint64_t value)
{
    if (value < LIFETIMES_EXACT_BINS)
        return (unsigned)value;
    return LIFETIMES_EXACT_BINS + 63 - (unsigned)__builtin_clzll(value) - 5;
}

uint64_t lifetimes_bin_begin(unsigned bin)
{
    if (bin <= LIFETIMES_EXACT_BINS)
        return bin;
    return bin < LIFETIMES_BINS ? UINT64_C(1) << (bin - LIFETIMES_EXACT_BINS + 5) : UINT64_MAX;
}

/* The second look at what is kept. */
static bool look_at_kept(struct lifetimes *lifetimes)
{
    bool done = true;
    median_look_begin(&lifetimes->look, &lifetimes->counts);
    for (size_t i = 0; done && i < lifetimes->count; i++)
        done = median_look_add(&lifetimes->look, lifetimes->values[i],
                               lifetimes->weights ? lifetimes->weights[i] : 1);
    return done;
}

bool lifetimes_figures(struct lifetimes *lifetimes, struct lifetime_figures *figures)
{
    *figures = (struct lifetime_figures){.count = lifetimes->counts.total, .max = lifetimes->max};
    memcpy(figures->bins, lifetimes->bins, sizeof figures->bins);
    if (figures->count <= 0)
        return true;
    if (!lifetimes->only_counts && !look_at_kept(lifetimes))
        return false;
    figures->mean = (double)(lifetimes->sum / (long double)figures->count);
    figures->median = median_look_end(&lifetimes->look);
    return true;
}
