#include "answer/cell.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/measure.h"
#include "base/units.h"
#include "answer/charset.h"

/* ---- Order --------------------------------------------------------------------------- */

static int place_of(const struct answer_column *column)
{
    enum answer_kind kind = column->kind;
    return column->flags & ANSWER_LABEL ? -1
           : kind == ANSWER_PLACE       ? 4
           : kind == ANSWER_NAME        ? 3
           : kind == ANSWER_TEXT        ? 2
           : kind == ANSWER_SERIES      ? 1
                                        : 0;
}

size_t cell_columns(const struct answer_column **columns, size_t room,
                    const struct answer_section *section, bool with_wide)
{
    const struct answer_table *table = section->table;
    size_t count = 0;
    for (int place = -1; place <= 4; place++)
        for (size_t i = 0; i < table->count && count < room; i++) {
            const struct answer_column *column = &table->columns[i];
            if (place_of(column) == place && cell_is_shown(section, column) &&
                (with_wide || !(column->flags & ANSWER_WIDE)))
                columns[count++] = column;
        }
    return count;
}

const struct answer_column *cell_column_like(const struct answer_section *section,
                                             const struct answer_column *column)
{
    for (size_t i = 0; i < section->table->count; i++) {
        const struct answer_column *own = &section->table->columns[i];
        if (cell_is_shown(section, own) && strcmp(own->title, column->title) == 0)
            return own;
    }
    return NULL;
}

/* ---- Text ---------------------------------------------------------------------------- */

/* A sign for each number: how large it is beside the largest. */
static const char *put_series(char *text, const double *series, size_t count)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {".", "1", "2", "3", "4", "5", "6", "7", "8"};
    const char *const *signs = charset_stdout_is_utf8() ? blocks : plain;
    double most = 0;
    char *end = text;
    for (size_t i = 0; i < count; i++)
        most = series[i] > most ? series[i] : most;
    *end = 0;
    for (size_t i = 0; i < count && end < text + CELL_BYTES - 4; i++) {
        double part = most > 0 ? series[i] / most : 0;
        end = stpcpy(end, signs[part > 0 ? 1 + (int)(part * 7) : 0]);
    }
    return text;
}

static const char *put_place(char *text, const struct answer_value *value)
{
    const char *file = value->text ? value->text : "";
    if (value->number > 0)
        snprintf(text, CELL_BYTES, "%s:%.0f", file, value->number);
    else
        snprintf(text, CELL_BYTES, "%s", file);
    return text;
}

/* An amount with its unit, without its sign. */
static const char *put_amount(char *text, const struct answer_section *section, double value)
{
    return section->shown_unit
               ? measure_text(text, round(value), section->unit, section->shown_unit)
               : units_value(text, value, section->unit);
}

static const char *put_change(char *text, const struct answer_section *section, double value)
{
    *text = value > 0 ? '+' : '-';
    put_amount(text + (value != 0), section, fabs(value));
    return text;
}

const char *cell_text(char *text, const struct answer_section *section,
                      const struct answer_column *column, const struct answer_value *value)
{
    *text = 0;
    if (!value->is_known)
        return text;
    if (column->flags & ANSWER_DOT && value->number == 0)
        return ".";
    switch (column->kind) {
    case ANSWER_TEXT:
    case ANSWER_NAME:
        return value->text;
    case ANSWER_PLACE:
        return put_place(text, value);
    case ANSWER_BYTES:
        return units_bytes(text, value->number);
    case ANSWER_COUNT:
        return units_count(text, value->number);
    case ANSWER_WHOLE:
        snprintf(text, CELL_BYTES, "%.0f", value->number);
        return text;
    case ANSWER_DECIMAL:
        snprintf(text, CELL_BYTES, fabs(value->number) < 1e6 ? "%.2f" : "%.4g", value->number);
        return text;
    case ANSWER_INTEGER:
        snprintf(text, CELL_BYTES, "%" PRId64, value->integer);
        return text;
    case ANSWER_ADDRESS:
        snprintf(text, CELL_BYTES, "0x%" PRIx64, (uint64_t)value->integer);
        return text;
    case ANSWER_AMOUNT:
        return put_amount(text, section, value->number);
    case ANSWER_CHANGE:
        return put_change(text, section, value->number);
    case ANSWER_SHARE:
        snprintf(text, CELL_BYTES, column->flags & ANSWER_COARSE ? "%.0f %%" : "%.1f %%",
                 100 * value->number);
        return text;
    case ANSWER_SHIFT:
        snprintf(text, CELL_BYTES, "%+.1f %%", 100 * value->number);
        return text;
    case ANSWER_TIME:
        return units_duration(text, value->number * 1e-6);
    case ANSWER_FLAG:
        return value->number != 0 ? "yes" : "no";
    case ANSWER_SERIES:
        return put_series(text, value->series, value->count);
    }
    return text;
}

const char *cell_fixed_text(char *text, const struct answer_section *section,
                            const struct answer_column *column, const struct answer_value *value)
{
    if (value->is_known && column->kind == ANSWER_SHARE)
        return measure_percent(text, value->number, 1);
    return cell_text(text, section, column, value);
}
