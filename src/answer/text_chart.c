#include "answer/text_chart.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

enum { AXIS_COLUMNS = 11, LEAST_STEPS = 10, LABELLED_HALF_ROWS = 5, EIGHTHS = 8 };

/* One that is being printed. */
struct printing {
    FILE *file;
    const struct answer_chart *chart;
    const struct text_chart_style *style;
    double top; /* the highest value */
};

size_t text_chart_steps(int columns)
{
    int steps = columns - AXIS_COLUMNS - 1;
    return (size_t)(steps > LEAST_STEPS ? steps : LEAST_STEPS);
}

/* Of a step, which is as high as the line is at its end or at its peak. */
static double value_at(const struct answer_chart *chart, const double *values,
                       const struct answer_point *peak, size_t step)
{
    return peak->value > 0 && step == answer_chart_step(chart, peak->us) ? peak->value
                                                                         : values[step];
}

static double highest(const struct answer_chart *chart, const double *values,
                      const struct answer_point *peak)
{
    double most = 0;
    for (size_t i = 0; values && i < chart->count; i++)
        most = fmax(most, value_at(chart, values, peak, i));
    return most;
}

/* ---- Cells ----------------------------------------------------------------------------- */

/* How much of a row's cell is filled, in eighths. */
static int filled(const struct printing *printing, double value, int row)
{
    if (printing->top <= 0 || value <= 0)
        return 0;
    double eighths = round(value / printing->top * printing->chart->rows * EIGHTHS);
    eighths = fmax(eighths, 1); /* what is there can be seen */
    return (int)fmin(fmax(eighths - (double)(row * EIGHTHS), 0), EIGHTHS);
}

/* Does the whole end in this cell? */
static bool is_edge(const struct printing *printing, double whole, int row)
{
    int eighths = filled(printing, whole, row);
    return eighths > 0 && (eighths < EIGHTHS || row + 1 == printing->chart->rows ||
                           filled(printing, whole, row + 1) == 0);
}

/* The bounds of what samples say: as far as they go above the value, and how much of the value is within them. */
static const char *band_cell(const struct printing *printing, size_t step, int row, int eighths)
{
    const struct answer_chart *chart = printing->chart;
    bool is_utf8 = printing->style->utf8;
    bool is_peak = chart->peak.value > 0 && step == answer_chart_step(chart, chart->peak.us);
    double low = is_peak ? chart->estimate.range.low : chart->low[step],
           high = is_peak ? chart->estimate.range.high : chart->high[step];
    if (eighths == 0 && filled(printing, high, row) >= EIGHTHS / 2)
        return is_utf8 ? "░" : "~";
    if (eighths == EIGHTHS && filled(printing, low, row) < EIGHTHS / 2)
        return is_utf8 ? "▒" : "=";
    return NULL;
}

static const char *cell(const struct printing *printing, size_t step, int row)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {" ", ".", ".", ":", ":", ":", ":", "#", "#"};
    const struct answer_chart *chart = printing->chart;
    int eighths = filled(printing, value_at(chart, chart->values, &chart->peak, step), row);
    if (chart->whole && eighths == 0 &&
        is_edge(printing, value_at(chart, chart->whole, &chart->whole_peak, step), row))
        return printing->style->utf8 ? "·" : "-";
    const char *band = chart->high ? band_cell(printing, step, row, eighths) : NULL;
    return band ? band : printing->style->utf8 ? blocks[eighths] : plain[eighths];
}

static void put_label(const struct printing *printing, double value)
{
    char text[UNITS_TEXT_BYTES], label[2 * UNITS_TEXT_BYTES];
    snprintf(label, sizeof label, "%s%s",
             printing->chart->kind == ANSWER_BYTES ? units_bytes(text, value)
                                                   : units_count(text, value),
             printing->chart->per);
    fprintf(printing->file, "%*s ", AXIS_COLUMNS - 1, label);
}

static void put_row(const struct printing *printing, int row)
{
    int rows = printing->chart->rows;
    if (row == rows - 1)
        put_label(printing, printing->top);
    else if (rows >= LABELLED_HALF_ROWS && row == rows / 2 - 1)
        put_label(printing, printing->top / 2);
    else
        fprintf(printing->file, "%*s ", AXIS_COLUMNS - 1, "");
    fputs(printing->style->utf8 ? "│" : "|", printing->file);
    if (printing->style->colour)
        fputs("\033[36m", printing->file);
    size_t last = printing->chart->count; /* no spaces at the end of lines */
    while (last > 0 && *cell(printing, last - 1, row) == ' ')
        last--;
    for (size_t step = 0; step < last; step++)
        fputs(cell(printing, step, row), printing->file);
    if (printing->style->colour)
        fputs("\033[0m", printing->file);
    fputc('\n', printing->file);
}

/* ---- Axes ------------------------------------------------------------------------------ */

static void put_line(const struct printing *printing)
{
    put_label(printing, 0);
    fputs(printing->style->utf8 ? "└" : "+", printing->file);
    for (size_t i = 0; i < printing->chart->count; i++)
        fputs(printing->style->utf8 ? "─" : "-", printing->file);
    fputc('\n', printing->file);
}

/* Where the times stand: at the beginning, in the middle, at the end. */
static void put_times(const struct printing *printing)
{
    const struct answer_chart *chart = printing->chart;
    char from[UNITS_TEXT_BYTES], middle[UNITS_TEXT_BYTES], to[UNITS_TEXT_BYTES];
    double begin = (double)chart->from_us * 1e-6, end = (double)chart->to_us * 1e-6;
    int width = (int)chart->count;
    units_duration(from, begin);
    units_duration(middle, (begin + end) / 2);
    units_duration(to, end);
    int before = (int)strlen(from), half = width / 2 - (int)strlen(middle) / 2;
    int used = half + (int)strlen(middle);
    fprintf(printing->file, "%*s%s", AXIS_COLUMNS + 1, "", from);
    if (half > before && used + (int)strlen(to) < width) {
        fprintf(printing->file, "%*s%s", half - before, "", middle);
        before = used;
    }
    fprintf(printing->file, "%*s\n", width > before ? width - before : 0, to);
}

/* To the right of the step, or to its left where there is no room. */
static void put_mark(const struct printing *printing)
{
    const struct answer_chart *chart = printing->chart;
    int column = (int)answer_chart_step(chart, chart->peak.us), size = (int)strlen(chart->mark);
    const char *sign = printing->style->utf8 ? "▼" : "v";
    if (column + 2 + size <= (int)chart->count)
        fprintf(printing->file, "%*s%s %s\n", AXIS_COLUMNS + 1 + column, "", sign, chart->mark);
    else
        fprintf(printing->file, "%*s%s %s\n",
                AXIS_COLUMNS + column - size > 0 ? AXIS_COLUMNS + column - size : 0, "",
                chart->mark, sign);
}

void text_chart_print(FILE *file, const struct answer_chart *chart,
                      const struct text_chart_style *style)
{
    struct printing printing = {
        .file = file,
        .chart = chart,
        .style = style,
        .top = fmax(fmax(highest(chart, chart->values, &chart->peak),
                         highest(chart, chart->whole, &chart->whole_peak)),
                    highest(chart, chart->high, &chart->peak)),
    };
    const char *band = !chart->high ? "" : style->utf8 ? " (▒░ 95 % bounds)" : " (=~ 95 % bounds)";
    fprintf(file, "%s%s\n", chart->title, band);
    if (chart->mark)
        put_mark(&printing);
    for (int row = chart->rows; row-- > 0;)
        put_row(&printing, row);
    put_line(&printing);
    if (chart->has_times)
        put_times(&printing);
}
