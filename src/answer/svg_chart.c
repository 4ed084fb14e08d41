/* A line has an area below it, and goes through its highest point, exactly where that is; a rate has a bar for each step. */
#include "answer/svg_chart.h"

#include <math.h>

#include "base/units.h"
#include "answer/xml.h"
#include "answer/svg_page.h"
#include "answer/svg_parts.h"

enum {
    LEFT = 90,
    RIGHT = 24,
    PLOT_WIDTH = SVG_PAGE_WIDTH - LEFT - RIGHT,
    TITLE_HEIGHT = 18,
    LINE_HEIGHT = 330,
    RATE_HEIGHT = 110,
    BELOW = 42,
    TICKS_ACROSS = 8,
};

struct plot {
    FILE *file;
    const struct answer_chart *chart;
    double top, height;
    double roof; /* the value at its top */
};

/* One of the two lines of a chart. */
struct line {
    const double *values;
    double before;
    const struct answer_point *peak;
};

static const char *quantity(const struct plot *plot, char *text, double value)
{
    return plot->chart->kind == ANSWER_BYTES ? units_bytes(text, value) : units_count(text, value);
}

static double x_of(const struct plot *plot, double us)
{
    const struct answer_chart *chart = plot->chart;
    return LEFT +
           PLOT_WIDTH * (us - (double)chart->from_us) / (double)(chart->to_us - chart->from_us);
}

static double y_of(const struct plot *plot, double value)
{
    return plot->top + plot->height * (1 - (plot->roof > 0 ? value / plot->roof : 0));
}

/* When a step begins, as series_step_us has it. */
static double step_us(const struct answer_chart *chart, size_t step)
{
    double part = (double)step / (double)chart->count;
    return (double)(chart->from_us + (int64_t)((double)(chart->to_us - chart->from_us) * part));
}

/* ---- Axes ------------------------------------------------------------------------------ */

/* 1, 2 or 5 times a power of ten, or of that of a power of 1024. */
static double up_step(const struct plot *plot, int ticks)
{
    double unit = 1;
    if (plot->roof <= 0)
        return 0;
    while (plot->chart->kind == ANSWER_BYTES && plot->roof / unit >= 1024)
        unit *= 1024;
    return svg_tick_step(plot->roof / unit, ticks) * unit;
}

static void put_up_axis(const struct plot *plot, int ticks)
{
    char text[UNITS_TEXT_BYTES];
    double step = up_step(plot, ticks);
    for (double value = 0; value <= plot->roof && (step > 0 || value == 0); value += step) {
        double y = y_of(plot, value);
        fprintf(plot->file,
                "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
                "<text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s%s</text>\n",
                LEFT, y, LEFT + PLOT_WIDTH, y, LEFT - 8, y + 4, quantity(plot, text, value),
                plot->chart->per);
        if (step == 0)
            break;
    }
}

static void put_across_axis(const struct plot *plot)
{
    const struct answer_chart *chart = plot->chart;
    char text[UNITS_TEXT_BYTES];
    double step = svg_tick_step((double)(chart->to_us - chart->from_us), TICKS_ACROSS);
    double bottom = plot->top + plot->height;
    double first = ceil((double)chart->from_us / step) * step;
    for (double us = first; us <= (double)chart->to_us; us += step)
        fprintf(plot->file,
                "<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
                "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
                x_of(plot, us), bottom, x_of(plot, us), bottom + 5, x_of(plot, us), bottom + 19,
                units_duration(text, us * 1e-6));
    fprintf(plot->file, "<line class=\"axis\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n",
            LEFT, bottom, LEFT + PLOT_WIDTH, bottom);
}

/* ---- Lines ----------------------------------------------------------------------------- */

static void put_path(const struct plot *plot, const struct line *line)
{
    const struct answer_chart *chart = plot->chart;
    bool past_peak = line->peak->value <= 0;
    fprintf(plot->file, "M%d,%.1f", LEFT, y_of(plot, line->before));
    for (size_t i = 0; i < chart->count; i++) {
        double end = step_us(chart, i + 1);
        if (!past_peak && (double)line->peak->us < end) {
            past_peak = true;
            fprintf(plot->file, "L%.1f,%.1f", x_of(plot, (double)line->peak->us),
                    y_of(plot, line->peak->value));
        }
        fprintf(plot->file, "L%.1f,%.1f", x_of(plot, end), y_of(plot, line->values[i]));
    }
}

