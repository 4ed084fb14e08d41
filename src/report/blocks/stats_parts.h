/* What the two halves of the report `stats` share: for programs (stats.c), for people (stats_bars.c). */
#ifndef REPORT_BLOCKS_STATS_PARTS_H
#define REPORT_BLOCKS_STATS_PARTS_H

#include "report/blocks/stats.h"

/* Lifetimes, with the sampled blocks by bin. */
struct stats_lives {
    const struct answer_table *table; /* "in_us" */
    const struct lifetime_figures *figures;
    double blocks[LIFETIMES_BINS]; /* zeros unless estimated: the figures are numbers of them */
};

/* Is a block counted as the blocks that it stands for, and is that another number? */
static inline bool stats_is_estimated(const struct stats_report *report)
{
    return report->stats->estimated && report->stats->estimate.sample_rate < 1;
}

/* The table of the parts of the run, for people. */
void stats_show_parts(struct answer *answer, const struct stats_report *report);

/* All that people read; lifetimes in events, then in time. */
void stats_show(struct answer *answer, const struct stats_report *report,
                const struct stats_lives lives[2]);

/* The same as a picture: a histogram of each range of sizes, and of lifetimes in events and in time. */
void stats_draw(struct answer *answer, const struct stats_report *report);

/* "words", or "bytes" of a program whose words are bytes. */
const char *stats_unit(const struct stats_report *report);

/* A weight: a whole number as it is, if it isn't too long. */
const char *stats_weight(char *text, double weight);

#endif
