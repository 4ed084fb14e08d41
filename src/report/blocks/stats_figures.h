/* What block_stats.h has collected, as it is shown. */
#ifndef REPORT_BLOCKS_STATS_FIGURES_H
#define REPORT_BLOCKS_STATS_FIGURES_H

#include "report/blocks/block_stats.h"
#include "report/blocks/histogram.h"

/* Ranges of sizes in words. */
enum stats_range {
    STATS_SMALL,  /* under 32 */
    STATS_MEDIUM, /* under 256 */
    STATS_LARGE,  /* under 10 000 */
    STATS_HUGE,
    STATS_RANGES
};

struct stats_report {
    const char *name;                /* of the trace; borrowed */
    bool is_whole;                   /* all that the program did is in it */
    const char *filter;              /* which blocks these are, "" for all; borrowed */
    const struct block_stats *stats; /* finished; borrowed */
    unsigned word_bits;
    struct size_part whole;
    struct size_part *parts;
    size_t part_count;
    struct weighted_value *by_size; /* ascending */
    struct weighted_value
        *blocks_by_size; /* the same sizes; each with its number of sampled blocks */
    size_t size_count;
    struct lifetime_figures in_events, in_us;
};

/* False when there is no memory.  `parts` is at least 1.  Release it in either case. */
bool stats_report_init(struct stats_report *report, struct block_stats *stats, size_t parts);
void stats_report_release(struct stats_report *report);

/* The sizes of a range: in few bins for a terminal, in many for a picture. */
void stats_report_sizes(const struct stats_report *report, enum stats_range range, bool fine,
                        struct histogram *histogram);

/* How many sampled blocks are in each of the bins for a terminal. */
void stats_report_size_blocks(const struct stats_report *report, enum stats_range range,
                              struct histogram *histogram);

/* Bins of lifetimes.h, of values up to `max`, by octaves; lifetimes of 0 count in the first, which is then [0.5, 1). */
void stats_report_octaves(const double bins[LIFETIMES_BINS], uint64_t max,
                          struct histogram *histogram);

/* How many sampled blocks are in each bin of lifetimes.h, whatever they stand for. */
void stats_report_lifetime_blocks(const struct lifetimes *lifetimes, double blocks[LIFETIMES_BINS]);

#endif
