/* Weights by ranges of values. */
#ifndef REPORT_BLOCKS_HISTOGRAM_H
#define REPORT_BLOCKS_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum { HISTOGRAM_BINS_MAX = 160 };

/* Bin i holds the values from edges[i], included, to edges[i + 1], not included. */
struct histogram {
    size_t count; /* of bins */
    double edges[HISTOGRAM_BINS_MAX + 1];
    double weights[HISTOGRAM_BINS_MAX];
    double total; /* of all weights */
};

/* `bins` equal ones from `begin` to `end`. */
void histogram_init_linear(struct histogram *histogram, double begin, double end, size_t bins);

/* From `begin` to `end`, cut at the powers of two, each octave in `per_octave` bins of equal ratio.
 * Bins that run out are left out at the end. */
void histogram_init_octaves(struct histogram *histogram, double begin, double end,
                            unsigned per_octave);

/* Values outside of all bins are left out. */
void histogram_add(struct histogram *histogram, uint64_t value, double weight);

#endif
