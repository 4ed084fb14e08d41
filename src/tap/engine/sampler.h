/* The random numbers of the engine: gaps between samples, and the number of samples in a block. */
#ifndef TAP_ENGINE_SAMPLER_H
#define TAP_ENGINE_SAMPLER_H

#include <stdint.h>

/* One xoshiro256++ generator. */
struct generator {
    uint64_t s[4];
};

/* The n-th state that follows from `seed`; different pairs give unrelated streams. */
void generator_seed(struct generator *generator, uint64_t seed, uint64_t n);
uint64_t generator_next(struct generator *generator);

/* Uniform in (0, 1): an odd multiple of 2^-53. */
double generator_uniform(struct generator *generator);

/* A seed from what differs between runs and forks: the kernel's AT_RANDOM, the clock, the process
 * id, `salt`. */
uint64_t seed_of_surroundings(uint64_t salt);

enum {
    SAMPLER_LANES = 16, /* generators that run side by side */
    SAMPLER_BATCH = 64, /* gaps drawn at a time */
};

/* No gap is longer. */
#define SAMPLER_GAP_MAX ((uint64_t)1 << 62)

struct sampler {
    double rate;   /* success probability of each word */
    double scale;  /* -1 / log(1 - rate): mean of the exponential behind the gaps */
    uint32_t next; /* first gap of `gaps` not handed out; SAMPLER_BATCH: none is left */
    uint64_t lanes[4][SAMPLER_LANES]; /* xoshiro256++ state word by word, for the batches */
    struct generator single;          /* for binomial variates */
    uint64_t gaps[SAMPLER_BATCH];
};

void sampler_seed(struct sampler *sampler, uint64_t seed, uint64_t n);

/* rate in (0, 1].  Gaps drawn for another rate are thrown away. */
void sampler_set_rate(struct sampler *sampler, double rate);

/* How many words go by before the next sample: 0 if the very next word is one. */
uint64_t sampler_gap(struct sampler *sampler);

/* The number of samples in a block of `words` words whose first sample is at `*gap`, which is below
 * `words`. Sets `*gap` to the words from the block's end to the next sample. */
uint64_t sampler_count(struct sampler *sampler, uint64_t words, uint64_t *gap);

/* A binomial variate: successes in n trials of probability p, in [0, 1].  n below 2^53 for
 * exactness; takes constant time on average. */
uint64_t binomial_draw(struct generator *generator, uint64_t n, double p);

/* log P(X = k) of that variate; 0 < p < 1, k <= n. */
double binomial_log_probability(double n, double p, double k);

#endif
