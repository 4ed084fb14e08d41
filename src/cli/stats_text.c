#include "cli/stats_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "base/units.h"
#include "render/charset.h"
#include "render/table.h"
#include "export/bars.h"

enum { PIPE_COLUMNS = 80 };

static struct bars_style style_of_stdout(void)
{
    int columns = table_width();
    return (struct bars_style){columns > 0 ? columns : PIPE_COLUMNS, charset_stdout_is_utf8(),
                               table_stdout_has_colour()};
}

static const char *unit_of(const struct stats_report *report)
{
    return report->word_bits == 8 ? "bytes" : "words";
}

static void heading(const struct bars_style *style, const char *text)
{
    printf("\n%s%s%s\n", style->colour ? "\033[1m" : "", text, style->colour ? "\033[0m" : "");
}

/* A weight: a whole number as it is, if it isn't too long. */
static const char *weight_text(char *text, double weight)
{
    if (weight < 999999.5)
        snprintf(text, UNITS_TEXT_BYTES, "%.*f", weight < 10 && weight != (int)weight ? 2 : 0,
                 weight);
    else
        units_count(text, weight);
    return text;
}

static void range_label(char *label, double begin, double end, bool with_units)
{
    char from[UNITS_TEXT_BYTES], to[UNITS_TEXT_BYTES];
    if (with_units && end > 9999) {
        units_count(from, begin);
        units_count(to, end);
        snprintf(label, BARS_LABEL_BYTES, "%s to %s", from, to);
    } else if (end - begin <= 1) {
        snprintf(label, BARS_LABEL_BYTES, "%.0f", begin);
    } else {
        snprintf(label, BARS_LABEL_BYTES, "%.0f to %.0f", begin, end - 1);
    }
}

/* Prints the bars from the first to the last that isn't empty. */
static void print_trimmed(struct bar *bars, size_t count, const struct bars_style *style)
{
    while (count > 0 && bars[count - 1].value == 0)
        count--;
    while (count > 0 && bars[0].value == 0) {
        bars++;
        count--;
    }
    for (size_t i = 0; i < count; i++)
        if (bars[i].value > 0)
            weight_text(bars[i].text, bars[i].value);
    bars_print(stdout, bars, count, style);
}

/* ---- Sizes */

static void print_sizes(const struct stats_report *report, enum stats_range range,
                        const struct bars_style *style)
{
    static const char *const titles[] = {"Small blocks, under 32", "Medium blocks, 32 to 255",
                                         "Large blocks, 256 to 9999", "Huge blocks, from 10000"};
    struct histogram histogram;
    struct bar bars[HISTOGRAM_BINS_MAX] = {0};
    char title[80], total[UNITS_TEXT_BYTES];
    stats_report_sizes(report, range, false, &histogram);
    snprintf(title, sizeof title, "%s %s: %s", titles[range], unit_of(report),
             weight_text(total, histogram.total));
    heading(style, title);
    for (size_t i = 0; i < histogram.count; i++) {
        range_label(bars[i].label, histogram.edges[i], histogram.edges[i + 1], range == STATS_HUGE);
        bars[i].value = histogram.weights[i];
    }
    print_trimmed(bars, histogram.count, style);
}

static void print_figures(const struct stats_report *report)
{
    const struct spread *spread = &report->whole.spread;
    const struct block_stats *stats = report->stats;
    char count[UNITS_TEXT_BYTES], sampled[UNITS_TEXT_BYTES], large[UNITS_TEXT_BYTES];
    bool is_sampled = stats->estimate.sample_rate < 1;
    printf("%s: %s %sblocks", plain(report->name), weight_text(count, spread->count),
           is_sampled && !stats->estimated ? "sampled " : "");
    if (stats->estimated && is_sampled)
        printf(" (estimated from %s sampled ones)",
               weight_text(sampled, (double)report->whole.blocks));
    printf("%s\n", stats->major_only ? " that enter the major heap" : "");
    if (*report->filter)
        printf("Filter: %s\n", plain(report->filter));
    if (spread->count == 0)
        return;
    printf("sizes in %s: mean %.2f, standard deviation %.2f,\n", unit_of(report), spread->mean,
           spread->standard_deviation);
    printf("  variance %.6g, maximum %" PRIu64 "\n", spread->variance, spread->max);
    printf("  large, over %d: %s (%.2f %%)\n", SIZE_STATS_SMALL_MAX_WORDS,
           weight_text(large, report->whole.large), 100 * report->whole.large / spread->count);
}

