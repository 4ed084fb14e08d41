#include "answer/svg_bars.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "answer/xml.h"
#include "answer/svg_parts.h"

enum { MARGIN_LEFT = 64, MARGIN_RIGHT = 18, MARGIN_TOP = 60, MARGIN_BOTTOM = 50 };

/* The part of a chart inside its axes, and what its axes run over. */
struct plot {
    double left, top, width, height;
    double low, high;   /* across */
    double floor, roof; /* up */
    double step_up;     /* between ticks, unless the axis is logarithmic */
    bool log_across, log_up;
    bool single; /* each bin is one value: its tick stands in its middle */
};

/* ---- Scales */

static double along(double value, double from, double to, bool logarithmic)
{
    if (logarithmic)
        return log(value / from) / log(to / from);
    return (value - from) / (to - from);
}

static double x_of(const struct plot *plot, double value)
{
    return plot->left + plot->width * along(value, plot->low, plot->high, plot->log_across);
}

static double y_of(const struct plot *plot, double weight)
{
    if (weight < plot->floor)
        weight = plot->floor;
    return plot->top + plot->height * (1 - along(weight, plot->floor, plot->roof, plot->log_up));
}

static double most_of(const struct answer_histogram *histogram)
{
    double most = 0;
    for (size_t i = 0; i < histogram->count; i++)
        most = fmax(most, histogram->bars[i].value);
    return most;
}

static double least_weight(const struct answer_histogram *histogram)
{
    double least = 0;
    for (size_t i = 0; i < histogram->count; i++)
        if (histogram->bars[i].value > 0 && (least == 0 || histogram->bars[i].value < least))
            least = histogram->bars[i].value;
    return least;
}

static struct plot plot_of(const struct answer_histogram *histogram, double left, double top)
{
    double most = most_of(histogram);
    struct plot plot = {
        .left = left + MARGIN_LEFT,
        .top = top + MARGIN_TOP,
        .width = SVG_BARS_WIDTH - MARGIN_LEFT - MARGIN_RIGHT,
        .height = SVG_BARS_HEIGHT - MARGIN_TOP - MARGIN_BOTTOM,
        .low = histogram->edges[0],
        .high = histogram->edges[histogram->count],
        .log_across = histogram->across.is_logarithmic,
        .log_up = histogram->up.is_logarithmic,
        .single =
            !histogram->across.is_logarithmic && histogram->edges[1] - histogram->edges[0] == 1,
    };
    if (plot.log_up) {
        plot.floor = pow(10, floor(log10(least_weight(histogram)))) / 2;
        plot.roof = most * 1.3;
    } else {
        double step = svg_tick_step(most, 4);
        plot.step_up = most >= 1 && step < 1 ? 1 : step;
        plot.roof = ceil(most / plot.step_up) * plot.step_up;
    }
    return plot;
}

/* ---- Ticks */

static void tick_text(FILE *file, double value, bool is_time)
{
    char text[UNITS_TEXT_BYTES];
    if (is_time)
        units_duration(text, value * 1e-6);
    else if (value >= 9999.5)
        units_count(text, value);
    else
        snprintf(text, sizeof text, "%g", value);
    xml_put_text(file, text);
}

static void tick_across(FILE *file, const struct answer_histogram *histogram,
                        const struct plot *plot, double value)
{
    double x = x_of(plot, plot->single ? value + 0.5 : value);
    double bottom = plot->top + plot->height;
    if ((plot->single && value + 0.5 > plot->high) ||
        (histogram->zero_first && x < x_of(plot, histogram->edges[1]) + 20))
        return; /* outside, or on top of the 0 */
    fprintf(file, "<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", x,
            bottom, x, bottom + 4);
    fprintf(file, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x,
            bottom + 16);
    tick_text(file, value, histogram->across.is_time);
    fputs("</text>\n", file);
}

static void tick_up(FILE *file, const struct answer_histogram *histogram, const struct plot *plot,
                    double value)
{
    double y = y_of(plot, value);
    fprintf(file, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
            plot->left, y, plot->left + plot->width, y);
    fprintf(file, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", plot->left - 7,
            y + 4);
    tick_text(file, value, histogram->up.is_time);
    fputs("</text>\n", file);
}

typedef void put_tick(FILE *file, const struct answer_histogram *histogram, const struct plot *plot,
                      double value);

