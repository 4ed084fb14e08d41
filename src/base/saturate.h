/* Sums and products of whole numbers that stay at the largest or the smallest number where they would leave the range, as one that wrapped
 * round would be small or negative.  Who adds up says in the answer that it happened: saturate_note. */
#ifndef BASE_SATURATE_H
#define BASE_SATURATE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

extern const char saturate_note[];

static inline int64_t saturate_add(int64_t a, int64_t b)
{
    int64_t sum;
    return !__builtin_add_overflow(a, b, &sum) ? sum : a < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t saturate_subtract(int64_t a, int64_t b)
{
    int64_t difference;
    return !__builtin_sub_overflow(a, b, &difference) ? difference : a < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t saturate_multiply(int64_t a, int64_t b)
{
    int64_t product;
    return !__builtin_mul_overflow(a, b, &product) ? product
           : (a < 0) != (b < 0)                    ? INT64_MIN
                                                   : INT64_MAX;
}

static inline int64_t saturate_magnitude(int64_t value)
{
    return value < 0 ? saturate_subtract(0, value) : value;
}

/* Does a value stand for all that are as large, or larger? */
static inline bool saturate_has(int64_t value)
{
    return value == INT64_MAX || value == INT64_MIN;
}

/* The next whole number; 0 for what is no number. */
static inline int64_t saturate_round(double value)
{
    return isnan(value)      ? 0
           : value >= 0x1p63 ? INT64_MAX
           : value < -0x1p63 ? INT64_MIN
                             : (int64_t)llrint(value);
}

#endif
