/* Coins that are tossed again: of a block's number, so that they fall alike wherever it is met (which half of a peak's samples is whose,
 * profile/peak.h), and of a recording whose rate was halved while it went on (docs/trace-format.md, section 8.1): which samples of a
 * block remain.  Recorder and reader toss the same coins, so that the recorder can forget a block
 * that the reader will leave out.  Whole numbers alone: the same on every machine. */
#ifndef BASE_COIN_H
#define BASE_COIN_H

#include <stdint.h>

enum {
    COIN_STEP_SHIFT = 48, /* from here on a block's id has how often the rate had been halved */
    COIN_STEPS_MAX = 50,
    COIN_BITS = 256, /* tossed for a block, at most */
};

static inline uint64_t coin_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* A rate that was halved so many times. */
static inline double coin_rate(double rate, uint32_t steps)
{
    while (steps-- > 0)
        rate /= 2;
    return rate;
}

/* What tells the coins of one recording from another's. */
static inline uint64_t coin_salt(int64_t start_us, uint64_t pid)
{
    return coin_mix((uint64_t)start_us ^ coin_mix(pid));
}

static inline unsigned coin_step_of(uint64_t id)
{
    return (unsigned)(id >> COIN_STEP_SHIFT) & 63;
}

static inline uint64_t coin_count_ones(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return x * UINT64_C(0x0101010101010101) >> 56;
}

/* How many of `tosses` coins show heads. */
static inline uint64_t coin_heads(uint64_t seed, uint64_t tosses)
{
    uint64_t heads = 0;
    for (; tosses >= 64; tosses -= 64, seed += UINT64_C(0x9e3779b97f4a7c15))
        heads += coin_count_ones(coin_mix(seed));
    return tosses ? heads + coin_count_ones(coin_mix(seed) << (64 - tosses)) : heads;
}

/* The whole part of the square root. */
static inline uint64_t coin_root(uint64_t x)
{
    uint64_t root = 0;
    for (int bit = 31; bit >= 0; bit--) {
        uint64_t more = root | UINT64_C(1) << bit;
        if (more * more <= x)
            root = more;
    }
    return root;
}

/* How many of a block's samples remain when the rate is halved for the `step`-th time: a binomial
 * number, of many samples one of the same mean and variance. */
static inline uint64_t coin_halve(uint64_t salt, uint64_t id, unsigned step, uint64_t samples)
{
    uint64_t seed = coin_mix(salt + id * UINT64_C(0xd1342543de82ef95) + step);
    if (samples <= COIN_BITS)
        return coin_heads(seed, samples);
    uint64_t heads = coin_heads(seed, COIN_BITS), middle = COIN_BITS / 2;
    uint64_t away = heads > middle ? heads - middle : middle - heads;
    uint64_t far = (away * coin_root(samples << 8) + 128) / 256; /* sqrt(samples) / 16 for each */
    uint64_t half = samples / 2 + (samples & seed & 1);
    return heads > middle ? half + far : half - far;
}

/* The halving that takes the last one away. */
static inline unsigned coin_last_step(uint64_t salt, uint64_t id, unsigned step, uint64_t samples)
{
    while (samples > 0 && step <= COIN_STEPS_MAX)
        samples = coin_halve(salt, id, ++step, samples);
    return step;
}

/* What remains when it has been halved `steps` times. */
static inline uint64_t coin_remaining(uint64_t salt, uint64_t id, unsigned steps, uint64_t samples)
{
    for (unsigned step = coin_step_of(id); samples > 0 && step < steps;)
        samples = coin_halve(salt, id, ++step, samples);
    return samples;
}

#endif