static bool add_part(struct table *table, const struct stats_report *report, size_t i)
{
    const struct spread *spread = &report->parts[i].spread;
    char number[24], count[UNITS_TEXT_BYTES], mean[32], variance[32], deviation[32], max[24];
    char large[UNITS_TEXT_BYTES];
    snprintf(number, sizeof number, "%zu", i + 1);
    snprintf(mean, sizeof mean, "%.2f", spread->mean);
    snprintf(variance, sizeof variance, "%.4g", spread->variance);
    snprintf(deviation, sizeof deviation, "%.2f", spread->standard_deviation);
    snprintf(max, sizeof max, "%" PRIu64, spread->max);
    const char *row[] = {number,
                         mean,
                         deviation,
                         max,
                         weight_text(large, report->parts[i].large),
                         weight_text(count, spread->count),
                         variance};
    return table_add(table, row);
}

/* How many of the columns a terminal has room for: a number that is cut says something else. */
static int part_columns(const struct bars_style *style)
{
    return style->columns >= 58 ? 7 : style->columns >= 48 ? 6 : 5;
}

static bool print_parts(const struct stats_report *report, const struct bars_style *style)
{
    static const struct table_column columns[] = {{"PART", true, false},    {"MEAN", true, false},
                                                  {"SD", true, false},      {"MAX", true, false},
                                                  {"LARGE", true, false},   {"BLOCKS", true, false},
                                                  {"VARIANCE", true, false}};
    struct table table;
    if (report->part_count < 2)
        return true;
    if (!table_init(&table, columns, part_columns(style)))
        return false;
    bool done = true;
    for (size_t i = 0; done && i < report->part_count; i++)
        done = add_part(&table, report, i);
    heading(style, "Sizes over the run, in parts of as many blocks each");
    if (done)
        table_print(&table);
    table_release(&table);
    return done;
}

/* ---- Lifetimes */

static void print_lifetimes_in_events(const struct stats_report *report,
                                      const struct bars_style *style)
{
    const struct lifetime_figures *figures = &report->in_events;
    struct bar bars[LIFETIMES_BINS] = {0};
    heading(style, "Lifetimes in events: every beginning and end of a block is one");
    printf("mean %.2f, median %g, maximum %" PRIu64 "\n", figures->mean, figures->median,
           figures->max);
    for (unsigned i = 0; i < LIFETIMES_BINS; i++) {
        range_label(bars[i].label, (double)lifetimes_bin_begin(i),
                    (double)lifetimes_bin_begin(i + 1), true);
        bars[i].value = figures->bins[i];
    }
    print_trimmed(bars, LIFETIMES_BINS, style);
}

static void time_label(char *label, double begin, double end)
{
    char from[UNITS_TEXT_BYTES], to[UNITS_TEXT_BYTES];
    if (end <= 1) {
        snprintf(label, BARS_LABEL_BYTES, "under 1 us");
    } else {
        units_duration(from, begin * 1e-6);
        units_duration(to, end * 1e-6);
        snprintf(label, BARS_LABEL_BYTES, "%s to %s", from, to);
    }
}

static void print_lifetimes_in_time(const struct stats_report *report,
                                    const struct bars_style *style)
{
    const struct lifetime_figures *figures = &report->in_us;
    struct histogram histogram;
    struct bar bars[HISTOGRAM_BINS_MAX] = {0};
    char mean[UNITS_TEXT_BYTES], median[UNITS_TEXT_BYTES], max[UNITS_TEXT_BYTES];
    heading(style, "Lifetimes in time");
    printf("mean %s, median %s, maximum %s\n", units_duration(mean, figures->mean * 1e-6),
           units_duration(median, figures->median * 1e-6),
           units_duration(max, (double)figures->max * 1e-6));
    stats_report_lifetimes(&report->stats->in_us, figures, &histogram);
    for (size_t i = 0; i < histogram.count; i++) {
        time_label(bars[i].label, histogram.edges[i], histogram.edges[i + 1]);
        bars[i].value = histogram.weights[i];
    }
    print_trimmed(bars, histogram.count, style);
}

static void print_notes(const struct block_stats *stats)
{
    if (stats->unknown_promotions > 0)
        printf("\nnote: %" PRIu64 " promotions of blocks not known to be in the minor heap\n",
               stats->unknown_promotions);
    if (stats->unknown_collections > 0)
        printf("\nnote: %" PRIu64 " collections of blocks not known to be alive\n",
               stats->unknown_collections);
}

bool stats_text_print(const struct stats_report *report)
{
    struct bars_style style = style_of_stdout();
    char survivors[UNITS_TEXT_BYTES];
    print_figures(report);
    if (report->whole.spread.count > 0)
        printf("alive at the end: %s\n", weight_text(survivors, report->stats->survivor_weight));
    for (int range = 0; range < STATS_RANGES; range++) {
        struct histogram histogram;
        stats_report_sizes(report, (enum stats_range)range, false, &histogram);
        if (histogram.total > 0)
            print_sizes(report, (enum stats_range)range, &style);
    }
    if (!print_parts(report, &style))
        return false;
    if (report->whole.spread.count > 0) {
        print_lifetimes_in_events(report, &style);
        print_lifetimes_in_time(report, &style);
    }
    print_notes(report->stats);
    return true;
}
