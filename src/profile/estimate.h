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

#include "heaptap/trace.h"

struct estimate {
    double bytes_per_sample; /* word_bytes / lambda */
    double sample_rate;
    double word_bytes;
    double header_words;
};

static inline struct estimate estimate_of(const struct heaptap_trace_info *info)
{
    double word_bytes = info->word_bits / 8.0;
    return (struct estimate){word_bytes / info->sample_rate, info->sample_rate, word_bytes,
                             info->word_bits > 8 ? 1.0 : 0.0};
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

#endif
