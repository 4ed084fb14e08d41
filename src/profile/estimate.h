/* What samples say of the whole: the estimators of all reports.
 *
 * Every allocated word, the block's header word included where the runtime samples it, is sampled
 * with probability lambda (`sample_rate`), independently of all others.  A block of n words and h
 * header words therefore gets a binomial number of samples with mean lambda (n + h), and
 *
 *     words    = samples / lambda                   (header words included)
 *     bytes    = samples / lambda * word_bytes
 *     objects  = samples / (lambda * (n + h))          (a block of no words at all stands for 1 /
 * lambda)
 *
 * have the true numbers as their means, whatever the sizes.  At lambda = 1 they are exact.
 *
 * h is 1 for OCaml (word_bits 64 or 32), whose Gc.Memprof counts the header; 0 where lengths are
 * bytes (word_bits 8). */
#ifndef PROFILE_ESTIMATE_H
#define PROFILE_ESTIMATE_H

#include <math.h>
#include <stdbool.h>

#include "base/coin.h"
#include "heaptap/trace.h"

struct estimate {
    double bytes_per_sample; /* word_bytes / lambda */
    double sample_rate;
    double word_bytes;
    double header_words;
    /* of the coins that split the samples (profile/peak.h) */
    uint64_t seed;
    uint64_t
        shortest; /* the length of the shortest block that was sampled; 0 before any: see estimate_heaviest_object */
};

/* Recordings of one program would all err alike if they split their samples alike.  A stripped copy must have the figures of the
 * original, but neither its start nor its process: it starts at this number instead, which is one of few and says of neither
 * anything. */
enum { ESTIMATE_SEEDS = 256 };

static inline uint64_t estimate_seed_number(const struct heaptap_trace_info *info)
{
    bool is_number = info->pid == 0 && (uint64_t)info->start_us < ESTIMATE_SEEDS;
    return is_number ? (uint64_t)info->start_us
                     : coin_salt(info->start_us, info->pid) % ESTIMATE_SEEDS;
}

static inline struct estimate estimate_of(const struct heaptap_trace_info *info)
{
    double word_bytes = info->word_bits / 8.0;
    double per_sample = word_bytes / info->sample_rate, whole = rint(per_sample);
    if (fabs(per_sample - whole) < 1e-9 * whole) /* the rate is rounded: 1e-5 is no double */
        per_sample = whole;
    return (struct estimate){per_sample,
                             info->sample_rate,
                             word_bytes,
                             info->word_bits > 8 ? 1.0 : 0.0,
                             coin_mix(estimate_seed_number(info)),
                             0};
}

static inline double estimate_bytes(const struct estimate *estimate, double samples)
{
    return samples * estimate->bytes_per_sample;
}

/* The word that people mean: 8 bytes in traces whose lengths are bytes, as of rates. */
static inline double estimate_machine_word(const struct estimate *estimate)
{
    return estimate->word_bytes > 1 ? estimate->word_bytes : 8;
}

/* How many blocks of `length` words one sampled one stands for. */
static inline double estimate_objects(const struct estimate *estimate, double samples,
                                      double length)
{
    double words = length + estimate->header_words;
    return words > 0 ? samples / (estimate->sample_rate * words) : samples / estimate->sample_rate;
}

/* To be told each sampled block's length.  A block of no bytes is sampled like one of one. */
static inline void estimate_see(struct estimate *estimate, uint64_t length)
{
    length = length > 0 ? length : 1;
    if (estimate->shortest == 0 || length < estimate->shortest)
        estimate->shortest = length;
}

/* Of a block that was seen, its words: with its header, which what lies outside the heap (HEAPTAP_EXTERNAL) doesn't have. */
static inline uint64_t estimate_seen_words(const struct estimate *estimate, uint64_t length,
                                           enum heaptap_source source)
{
    return length + (source == HEAPTAP_EXTERNAL ? 0 : (uint64_t)estimate->header_words);
}

/* The chance that a block of so many words, without its header, is sampled. */
static inline double estimate_seen_chance(const struct estimate *estimate, uint64_t length)
{
    double words = fmax(1, (double)length + estimate->header_words);
    return estimate->sample_rate < 1 ? -expm1(words * log1p(-estimate->sample_rate)) : 1;
}

/* ---- How far an estimate may be off --------------------------------------------------
 *
 * A sum over samples, each of which weighs something: bytes_per_sample, or 1 / (lambda words) where objects are counted.
 * Samples come word by word, each by itself, so that a block's are counted one by one, however many it has. */
struct estimate_sum {
    double samples;
    double value;    /* sum of weights */
    double squares;  /* sum of their squares */
    double heaviest; /* what a sample may weigh at most, seen or not */
    double
        least; /* what the blocks that were seen come to by themselves, of which none is guessed; 0 where these were not all there
                     at once, as at a peak (profile/peak.h) */
};

/* Between these the true value is, in 95 of 100 recordings; and surely not below what was seen.  So the estimate, whose mean is the
 * true value, may lie below `low`: where few large blocks happen to have fewer samples than they should. */
struct estimate_range {
    double low, high;
    bool is_few; /* samples are: see ESTIMATE_ENOUGH */
};

/* With fewer samples the bounds are so far apart that the estimate between them says nothing: of one sample the upper is
 * 100 times the lower, of two 19 times, of three 10 times, of four 7 times.  Whoever prints such an estimate says so. */
enum { ESTIMATE_ENOUGH = 4 };

/* What a sample of the smallest of blocks weighs as objects.  OCaml's take 16 bytes at least.  Of those whose length is as it was
 * asked for, the smallest may not have been sampled: they are taken to be a quarter of the shortest that was, or 16 bytes if that is
 * less.  So bounds hold for programs each of whose sizes doubles the one before (tests/unit/test_estimate.c), and a program whose
 * shortest block has 64 bytes or more has them as narrow as with 16.  Without any sample nothing is known: 1 byte. */
static inline double estimate_heaviest_object(const struct estimate *estimate)
{
    double bytes =
        estimate->header_words > 0 ? 16 : fmin(16, fmax(1, (double)estimate->shortest / 4));
    return estimate->word_bytes / (bytes * estimate->sample_rate);
}

static inline struct estimate_sum estimate_bytes_sum(const struct estimate *estimate,
                                                     double samples)
{
    double weight = estimate->bytes_per_sample;
    return (struct estimate_sum){samples, samples * weight, samples * weight * weight, weight, 0};
}

/* The same of objects: `density` and `squares` are sums by block of samples / words and of samples / words^2. */
static inline struct estimate_sum estimate_objects_sum(const struct estimate *estimate,
                                                       double samples, double density,
                                                       double squares)
{
    double rate = estimate->sample_rate;
    return (struct estimate_sum){samples, density / rate, squares / (rate * rate),
                                 estimate_heaviest_object(estimate), 0};
}

struct estimate_range estimate_range(const struct estimate_sum *sum, double sample_rate);

/* Of a peak (profile/peak.h): what is alive at its times is not above it, and what is alive at the highest point of the
 * curve is not below what the samples show at the true peak.  The times are chosen by samples, so from few of them nothing
 * follows about the least that it may be: the lower bound is 0. */
struct estimate_range estimate_peak_range(const struct estimate *estimate, double samples,
                                          double highest);

/* The same of any sums: of the estimate, and of the highest point. */
struct estimate_range estimate_peak_sum_range(const struct estimate_sum *chosen,
                                              const struct estimate_sum *top, double sample_rate);

/* Of a - factor b. */
struct estimate_range estimate_difference_range(double a, const struct estimate_range *of_a,
                                                double factor, double b,
                                                const struct estimate_range *of_b);

#endif
