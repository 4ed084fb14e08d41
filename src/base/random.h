/* Reproducible random numbers for offline code: the same seed gives the same numbers everywhere. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state;
};

static inline void random_init(struct random *random, uint64_t seed)
{
    random->state = seed;
}

/* 64 random bits (splitmix64). */
static inline uint64_t random_bits(struct random *random)
{
    uint64_t bits = random->state += UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    return bits ^ bits >> 31;
}

/* A number in (0, 1]. */
static inline double random_unit(struct random *random)
{
    return (double)((random_bits(random) >> 11) + 1) * 0x1p-53;
}

/* How many of `n` trials succeed when each does so with probability `p`, 0 < p <= 1.  Exact while
 * the mean is below a million, at a cost that grows with the mean; above that a normal
 * approximation, whose error is far below the spread. */
uint64_t random_binomial(struct random *random, uint64_t n, double p);

#endif
