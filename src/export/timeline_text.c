#include "export/timeline_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

enum { AXIS_COLUMNS = 11, LEAST_STEPS = 10, RATE_ROWS = 4, EIGHTHS = 8 };

struct chart {
    FILE *file;
    const struct timeline_text_style *style;
    const struct series *series;
    const struct series *whole; /* NULL for none */
    double (*height)(const struct chart *chart, const struct series *series, size_t step);
    double top;
    int rows;
    const char *unit; /* behind a size: "", "/s" */
};

size_t timeline_text_steps(int columns)
{
    int steps = columns - AXIS_COLUMNS - 1;
    return (size_t)(steps > LEAST_STEPS ? steps : LEAST_STEPS);
}

static double step_seconds(const struct series *series)
{
    return (double)(series->to_us - series->from_us) * 1e-6 / (double)series->count;
}

static size_t step_at(const struct series *series, int64_t us)
{
    double part = (double)(us - series->from_us) / (double)(series->to_us - series->from_us);
    size_t step = (size_t)(fmax(part, 0) * (double)series->count);
    return step < series->count ? step : series->count - 1;
}

static double value_of(const struct chart *chart, const struct series_sum *sum)
{
    return chart->style->objects ? sum->objects : sum->bytes;
}

/* What is alive at the end of the step; the highest point, in its own. */
static double live_height(const struct chart *chart, const struct series *series, size_t step)
{
    bool is_peak = series->peak.bytes > 0 && step == step_at(series, series->peak_us);
    return value_of(chart, is_peak ? &series->highest : &series->steps[step].live);
}

static double rate_height(const struct chart *chart, const struct series *series, size_t step)
{
    return value_of(chart, &series->steps[step].allocated) / step_seconds(series);
}

static double highest(const struct chart *chart, const struct series *series)
{
    double most = 0;
    for (size_t i = 0; i < series->count; i++)
        most = fmax(most, chart->height(chart, series, i));
    return most;
}

/* ---- Cells ----------------------------------------------------------------------------- */

/* How much of a row's cell is filled, in eighths. */
static int filled(const struct chart *chart, const struct series *series, size_t step, int row)
{
    double height = chart->height(chart, series, step);
    if (chart->top <= 0 || height <= 0)
        return 0;
    double eighths = round(height / chart->top * chart->rows * EIGHTHS);
    eighths = fmax(eighths, 1); /* what is there can be seen */
    return (int)fmin(fmax(eighths - (double)(row * EIGHTHS), 0), EIGHTHS);
}

static const char *cell(const struct chart *chart, size_t step, int row)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {" ", ".", ".", ":", ":", ":", ":", "#", "#"};
    int eighths = filled(chart, chart->series, step, row);
    bool is_edge = false;
    if (chart->whole && eighths == 0) {
        int whole = filled(chart, chart->whole, step, row);
        is_edge = whole > 0 && (whole < EIGHTHS || row + 1 == chart->rows ||
                                filled(chart, chart->whole, step, row + 1) == 0);
    }
    if (is_edge)
        return chart->style->utf8 ? "·" : "-";
    return chart->style->utf8 ? blocks[eighths] : plain[eighths];
}

static const char *quantity(const struct chart *chart, char *text, double value)
{
    return chart->style->objects ? units_count(text, value) : units_bytes(text, value);
}

static void put_label(const struct chart *chart, double value)
{
    char text[UNITS_TEXT_BYTES], label[2 * UNITS_TEXT_BYTES];
    snprintf(label, sizeof label, "%s%s", quantity(chart, text, value), chart->unit);
    fprintf(chart->file, "%*s ", AXIS_COLUMNS - 1, label);
}

