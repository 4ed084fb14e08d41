#include "export/timeline_svg.h"

#include <math.h>

#include "base/units.h"
#include "export/svg_chart.h"
#include "export/xml.h"

enum {
    WIDTH = 1160,
    LEFT = 90,
    RIGHT = 24,
    PLOT_WIDTH = WIDTH - LEFT - RIGHT,
    LIVE_TOP = 110,
    LIVE_HEIGHT = 330,
    RATE_TOP = LIVE_TOP + LIVE_HEIGHT + 60,
    RATE_HEIGHT = 110,
    HEIGHT = RATE_TOP + RATE_HEIGHT + 50,
    TICKS_ACROSS = 8,
};

/* One plot: what stands where. */
struct plot {
    FILE *file;
    const struct series *series;
    double top, height;
    double roof; /* bytes or objects at its top */
    bool objects;
};

static double value_of(const struct plot *plot, const struct series_sum *sum)
{
    return plot->objects ? sum->objects : sum->bytes;
}

static const char *quantity(const struct plot *plot, char *text, double value)
{
    return plot->objects ? units_count(text, value) : units_bytes(text, value);
}

static double x_of(const struct series *series, double us)
{
    return LEFT +
           PLOT_WIDTH * (us - (double)series->from_us) / (double)(series->to_us - series->from_us);
}

static double y_of(const struct plot *plot, double value)
{
    return plot->top + plot->height * (1 - (plot->roof > 0 ? value / plot->roof : 0));
}