/* Powers of ten; where they are few, 2 and 5 times them as well. */
static void log_ticks(FILE *file, const struct answer_histogram *histogram, const struct plot *plot,
                      double from, double to, int most, put_tick *put)
{
    static const double factors[] = {1, 2, 5};
    double decades = log10(to / from);
    int every = (int)ceil(decades / most), used = decades < 2.5 ? 3 : 1;
    for (int power = (int)floor(log10(from)); power <= (int)ceil(log10(to)); power++) {
        for (int i = 0; i < used; i++) {
            double value = pow(10, power) * factors[i];
            if (power % (every > 0 ? every : 1) == 0 && value >= from * 0.999 &&
                value <= to * 1.001)
                put(file, histogram, plot, value);
        }
    }
}

static void linear_ticks(FILE *file, const struct answer_histogram *histogram,
                         const struct plot *plot, double from, double to, double step,
                         put_tick *put)
{
    for (double value = ceil(from / step) * step; value <= to * 1.0001; value += step)
        put(file, histogram, plot, value);
}

static void print_ticks(FILE *file, const struct answer_histogram *histogram,
                        const struct plot *plot)
{
    if (plot->log_up)
        log_ticks(file, histogram, plot, plot->floor, plot->roof, 6, tick_up);
    else
        linear_ticks(file, histogram, plot, plot->floor, plot->roof, plot->step_up, tick_up);
    if (plot->log_across)
        log_ticks(file, histogram, plot, histogram->zero_first ? 1 : plot->low, plot->high, 8,
                  tick_across);
    else
        linear_ticks(file, histogram, plot, plot->low, plot->high,
                     svg_tick_step(plot->high - plot->low, 8), tick_across);
    if (histogram->zero_first) {
        double x = (plot->left + x_of(plot, histogram->edges[1])) / 2;
        fprintf(file,
                "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">0</text>\n", x,
                plot->top + plot->height + 16);
    }
}

/* ---- Bars */

static void print_bar(FILE *file, const struct answer_histogram *histogram, const struct plot *plot,
                      size_t i)
{
    double begin = histogram->edges[i], end = histogram->edges[i + 1];
    double left = x_of(plot, begin), right = x_of(plot, end);
    double top = y_of(plot, histogram->bars[i].value), gap = right - left > 4 ? 1 : 0;
    double bottom = plot->top + plot->height;
    char weight[UNITS_TEXT_BYTES];
    if (histogram->bars[i].value <= 0)
        return;
    if (bottom - top < 1)
        top = bottom - 1;
    fprintf(file,
            "<rect class=\"bar\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>",
            left + gap / 2, top, right - left - gap, bottom - top);
    if (histogram->bars[i].value < 1e6)
        snprintf(weight, sizeof weight, "%.6g", histogram->bars[i].value);
    else
        units_count(weight, histogram->bars[i].value);
    if (histogram->zero_first && i == 0) {
        fprintf(file, "0: %s", weight);
    } else {
        tick_text(file, begin, histogram->across.is_time);
        if (histogram->across.is_time || end - begin > 1) {
            fputs(" to ", file);
            tick_text(file, end, histogram->across.is_time);
        }
        fprintf(file, ": %s", weight);
    }
    fputs("</title></rect>\n", file);
}

static void print_labels(FILE *file, const struct answer_histogram *histogram,
                         const struct plot *plot)
{
    double middle = plot->top + plot->height / 2, side = plot->left - MARGIN_LEFT + 18;
    char turned[80];
    snprintf(turned, sizeof turned, "text-anchor=\"middle\" transform=\"rotate(-90 %.1f %.1f)\"",
             side, middle);
    svg_text(file, "label", plot->left + plot->width / 2, plot->top + plot->height + 36,
             "text-anchor=\"middle\"", histogram->across.label);
    svg_text(file, "label", side, middle, turned, histogram->up.label);
}

void svg_bars_put(FILE *file, const struct answer_histogram *histogram, double left, double top)
{
    fprintf(file,
            "<g><rect class=\"card\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" "
            "rx=\"6\"/>\n",
            left, top, SVG_BARS_WIDTH, SVG_BARS_HEIGHT);
    svg_text(file, "title", left + 16, top + 24, "", histogram->title);
    svg_text(file, "label", left + 16, top + 41, "", histogram->about);
    if (!(most_of(histogram) > 0)) {
        svg_text(file, "label", left + SVG_BARS_WIDTH / 2., top + SVG_BARS_HEIGHT / 2.,
                 "text-anchor=\"middle\"", "none");
        fputs("</g>\n", file);
        return;
    }
    struct plot plot = plot_of(histogram, left, top);
    print_ticks(file, histogram, &plot);
    for (size_t i = 0; i < histogram->count; i++)
        print_bar(file, histogram, &plot, i);
    fprintf(file, "<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
            plot.left, plot.top + plot.height, plot.left + plot.width, plot.top + plot.height);
    print_labels(file, histogram, &plot);
    fputs("</g>\n", file);
}
