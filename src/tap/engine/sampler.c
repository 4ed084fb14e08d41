/* Sampling each word with the same probability, without looking at each word.
 *
 * 1. The process.  Every allocated word is a Bernoulli trial that succeeds with probability r, the
 * rate.  The trials are independent of each other and of the program, so a block of n words holds a
 * binomial number of samples, with mean n r, and dividing by r gives an unbiased estimate of the
 * words that were allocated, whatever the sizes of the blocks.
 *
 * 2. Gaps.  Between two successes lie G failures, P(G = g) = r (1 - r)^g.  The engine draws G,
 * counts words down, and need not look at a block before the count is used up.  The distribution
 * has no memory: given that g words have failed, the rest of the gap is distributed like a new one.
 * Hence a gap may be thrown away and drawn anew at any moment that does not depend on what the gap
 * would have been: at a start, in a fork, at the end of a block.
 *
 * 3. From uniform to geometric.  For U uniform in (0, 1), E = -log U is exponential, and
 *
 *     G = floor(E * scale),  scale = -1 / log(1 - r),   as  P(G >= g) = P(U <= (1 - r)^g) = (1 -
 * r)^g.
 *
 * r = 1 gives scale = 0 and G = 0: each word is a sample, without a special case.  Very small r
 * give gaps beyond any heap; they are cut at 2^62.
 *
 * 4. How exact that is.  U is an odd multiple of 2^-53: each of the 2^52 cells of width 2^-52 is
 * represented by its middle.  So P(G >= g) is off by 2^-53 at most, at every g.  log has a relative
 * error below 2^-51, and so has the product: the mean of G is off by less than one part in 2^50. At
 * r = 1e-9 that is a millionth of a word in a thousand million.  (A single-precision logarithm, by
 * contrast, would leave holes between long gaps and be off by 1e-4 or more.)  To see a bias of
 * 2^-50 would need 2^100 samples.
 *
 * 5. Batches.  64 gaps are drawn at once, by 16 generators side by side and by loops without
 * branches over arrays, which compilers turn into vector instructions.
 *
 * 6. Samples in a block.  After the first sample at offset g, the n - g - 1 words that remain are
 * trials like any others.  While few samples are expected in them, gaps are drawn until the block's
 * end is passed.  Otherwise their number is drawn at once as a binomial variate (binomial.c), and
 * the gap that follows the block anew: what lies after the block is independent of what is in it.
 * Which way is chosen depends on how many words are left, never on the trials that are to be
 * counted.  At the rate 1 every word is a sample, and nothing is drawn.
 *
 * 7. Generators.  xoshiro256++ (Blackman and Vigna), seeded through SplitMix64, as its authors
 * advise. */
#include "tap/engine/sampler.h"

#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "tap/inside/kernel.h"

#include "tap/engine/logarithm.h"

/* Expected samples above which a binomial variate is cheaper than drawing the gaps. */
static const double few_samples = 32;

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline uint64_t rotate_left(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

void generator_seed(struct generator *generator, uint64_t seed, uint64_t n)
{
    uint64_t state = seed;
    state = splitmix(&state) + n * 0xD1342543DE82EF95u;
    state = splitmix(&state);
    for (int i = 0; i < 4; i++)
        generator->s[i] = splitmix(&state);
}

uint64_t generator_next(struct generator *generator)
{
    uint64_t *s = generator->s;
    uint64_t result = rotate_left(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

/* The upper 52 bits of `random` as the fraction of a double in [1, 2); less 1 - 2^-53 that is an
 * odd multiple of 2^-53 in (0, 1), and the subtraction is exact. */
static inline double uniform_of_bits(uint64_t random)
{
    return double_of_bits(0x3FF0000000000000u | random >> 12) - (1 - 0x1p-53);
}

double generator_uniform(struct generator *generator)
{
    return uniform_of_bits(generator_next(generator));
}

uint64_t seed_of_surroundings(uint64_t salt)
{
    struct timespec now = {0};
    kernel_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
    uint64_t seed = salt;
    uint64_t parts[4] = {(uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
                         confined_on() ? 0 : (uint64_t)getpid(), 0, 0};
    const void *random = (const void *)getauxval(AT_RANDOM);
    if (random)
        memcpy(&parts[2], random, 16);
    for (int i = 0; i < 4; i++) {
        seed ^= parts[i];
        seed = splitmix(&seed);
    }
    return seed;
}

void sampler_seed(struct sampler *sampler, uint64_t seed, uint64_t n)
{
    for (int lane = 0; lane < SAMPLER_LANES; lane++) {
        struct generator generator;
        generator_seed(&generator, seed, n * (SAMPLER_LANES + 1) + (uint64_t)lane);
        for (int i = 0; i < 4; i++)
            sampler->lanes[i][lane] = generator.s[i];
    }
    generator_seed(&sampler->single, seed, n * (SAMPLER_LANES + 1) + SAMPLER_LANES);
    sampler->next = SAMPLER_BATCH;
}

void sampler_set_rate(struct sampler *sampler, double rate)
{
    sampler->rate = rate;
    sampler->scale = rate < 1 ? -1 / natural_log_1m(rate) : 0;
    sampler->next = SAMPLER_BATCH;
}

/* Advances all lanes and writes their outputs. */
static void lanes_next(uint64_t (*restrict s)[SAMPLER_LANES], uint64_t *restrict out)
{
    for (int i = 0; i < SAMPLER_LANES; i++) {
        uint64_t s0 = s[0][i], s1 = s[1][i], s2 = s[2][i], s3 = s[3][i];
        out[i] = rotate_left(s0 + s3, 23) + s0;
        uint64_t t = s1 << 17;
        s2 ^= s0;
        s3 ^= s1;
        s1 ^= s2;
        s0 ^= s3;
        s2 ^= t;
        s[0][i] = s0;
        s[1][i] = s1;
        s[2][i] = s2;
        s[3][i] = rotate_left(s3, 45);
    }
}

static void draw_batch(struct sampler *sampler)
{
    uint64_t random[SAMPLER_BATCH];
    double gaps[SAMPLER_BATCH];
    for (int i = 0; i < SAMPLER_BATCH; i += SAMPLER_LANES)
        lanes_next(sampler->lanes, random + i);
    for (int i = 0; i < SAMPLER_BATCH; i++)
        gaps[i] = natural_log(uniform_of_bits(random[i])) * -sampler->scale;
    for (int i = 0; i < SAMPLER_BATCH; i++)
        sampler->gaps[i] = gaps[i] < 0x1p62 ? (uint64_t)(int64_t)gaps[i] : SAMPLER_GAP_MAX;
    sampler->next = 0;
}

uint64_t sampler_gap(struct sampler *sampler)
{
    if (sampler->next == SAMPLER_BATCH)
        draw_batch(sampler);
    return sampler->gaps[sampler->next++];
}

uint64_t sampler_count(struct sampler *sampler, uint64_t words, uint64_t *gap)
{
    uint64_t left = words - *gap - 1;
    uint64_t count = 1;
    if (sampler->rate >= 1) {
        *gap = 0;
        return words;
    }
    if ((double)left * sampler->rate > few_samples) {
        count += binomial_draw(&sampler->single, left, sampler->rate);
        *gap = sampler_gap(sampler);
        return count;
    }
    for (;;) {
        uint64_t next = sampler_gap(sampler);
        if (next >= left) {
            *gap = next - left;
            return count;
        }
        left -= next + 1;
        count++;
    }
}