/* A step of 1, 2 or 5 times a power of ten, or of two for bytes. */
static double tick_step(double span, int ticks)
{
    double raw = span / ticks, power = pow(10, floor(log10(raw)));
    double part = raw / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static double byte_step(double roof, int ticks)
{
    double unit = 1;
    while (roof / unit >= 1024)
        unit *= 1024;
    return tick_step(roof / unit, ticks) * unit;
}

static void put_up_axis(const struct plot *plot, int ticks, const char *behind)
{
    char text[UNITS_TEXT_BYTES];
    double step = plot->roof <= 0 ? 0
                  : plot->objects ? tick_step(plot->roof, ticks)
                                  : byte_step(plot->roof, ticks);
    for (double value = 0; value <= plot->roof && (step > 0 || value == 0); value += step) {
        double y = y_of(plot, value);
        fprintf(plot->file,
                "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
                "<text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s%s</text>\n",
                LEFT, y, LEFT + PLOT_WIDTH, y, LEFT - 8, y + 4, quantity(plot, text, value),
                behind);
        if (step == 0)
            break;
    }
}

static void put_across_axis(const struct plot *plot)
{
    const struct series *series = plot->series;
    char text[UNITS_TEXT_BYTES];
    double step = tick_step((double)(series->to_us - series->from_us), TICKS_ACROSS);
    double bottom = plot->top + plot->height;
    double first = ceil((double)series->from_us / step) * step;
    for (double us = first; us <= (double)series->to_us; us += step)
        fprintf(plot->file,
                "<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
                "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
                x_of(series, us), bottom, x_of(series, us), bottom + 5, x_of(series, us),
                bottom + 19, units_duration(text, us * 1e-6));
    fprintf(plot->file, "<line class=\"axis\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n",
            LEFT, bottom, LEFT + PLOT_WIDTH, bottom);
}

/* The line of what is alive, through its highest point. */
static void put_live_path(const struct plot *plot, const struct series *series)
{
    bool past_peak = false;
    fprintf(plot->file, "M%d,%.1f", LEFT, y_of(plot, value_of(plot, &series->before)));
    for (size_t i = 0; i < series->count; i++) {
        double end = (double)series_step_us(series, i + 1);
        if (!past_peak && (double)series->peak_us < end) {
            past_peak = true;
            fprintf(plot->file, "L%.1f,%.1f", x_of(series, (double)series->peak_us),
                    y_of(plot, value_of(plot, &series->highest)));
        }
        fprintf(plot->file, "L%.1f,%.1f", x_of(series, end),
                y_of(plot, value_of(plot, &series->steps[i].live)));
    }
}

static void put_peak(const struct plot *plot)
{
    const struct series *series = plot->series;
    char bytes[UNITS_TEXT_BYTES], time[UNITS_TEXT_BYTES];
    double x = x_of(series, (double)series->peak_us),
           y = y_of(plot, value_of(plot, &series->highest));
    bool is_right = x > LEFT + PLOT_WIDTH * 0.8;
    fprintf(plot->file,
            "<line class=\"peak\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
            "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>"
            "<text class=\"label\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">peak %s at %s</text>\n",
            x, y, x, plot->top + plot->height, x, y, is_right ? x - 8 : x + 8, y - 8,
            is_right ? "end" : "start", quantity(plot, bytes, value_of(plot, &series->peak)),
            units_duration(time, (double)series->peak_us * 1e-6));
}

static void put_live(const struct plot *plot, const struct series *whole)
{
    double bottom = plot->top + plot->height;
    put_up_axis(plot, 5, "");
    fputs("<path class=\"area\" d=\"", plot->file);
    put_live_path(plot, plot->series);
    fprintf(plot->file, "L%d,%.1fL%d,%.1fZ\"/>\n", LEFT + PLOT_WIDTH, bottom, LEFT, bottom);
    if (whole) {
        fputs("<path class=\"whole\" d=\"", plot->file);
        put_live_path(plot, whole);
        fputs("\"/>\n", plot->file);
    }
    put_across_axis(plot);
    if (plot->series->peak.bytes > 0)
        put_peak(plot);
}

static double rate_of(const struct plot *plot, size_t step)
{
    const struct series *series = plot->series;
    double seconds = (double)(series->to_us - series->from_us) * 1e-6 / (double)series->count;
    return value_of(plot, &series->steps[step].allocated) / seconds;
}

static void put_rate(const struct plot *plot)
{
    const struct series *series = plot->series;
    double width = (double)PLOT_WIDTH / (double)series->count;
    put_up_axis(plot, 3, "/s");
    fputs("<path class=\"rate\" d=\"", plot->file);
    for (size_t i = 0; i < series->count; i++) {
        double y = y_of(plot, rate_of(plot, i));
        if (rate_of(plot, i) > 0)
            fprintf(plot->file, "M%.1f,%.1fV%.1fH%.1fV%.1fZ", LEFT + (double)i * width,
                    plot->top + plot->height, y, LEFT + (double)(i + 1) * width,
                    plot->top + plot->height);
    }
    fputs("\"/>\n", plot->file);
    put_across_axis(plot);
}

static void put_head(FILE *file, const struct timeline_svg_options *options)
{
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\">\n<title>",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    xml_put_text(file, options->title);
    fputs("</title>\n", file);
    svg_chart_style(file);
    fputs("<style>.area{fill:#9fc6e6;stroke:#2f7ebc;stroke-width:1.2}"
          ".whole{fill:none;stroke:#8a99a8;stroke-width:1.2;stroke-dasharray:4 3}"
          ".rate{fill:#8a6fb0}.peak{stroke:#c0392b;stroke-width:1;stroke-dasharray:3 3}"
          ".dot{fill:#c0392b}</style>\n",
          file);
    fprintf(file,
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
            "<text class=\"page\" x=\"20\" y=\"36\">",
            WIDTH, HEIGHT);
    xml_put_text(file, options->title);
    fputs("</text>\n<text class=\"about\" x=\"20\" y=\"60\">", file);
    xml_put_text(file, options->subtitle);
    fprintf(file,
            "</text>\n<text class=\"title\" x=\"%d\" y=\"%d\">Live</text>\n"
            "<text class=\"title\" x=\"%d\" y=\"%d\">Allocated</text>\n",
            LEFT, LIVE_TOP - 18, LEFT, RATE_TOP - 14);
}

void timeline_svg_print(FILE *file, const struct series *series, const struct series *whole,
                        const struct timeline_svg_options *options)
{
    struct plot live = {file, series, LIVE_TOP, LIVE_HEIGHT, 0, options->objects};
    struct plot rate = {file, series, RATE_TOP, RATE_HEIGHT, 0, options->objects};
    live.roof = value_of(&live, &series->highest);
    if (whole)
        live.roof = fmax(live.roof, value_of(&live, &whole->highest));
    for (size_t i = 0; i < series->count; i++)
        rate.roof = fmax(rate.roof, rate_of(&rate, i));
    put_head(file, options);
    put_live(&live, whole);
    put_rate(&rate);
    fputs("</svg>\n", file);
}
