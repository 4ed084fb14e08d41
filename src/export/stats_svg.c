#include "export/stats_svg.h"

#include <inttypes.h>

#include "base/units.h"
#include "export/svg_chart.h"
#include "export/xml.h"

enum {
    PAGE_WIDTH = 1160,
    PAGE_TOP = 92,
    GAP = 20,
    CHART_WIDTH = (PAGE_WIDTH - 3 * GAP) / 2,
    CHART_HEIGHT = 320,
    PAGE_HEIGHT = PAGE_TOP + 3 * (CHART_HEIGHT + GAP)
};

static const char *count_text(char *text, double count)
{
    if (count < 1e6)
        snprintf(text, UNITS_TEXT_BYTES, "%.0f", count);
    else
        units_count(text, count);
    return text;
}

/* The chart in cell `place` of the page, row by row. */
static struct svg_chart chart_at(int place, const struct histogram *histogram)
{
    return (struct svg_chart){
        .left = GAP + place % 2 * (CHART_WIDTH + GAP),
        .top = PAGE_TOP + place / 2 * (CHART_HEIGHT + GAP),
        .width = CHART_WIDTH,
        .height = CHART_HEIGHT,
        .up = {.label = "blocks"},
        .histogram = histogram,
    };
}

static void print_sizes(FILE *file, const struct stats_report *report, enum stats_range range)
{
    static const char *const titles[][2] = {
        {"Small blocks: under 32 words", "Small blocks: under 32 bytes"},
        {"Medium blocks: 32 to 255 words", "Medium blocks: 32 to 255 bytes"},
        {"Large blocks: 256 to 9999 words", "Large blocks: 256 to 9999 bytes"},
        {"Huge blocks: from 10000 words", "Huge blocks: from 10000 bytes"}};
    bool in_bytes = report->word_bits == 8;
    struct histogram histogram;
    char subtitle[120], total[UNITS_TEXT_BYTES];
    stats_report_sizes(report, range, true, &histogram);
    double all = report->whole.spread.count;
    snprintf(subtitle, sizeof subtitle, "%s blocks, %.2f %% of all",
             count_text(total, histogram.total), all > 0 ? 100 * histogram.total / all : 0);
    struct svg_chart chart = chart_at((int)range, &histogram);
    chart.title = titles[range][in_bytes];
    chart.subtitle = subtitle;
    chart.across.label = in_bytes ? "size in bytes" : "size in words";
    chart.across.logarithmic = range == STATS_HUGE;
    if (range == STATS_HUGE)
        chart.across.label = in_bytes ? "size in bytes (log)" : "size in words (log)";
    svg_chart_print(file, &chart);
}

static void print_lifetimes_in_events(FILE *file, const struct stats_report *report)
{
    const struct lifetime_figures *figures = &report->in_events;
    struct histogram histogram;
    char subtitle[120];
    stats_report_lifetimes(&report->stats->in_events, figures, &histogram);
    snprintf(subtitle, sizeof subtitle, "mean %.1f, median %g, maximum %" PRIu64, figures->mean,
             figures->median, figures->max);
    struct svg_chart chart = chart_at(STATS_RANGES, &histogram);
    chart.title = "Lifetimes in events";
    chart.subtitle = subtitle;
    chart.across =
        (struct svg_axis){"beginnings and ends of blocks in a lifetime (log)", true, SVG_COUNT};
    chart.up = (struct svg_axis){"blocks (log)", true, SVG_COUNT};
    chart.zero_first = figures->bins[0] > 0;
    svg_chart_print(file, &chart);
}

static void print_lifetimes_in_time(FILE *file, const struct stats_report *report)
{
    const struct lifetime_figures *figures = &report->in_us;
    struct histogram histogram;
    char subtitle[120], mean[UNITS_TEXT_BYTES], median[UNITS_TEXT_BYTES], max[UNITS_TEXT_BYTES];
    stats_report_lifetimes(&report->stats->in_us, figures, &histogram);
    snprintf(subtitle, sizeof subtitle, "mean %s, median %s, maximum %s",
             units_duration(mean, figures->mean * 1e-6),
             units_duration(median, figures->median * 1e-6),
             units_duration(max, (double)figures->max * 1e-6));
    struct svg_chart chart = chart_at(STATS_RANGES + 1, &histogram);
    chart.title = "Lifetimes in time";
    chart.subtitle = subtitle;
    chart.across = (struct svg_axis){"lifetime (log)", true, SVG_MICROSECONDS};
    chart.up = (struct svg_axis){"blocks (log)", true, SVG_COUNT};
    chart.zero_first = figures->bins[0] > 0;
    svg_chart_print(file, &chart);
}

static void print_heading(FILE *file, const struct stats_report *report)
{
    const struct spread *spread = &report->whole.spread;
    char count[UNITS_TEXT_BYTES], alive[UNITS_TEXT_BYTES];
    const char *unit = report->word_bits == 8 ? "bytes" : "words";
    fprintf(file, "<text class=\"page\" x=\"%d\" y=\"38\">Sizes and lifetimes of blocks: ", GAP);
    xml_put_text(file, report->name);
    if (*report->filter) {
        fputs(": ", file);
        xml_put_text(file, report->filter);
    }
    fprintf(file, "</text>\n<text class=\"about\" x=\"%d\" y=\"64\">", GAP);
    fprintf(file,
            "%s blocks%s%s; size in %s: mean %.2f, standard deviation %.2f, maximum %" PRIu64
            "; %s alive at the end</text>\n",
            count_text(count, spread->count), report->stats->estimated ? " (estimated)" : "",
            report->stats->major_only ? " that enter the major heap" : "", unit, spread->mean,
            spread->standard_deviation, spread->max,
            count_text(alive, report->stats->survivor_weight));
}

void stats_svg_print(FILE *file, const struct stats_report *report)
{
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\">\n<title>Sizes and lifetimes of blocks: ",
            PAGE_WIDTH, PAGE_HEIGHT, PAGE_WIDTH, PAGE_HEIGHT);
    xml_put_text(file, report->name);
    fputs("</title>\n", file);
    svg_chart_style(file);
    fprintf(file, "<rect width=\"%d\" height=\"%d\" fill=\"#f5f7f9\"/>\n", PAGE_WIDTH, PAGE_HEIGHT);
    print_heading(file, report);
    for (int range = 0; range < STATS_RANGES; range++)
        print_sizes(file, report, (enum stats_range)range);
    print_lifetimes_in_events(file, report);
    print_lifetimes_in_time(file, report);
    fputs("</svg>\n", file);
}
