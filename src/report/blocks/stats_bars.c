/* What people read of the report `stats`: figures as sentences, histograms as bars. */
#include <inttypes.h>
#include <stdio.h>

#include "base/plain.h"
#include "base/units.h"
#include "report/blocks/stats_parts.h"

/* ---- Bars ---------------------------------------------------------------------------- */

enum { LABEL_BYTES = 2 * UNITS_TEXT_BYTES + 8, TEXT_BYTES = 2 * UNITS_TEXT_BYTES + 8 };

/* The words of a histogram's bars while they are drawn. */
struct bars {
    struct answer_bar bars[HISTOGRAM_BINS_MAX];
    char labels[HISTOGRAM_BINS_MAX][LABEL_BYTES], texts[HISTOGRAM_BINS_MAX][TEXT_BYTES];
    size_t count;
};

const char *stats_weight(char *text, double weight)
{
    if (weight < 999999.5)
        snprintf(text, UNITS_TEXT_BYTES, "%.*f", weight < 10 && weight != (int)weight ? 2 : 0,
                 weight);
    else
        units_count(text, weight);
    return text;
}

/* Its label is there. */
static void add_bar(struct bars *bars, const struct stats_report *report, double weight,
                    double blocks)
{
    size_t i = bars->count++;
    char text[UNITS_TEXT_BYTES], by[UNITS_TEXT_BYTES];
    *bars->texts[i] = 0;
    if (weight > 0 && stats_is_estimated(report))
        snprintf(bars->texts[i], TEXT_BYTES, "%s by %s", stats_weight(text, weight),
                 stats_weight(by, blocks));
    else if (weight > 0)
        snprintf(bars->texts[i], TEXT_BYTES, "%s", stats_weight(text, weight));
    bars->bars[i] = (struct answer_bar){bars->labels[i], weight, bars->texts[i]};
}

/* From the first to the last that isn't empty. */
static void draw_trimmed(struct answer *answer, const struct bars *bars)
{
    const struct answer_bar *first = bars->bars;
    size_t count = bars->count;
    while (count > 0 && first[count - 1].value == 0)
        count--;
    while (count > 0 && first->value == 0) {
        first++;
        count--;
    }
    answer_draw_bars(answer, &(struct answer_histogram){.bars = first, .count = count});
}

static void range_label(char *label, double begin, double end, bool with_units)
{
    char from[UNITS_TEXT_BYTES], to[UNITS_TEXT_BYTES];
    if (with_units && end > 9999) {
        units_count(from, begin);
        units_count(to, end);
        snprintf(label, LABEL_BYTES, "%s to %s", from, to);
    } else if (end - begin <= 1) {
        snprintf(label, LABEL_BYTES, "%.0f", begin);
    } else {
        snprintf(label, LABEL_BYTES, "%.0f to %.0f", begin, end - 1);
    }
}

static void time_label(char *label, double begin, double end)
{
    char from[UNITS_TEXT_BYTES], to[UNITS_TEXT_BYTES];
    if (end <= 1)
        snprintf(label, LABEL_BYTES, "under 1 us");
    else
        snprintf(label, LABEL_BYTES, "%s to %s", units_duration(from, begin * 1e-6),
                 units_duration(to, end * 1e-6));
}

const char *stats_unit(const struct stats_report *report)
{
    return report->word_bits == 8 ? "bytes" : "words";
}

static void draw_sizes(struct answer *answer, const struct stats_report *report,
                       enum stats_range range)
{
    static const char *const titles[] = {"Small blocks, under 32", "Medium blocks, 32 to 255",
                                         "Large blocks, 256 to 9999", "Huge blocks, from 10000"};
    struct histogram histogram, blocks;
    struct bars bars;
    char title[96], total[UNITS_TEXT_BYTES];
    stats_report_sizes(report, range, false, &histogram);
    stats_report_size_blocks(report, range, &blocks);
    if (histogram.total == 0)
        return;
    snprintf(title, sizeof title, "%s %s: %s", titles[range], stats_unit(report),
             stats_weight(total, histogram.total));
    answer_head(answer, title);
    for (bars.count = 0; bars.count < histogram.count;) {
        size_t i = bars.count;
        range_label(bars.labels[i], histogram.edges[i], histogram.edges[i + 1],
                    range == STATS_HUGE);
        add_bar(&bars, report, histogram.weights[i], blocks.weights[i]);
    }
    draw_trimmed(answer, &bars);
}