static void put_row(const struct chart *chart, int row)
{
    if (row == chart->rows - 1)
        put_label(chart, chart->top);
    else if (chart->rows > RATE_ROWS && row == chart->rows / 2 - 1)
        put_label(chart, chart->top / 2);
    else
        fprintf(chart->file, "%*s ", AXIS_COLUMNS - 1, "");
    fputs(chart->style->utf8 ? "│" : "|", chart->file);
    if (chart->style->colour)
        fputs("\033[36m", chart->file);
    size_t last = chart->series->count; /* no spaces at the end of lines */
    while (last > 0 && *cell(chart, last - 1, row) == ' ')
        last--;
    for (size_t step = 0; step < last; step++)
        fputs(cell(chart, step, row), chart->file);
    if (chart->style->colour)
        fputs("\033[0m", chart->file);
    fputc('\n', chart->file);
}

/* ---- Axes ------------------------------------------------------------------------------ */

static void put_line(const struct chart *chart)
{
    const char *dash = chart->style->utf8 ? "─" : "-";
    put_label(chart, 0);
    fputs(chart->style->utf8 ? "└" : "+", chart->file);
    for (size_t i = 0; i < chart->series->count; i++)
        fputs(dash, chart->file);
    fputc('\n', chart->file);
}

/* Where the times stand: at the beginning, in the middle, at the end. */
static void put_times(const struct chart *chart)
{
    const struct series *series = chart->series;
    char from[UNITS_TEXT_BYTES], middle[UNITS_TEXT_BYTES], to[UNITS_TEXT_BYTES];
    double begin = (double)series->from_us * 1e-6, end = (double)series->to_us * 1e-6;
    int width = (int)series->count;
    units_duration(from, begin);
    units_duration(middle, (begin + end) / 2);
    units_duration(to, end);
    int before = (int)strlen(from), half = width / 2 - (int)strlen(middle) / 2;
    int used = half + (int)strlen(middle);
    fprintf(chart->file, "%*s%s", AXIS_COLUMNS + 1, "", from);
    if (half > before && used + (int)strlen(to) < width) {
        fprintf(chart->file, "%*s%s", half - before, "", middle);
        before = used;
    }
    fprintf(chart->file, "%*s\n", width > before ? width - before : 0, to);
}

static void put_peak(const struct chart *chart)
{
    const struct series *series = chart->series;
    char bytes[UNITS_TEXT_BYTES], time[UNITS_TEXT_BYTES], text[3 * UNITS_TEXT_BYTES];
    int column = (int)step_at(series, series->peak_us);
    quantity(chart, bytes, value_of(chart, &series->peak));
    units_duration(time, (double)series->peak_us * 1e-6);
    int size = snprintf(text, sizeof text, "peak %s at %s", bytes, time);
    const char *mark = chart->style->utf8 ? "▼" : "v";
    if (column + 2 + size <= (int)series->count)
        fprintf(chart->file, "%*s%s %s\n", AXIS_COLUMNS + 1 + column, "", mark, text);
    else
        fprintf(chart->file, "%*s%s %s\n",
                AXIS_COLUMNS + column - size > 0 ? AXIS_COLUMNS + column - size : 0, "", text,
                mark);
}

static void print_chart(struct chart *chart)
{
    chart->top = highest(chart, chart->series);
    if (chart->whole)
        chart->top = fmax(chart->top, highest(chart, chart->whole));
    for (int row = chart->rows; row-- > 0;)
        put_row(chart, row);
    put_line(chart);
}

void timeline_text_print(FILE *file, const struct series *series, const struct series *whole,
                         const struct timeline_text_style *style)
{
    struct chart live = {
        .file = file,
        .style = style,
        .series = series,
        .whole = whole,
        .height = live_height,
        .rows = style->rows,
        .unit = "",
    };
    struct chart rate = live;
    rate.height = rate_height;
    rate.rows = RATE_ROWS;
    rate.unit = "/s";
    fputs("live\n", file);
    if (series->peak.bytes > 0)
        put_peak(&live);
    print_chart(&live);
    fputs("allocated\n", file);
    print_chart(&rate);
    put_times(&live);
}
