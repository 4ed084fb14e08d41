/* The median is found by its digits: from the highest 16 bits down, the weight of each digit among
 * the values that begin like it tells which digit the median has.  Four passes, no sorting. */
#include "analyze/lifetimes.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { DIGIT_BITS = 16, DIGITS = 1 << DIGIT_BITS };

void lifetimes_release(struct lifetimes *lifetimes)
{
    free(lifetimes->values);
    free(lifetimes->weights);
    *lifetimes = (struct lifetimes){0};
}

bool lifetimes_add(struct lifetimes *lifetimes, uint64_t value, double weight, bool weighted)
{
    if (!ARRAY_RESERVE(&lifetimes->values, &lifetimes->capacity, lifetimes->count + 1) ||
        (weighted &&
         !ARRAY_RESERVE(&lifetimes->weights, &lifetimes->weights_capacity, lifetimes->count + 1)))
        return false;
    if (weighted)
        lifetimes->weights[lifetimes->count] = weight;
    lifetimes->values[lifetimes->count++] = value;
    return true;
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

static double weight_of(const struct lifetimes *lifetimes, size_t i)
{
    return lifetimes->weights ? lifetimes->weights[i] : 1;
}

/* The least value with which the weight of all up to it reaches `target`, or passes it. */
static uint64_t value_at(const struct lifetimes *lifetimes, double target, bool passes,
                         double *digits)
{
    uint64_t prefix = 0;
    double below = 0;
    for (int shift = 64 - DIGIT_BITS; shift >= 0; shift -= DIGIT_BITS) {
        memset(digits, 0, DIGITS * sizeof *digits);
        for (size_t i = 0; i < lifetimes->count; i++) {
            uint64_t begins = lifetimes->values[i] >> shift;
            if (shift == 64 - DIGIT_BITS || begins >> DIGIT_BITS == prefix)
                digits[begins & (DIGITS - 1)] += weight_of(lifetimes, i);
        }
        unsigned digit = 0, last = 0;
        for (; digit < DIGITS; digit++) {
            double reached = below + digits[digit];
            if (digits[digit] > 0)
                last = digit;
            if (digits[digit] > 0 && (passes ? reached > target : reached >= target))
                break;
            below = reached;
        }
        if (digit == DIGITS) { /* rounding has eaten the rest: the highest there is */
            digit = last;
            below -= digits[last];
        }
        prefix = prefix << DIGIT_BITS | digit;
    }
    return prefix;
}

bool lifetimes_figures(const struct lifetimes *lifetimes, struct lifetime_figures *figures)
{
    double *digits = malloc(DIGITS * sizeof *digits);
    long double sum = 0;
    *figures = (struct lifetime_figures){0};
    if (!digits)
        return false;
    for (size_t i = 0; i < lifetimes->count; i++) {
        uint64_t value = lifetimes->values[i];
        double weight = weight_of(lifetimes, i);
        figures->count += weight;
        figures->bins[lifetimes_bin_of(value)] += weight;
        sum += (long double)weight * (long double)value;
        if (value > figures->max)
            figures->max = value;
    }
    if (figures->count > 0) {
        uint64_t low = value_at(lifetimes, figures->count / 2, false, digits);
        uint64_t high = value_at(lifetimes, figures->count / 2, true, digits);
        figures->mean = (double)(sum / (long double)figures->count);
        figures->median = (double)low + (double)(high - low) / 2;
    }
    free(digits);
    return true;
}