static void draw_lives_in_events(struct answer *answer, const struct stats_report *report,
                                 const struct stats_lives *lives)
{
    const struct lifetime_figures *figures = lives->figures;
    struct bars bars;
    answer_head(answer, "Lifetimes in events: every beginning and end of a block is one");
    answer_say(answer, "mean %.2f, median %g, maximum %" PRIu64, figures->mean, figures->median,
               figures->max);
    for (bars.count = 0; bars.count < LIFETIMES_BINS;) {
        unsigned i = (unsigned)bars.count;
        range_label(bars.labels[i], (double)lifetimes_bin_begin(i),
                    (double)lifetimes_bin_begin(i + 1), true);
        add_bar(&bars, report, figures->bins[i], lives->blocks[i]);
    }
    draw_trimmed(answer, &bars);
}

static void draw_lives_in_time(struct answer *answer, const struct stats_report *report,
                               const struct stats_lives *lives)
{
    const struct lifetime_figures *figures = lives->figures;
    struct histogram histogram, blocks;
    struct bars bars;
    char mean[UNITS_TEXT_BYTES], median[UNITS_TEXT_BYTES], max[UNITS_TEXT_BYTES];
    answer_head(answer, "Lifetimes in time");
    answer_say(answer, "mean %s, median %s, maximum %s", units_duration(mean, figures->mean * 1e-6),
               units_duration(median, figures->median * 1e-6),
               units_duration(max, (double)figures->max * 1e-6));
    stats_report_octaves(figures->bins, figures->max, &histogram);
    blocks = histogram;
    if (stats_is_estimated(report))
        stats_report_octaves(lives->blocks, figures->max, &blocks);
    for (bars.count = 0; bars.count < histogram.count;) {
        size_t i = bars.count;
        time_label(bars.labels[i], histogram.edges[i], histogram.edges[i + 1]);
        add_bar(&bars, report, histogram.weights[i], blocks.weights[i]);
    }
    draw_trimmed(answer, &bars);
}

/* ---- Sentences ----------------------------------------------------------------------- */

static void say_figures(struct answer *answer, const struct stats_report *report)
{
    const struct spread *spread = &report->whole.spread;
    const struct block_stats *stats = report->stats;
    char count[UNITS_TEXT_BYTES], sampled[UNITS_TEXT_BYTES], from[2 * UNITS_TEXT_BYTES + 32] = "";
    char large[UNITS_TEXT_BYTES], survivors[UNITS_TEXT_BYTES];
    if (stats_is_estimated(report))
        snprintf(from, sizeof from, " (estimated from %s sampled ones)",
                 stats_weight(sampled, (double)report->whole.blocks));
    answer_say(answer, "%s: %s %sblocks%s%s", plain(report->name),
               stats_weight(count, spread->count),
               stats->estimate.sample_rate < 1 && !stats->estimated ? "sampled " : "", from,
               stats->major_only ? " that enter the major heap" : "");
    if (*report->filter)
        answer_say(answer, "Filter: %s", plain(report->filter));
    if (spread->count == 0)
        return;
    answer_say(answer, "sizes in %s: mean %.2f, standard deviation %.2f,", stats_unit(report),
               spread->mean, spread->standard_deviation);
    answer_say(answer, "  variance %.6g, maximum %" PRIu64, spread->variance, spread->max);
    answer_say(answer, "  large, over %d: %s (%.2f %%)", SIZE_STATS_SMALL_MAX_WORDS,
               stats_weight(large, report->whole.large), 100 * report->whole.large / spread->count);
    answer_say(answer, "alive at the end: %s", stats_weight(survivors, stats->survivor_weight));
}

static void say_notes(struct answer *answer, const struct block_stats *stats)
{
    if (stats->unknown_promotions > 0)
        answer_say(answer,
                   "\nnote: %" PRIu64 " promotions of blocks not known to be in the minor heap",
                   stats->unknown_promotions);
    if (stats->unknown_collections > 0)
        answer_say(answer, "\nnote: %" PRIu64 " collections of blocks not known to be alive",
                   stats->unknown_collections);
}

void stats_show(struct answer *answer, const struct stats_report *report,
                const struct stats_lives lives[2])
{
    say_figures(answer, report);
    for (int range = 0; range < STATS_RANGES; range++)
        draw_sizes(answer, report, (enum stats_range)range);
    stats_show_parts(answer, report);
    if (report->whole.spread.count > 0) {
        draw_lives_in_events(answer, report, &lives[0]);
        draw_lives_in_time(answer, report, &lives[1]);
    }
    say_notes(answer, report->stats);
}