/* Between the bounds of all steps. */
static void put_band(const struct plot *plot)
{
    const struct answer_chart *chart = plot->chart;
    fputs("<path class=\"band\" d=\"", plot->file);
    for (size_t i = 0; i < chart->count; i++)
        fprintf(plot->file, "%c%.1f,%.1f", i == 0 ? 'M' : 'L', x_of(plot, step_us(chart, i + 1)),
                y_of(plot, chart->high[i]));
    for (size_t i = chart->count; i-- > 0;)
        fprintf(plot->file, "L%.1f,%.1f", x_of(plot, step_us(chart, i + 1)),
                y_of(plot, chart->low[i]));
    fputs("Z\"/>\n", plot->file);
}

/* Where the estimate stands, with its bounds; else the line's top. */
static void put_peak(const struct plot *plot)
{
    const struct answer_chart *chart = plot->chart;
    bool is_estimate = chart->estimate.is_known;
    double x = x_of(plot, (double)chart->peak.us),
           y = y_of(plot, is_estimate ? chart->estimate.number : chart->peak.value);
    if (is_estimate)
        fprintf(plot->file,
                "<line class=\"bound\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", x,
                y_of(plot, chart->estimate.range.low), x, y_of(plot, chart->estimate.range.high));
    bool is_right = x > LEFT + PLOT_WIDTH * 0.8;
    fprintf(plot->file,
            "<line class=\"peak\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
            "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>",
            x, y, x, plot->top + plot->height, x, y);
    double label = is_estimate ? y_of(plot, chart->estimate.range.high) + 10 : y - 8;
    svg_text(plot->file, "label", is_right ? x - 8 : x + 8, label,
             is_right ? "text-anchor=\"end\"" : "text-anchor=\"start\"", chart->mark);
}

static void put_line(const struct plot *plot)
{
    const struct answer_chart *chart = plot->chart;
    struct line own = {chart->values, chart->before, &chart->peak};
    struct line whole = {chart->whole, chart->whole_before, &chart->whole_peak};
    double bottom = plot->top + plot->height;
    put_up_axis(plot, 5);
    fputs("<path class=\"area\" d=\"", plot->file);
    put_path(plot, &own);
    fprintf(plot->file, "L%d,%.1fL%d,%.1fZ\"/>\n", LEFT + PLOT_WIDTH, bottom, LEFT, bottom);
    if (chart->whole) {
        fputs("<path class=\"whole\" d=\"", plot->file);
        put_path(plot, &whole);
        fputs("\"/>\n", plot->file);
    }
    if (chart->high)
        put_band(plot);
    put_across_axis(plot);
    if (chart->mark)
        put_peak(plot);
}

static void put_rate(const struct plot *plot)
{
    const struct answer_chart *chart = plot->chart;
    double width = (double)PLOT_WIDTH / (double)chart->count, bottom = plot->top + plot->height;
    put_up_axis(plot, 3);
    fputs("<path class=\"rate\" d=\"", plot->file);
    for (size_t i = 0; i < chart->count; i++)
        if (chart->values[i] > 0)
            fprintf(plot->file, "M%.1f,%.1fV%.1fH%.1fV%.1fZ", LEFT + (double)i * width, bottom,
                    y_of(plot, chart->values[i]), LEFT + (double)(i + 1) * width, bottom);
    fputs("\"/>\n", plot->file);
    put_across_axis(plot);
}

/* ---- A chart --------------------------------------------------------------------------- */

static double roof_of(const struct answer_chart *chart)
{
    double roof = fmax(chart->peak.value, chart->whole_peak.value);
    if (chart->estimate.is_known)
        roof = fmax(roof, chart->estimate.range.high);
    for (size_t i = 0; i < chart->count; i++) {
        roof = fmax(roof, fmax(chart->values[i], chart->high ? chart->high[i] : 0));
        if (chart->whole && !chart->is_rate)
            roof = fmax(roof, chart->whole[i]);
    }
    return roof;
}

double svg_chart_put(FILE *file, const struct answer_chart *chart, double top)
{
    struct plot plot = {.file = file,
                        .chart = chart,
                        .top = top + TITLE_HEIGHT,
                        .height = chart->is_rate ? RATE_HEIGHT : LINE_HEIGHT,
                        .roof = roof_of(chart)};
    char title[64];
    snprintf(title, sizeof title, "%s%s", chart->title, chart->high ? ", with 95 % bounds" : "");
    svg_text(file, "title", LEFT, top, "", title);
    (chart->is_rate ? put_rate : put_line)(&plot);
    return TITLE_HEIGHT + plot.height + BELOW;
}
