#include "report/blocks/stats_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double range_begin[STATS_RANGES + 1] = {0, 32, 256, 10000, 0};

bool stats_report_init(struct stats_report *report, struct block_stats *stats, size_t parts)
{
    *report = (struct stats_report){.stats = stats};
    report->parts = calloc(parts, sizeof *report->parts);
    return report->parts && size_stats_whole(&stats->sizes, &report->whole) &&
           size_stats_parts(&stats->sizes, parts, report->parts, &report->part_count) &&
           size_stats_by_size(&stats->sizes, &report->by_size, &report->size_count) &&
           size_stats_blocks_by_size(&stats->sizes, &report->blocks_by_size, &report->size_count) &&
           lifetimes_figures(&stats->in_events, &report->in_events) &&
           lifetimes_figures(&stats->in_us, &report->in_us);
}

void stats_report_release(struct stats_report *report)
{
    free(report->parts);
    free(report->by_size);
    free(report->blocks_by_size);
}

/* The end of the bin that `value` falls into, where octaves are cut in `per_octave`. */
static double bin_end(uint64_t value, unsigned per_octave)
{
    if (value == 0)
        return 1;
    return exp2((floor(log2((double)value) * per_octave + 1e-9) + 1) / per_octave);
}

static void init_sizes(const struct stats_report *report, enum stats_range range, bool fine,
                       struct histogram *histogram)
{
    double begin = range_begin[range], end = range_begin[range + 1];
    switch (range) {
    case STATS_SMALL:
        histogram_init_linear(histogram, begin, end, 32);
        break;
    case STATS_MEDIUM:
        histogram_init_linear(histogram, begin, end, fine ? 56 : 14);
        break;
    case STATS_LARGE:
        if (fine)
            histogram_init_linear(histogram, begin, end, 100);
        else
            histogram_init_octaves(histogram, begin, end, 1);
        break;
    default:
        end = bin_end(report->whole.spread.max, fine ? 4 : 1);
        histogram_init_octaves(histogram, begin, end, fine ? 4 : 1);
    }
}

void stats_report_sizes(const struct stats_report *report, enum stats_range range, bool fine,
                        struct histogram *histogram)
{
    init_sizes(report, range, fine, histogram);
    for (size_t i = 0; i < report->size_count; i++)
        histogram_add(histogram, report->by_size[i].value, report->by_size[i].weight);
}

void stats_report_size_blocks(const struct stats_report *report, enum stats_range range,
                              struct histogram *histogram)
{
    init_sizes(report, range, false, histogram);
    for (size_t i = 0; i < report->size_count; i++)
        histogram_add(histogram, report->blocks_by_size[i].value, report->blocks_by_size[i].weight);
}

void stats_report_lifetime_blocks(const struct lifetimes *lifetimes, double blocks[LIFETIMES_BINS])
{
    for (unsigned i = 0; i < LIFETIMES_BINS; i++)
        blocks[i] = (double)lifetimes->blocks[i];
}

void stats_report_octaves(const double bins[LIFETIMES_BINS], uint64_t max,
                          struct histogram *histogram)
{
    histogram_init_octaves(histogram, bins[0] > 0 ? 0.5 : 1, bin_end(max, 1), 1);
    for (unsigned i = 1; i < LIFETIMES_BINS; i++)
        if (bins[i] > 0)
            histogram_add(histogram, lifetimes_bin_begin(i), bins[i]);
    if (histogram->count > 0) {
        histogram->weights[0] += bins[0];
        histogram->total += bins[0];
    }
}
