#include "report/blocks/histogram.h"

#include <math.h>

void histogram_init_linear(struct histogram *histogram, double begin, double end, size_t bins)
{
    *histogram = (struct histogram){.count = bins < HISTOGRAM_BINS_MAX ? bins : HISTOGRAM_BINS_MAX};
    for (size_t i = 0; i <= histogram->count; i++)
        histogram->edges[i] = begin + (end - begin) * (double)i / (double)histogram->count;
}

void histogram_init_octaves(struct histogram *histogram, double begin, double end,
                            unsigned per_octave)
{
    *histogram = (struct histogram){.edges = {begin}};
    double step = floor(log2(begin) * per_octave + 1e-9);
    while (histogram->count < HISTOGRAM_BINS_MAX && histogram->edges[histogram->count] < end) {
        double edge = exp2(++step / per_octave);
        histogram->edges[++histogram->count] = edge < end ? edge : end;
    }
}

void histogram_add(struct histogram *histogram, uint64_t value, double weight)
{
    double position = (double)value;
    size_t low = 0, high = histogram->count;
    if (high == 0 || position < histogram->edges[0] || position >= histogram->edges[high])
        return;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (position >= histogram->edges[middle])
            low = middle;
        else
            high = middle;
    }
    histogram->weights[low] += weight;
    histogram->total += weight;
}
