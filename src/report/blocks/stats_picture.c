/* The picture of the report `stats`: bins are finer than those that people read as text, and axes say what they are of. */
#include <inttypes.h>
#include <stdio.h>

#include "base/plain.h"
#include "base/units.h"
#include "report/blocks/stats_parts.h"

/* Says what `histogram` has; `picture` has the rest. */
static void draw(struct answer *answer, struct answer_histogram picture,
                 const struct histogram *histogram)
{
    struct answer_bar bars[HISTOGRAM_BINS_MAX];
    for (size_t i = 0; i < histogram->count; i++)
        bars[i] = (struct answer_bar){"", histogram->weights[i], ""};
    picture.edges = histogram->edges;
    picture.bars = bars;
    picture.count = histogram->count;
    answer_draw_bars(answer, &picture);
}

static void draw_sizes(struct answer *answer, const struct stats_report *report,
                       enum stats_range range)
{
    static const char *const titles[] = {"Small blocks: under 32", "Medium blocks: 32 to 255",
                                         "Large blocks: 256 to 9999", "Huge blocks: from 10000"};
    struct histogram histogram;
    char title[80], about[120], across[80], total[UNITS_TEXT_BYTES];
    double all = report->whole.spread.count;
    stats_report_sizes(report, range, true, &histogram);
    snprintf(title, sizeof title, "%s %s", titles[range], stats_unit(report));
    snprintf(about, sizeof about, "%s blocks, %.2f %% of all", stats_weight(total, histogram.total),
             all > 0 ? 100 * histogram.total / all : 0);
    snprintf(across, sizeof across, "size in %s%s", stats_unit(report),
             range == STATS_HUGE ? " (log)" : "");
    struct answer_histogram picture = {
        .title = title,
        .about = about,
        .across = {.label = across, .is_logarithmic = range == STATS_HUGE},
        .up = {.label = "blocks"},
    };
    draw(answer, picture, &histogram);
}

static void draw_lifetimes(struct answer *answer, const struct lifetime_figures *figures,
                           struct answer_histogram picture)
{
    struct histogram histogram;
    stats_report_octaves(figures->bins, figures->max, &histogram);
    picture.across.is_logarithmic = true;
    picture.up = (struct answer_axis){.label = "blocks (log)", .is_logarithmic = true};
    picture.zero_first = figures->bins[0] > 0;
    draw(answer, picture, &histogram);
}

static void draw_in_events(struct answer *answer, const struct stats_report *report)
{
    const struct lifetime_figures *figures = &report->in_events;
    char about[120];
    snprintf(about, sizeof about, "mean %.1f, median %g, maximum %" PRIu64, figures->mean,
             figures->median, figures->max);
    draw_lifetimes(answer, figures,
                   (struct answer_histogram){
                       .title = "Lifetimes in events",
                       .about = about,
                       .across = {.label = "beginnings and ends of blocks in a lifetime (log)"}});
}

static void draw_in_time(struct answer *answer, const struct stats_report *report)
{
    const struct lifetime_figures *figures = &report->in_us;
    char about[120], mean[UNITS_TEXT_BYTES], median[UNITS_TEXT_BYTES], max[UNITS_TEXT_BYTES];
    snprintf(about, sizeof about, "mean %s, median %s, maximum %s",
             units_duration(mean, figures->mean * 1e-6),
             units_duration(median, figures->median * 1e-6),
             units_duration(max, (double)figures->max * 1e-6));
    draw_lifetimes(
        answer, figures,
        (struct answer_histogram){.title = "Lifetimes in time",
                                  .about = about,
                                  .across = {.label = "lifetime (log)", .is_time = true}});
}

static void say_head(struct answer *answer, const struct stats_report *report)
{
    const struct spread *spread = &report->whole.spread;
    char count[UNITS_TEXT_BYTES], alive[UNITS_TEXT_BYTES];
    answer_title(answer, "Sizes and lifetimes of blocks: %s%s%s", plain(report->name),
                 *report->filter ? ": " : "", plain(report->filter));
    answer_say(answer,
               "%s blocks%s%s; size in %s: mean %.2f, standard deviation %.2f, maximum %" PRIu64
               "; %s alive at the end",
               stats_weight(count, spread->count), report->stats->estimated ? " (estimated)" : "",
               report->stats->major_only ? " that enter the major heap" : "", stats_unit(report),
               spread->mean, spread->standard_deviation, spread->max,
               stats_weight(alive, report->stats->survivor_weight));
}

void stats_draw(struct answer *answer, const struct stats_report *report)
{
    say_head(answer, report);
    for (int range = 0; range < STATS_RANGES; range++)
        draw_sizes(answer, report, (enum stats_range)range);
    draw_in_events(answer, report);
    draw_in_time(answer, report);
}
