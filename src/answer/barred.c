#include "answer/barred.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/plain.h"
#include "base/units.h"
#include "answer/cell.h"
#include "answer/cut.h"
#include "answer/table.h"
#include "base/utf8.h"

enum { LEAST_FIRST = 15, LEVELS_MAX = 100 };

/* ---- Padded ------------------------------------------------------------------------- */

static void put_cell(FILE *to, const char *text, size_t width, bool right)
{
    size_t own = utf8_width(text);
    if (own > width) {
        char *fitting = cut_name(text, (int)width);
        fputs(fitting ? fitting : text, to);
        free(fitting);
        return;
    }
    if (right)
        fprintf(to, "%*s", (int)(width - own), "");
    fputs(text, to);
    if (!right)
        fprintf(to, "%*s", (int)(width - own), "");
}

/* How wide each column is; the first gives way where the terminal is too narrow. */
static void find_widths(const struct barred *barred, size_t *width)
{
    int terminal = barred->file == stdout ? table_width() : 0;
    size_t columns = barred->columns_count, all = 4 * (columns - 1);
    memset(width, 0, columns * sizeof *width);
    for (size_t i = 0; i < barred->count; i++) {
        size_t own = utf8_width(barred->cells[i]);
        if (own > width[i % columns])
            width[i % columns] = own;
    }
    for (size_t i = 0; i < columns; i++)
        all += width[i];
    if (terminal > 0 && all > (size_t)terminal && width[0] > LEAST_FIRST) {
        size_t over = all - (size_t)terminal;
        width[0] = width[0] > over + LEAST_FIRST ? width[0] - over : LEAST_FIRST;
    }
}

/* Columns between the first and the last are numbers. */
static void put_padded(const struct barred *barred)
{
    size_t width[BARRED_COLUMNS_MAX], columns = barred->columns_count;
    find_widths(barred, width);
    for (size_t i = 0; i < barred->count; i++) {
        size_t column = i % columns;
        if (column + 1 == columns) {
            fprintf(barred->file, "%s\n", barred->cells[i]);
            continue;
        }
        put_cell(barred->file, barred->cells[i], width[column], column > 0);
        fputs(" || ", barred->file);
    }
}

/* ---- Cells -------------------------------------------------------------------------- */

/* One in plain form, taken over; NULL without memory. */
static bool take_cell(struct barred *barred, char *cell, size_t column)
{
    if (!cell)
        return false;
    if (barred->is_padded && ARRAY_RESERVE(&barred->cells, &barred->capacity, barred->count + 1)) {
        barred->cells[barred->count++] = cell;
        return true;
    }
    if (!barred->is_padded)
        fprintf(barred->file, "%s%s", cell, column + 1 < barred->columns_count ? " || " : "\n");
    free(cell);
    return !barred->is_padded;
}

/* A value's text, with two blanks for each step that it goes in; what is deeper than anybody can read goes no further. */
static char *cell_of(const struct answer_section *section, const struct answer_column *column,
                     unsigned level, const void *row)
{
    char text[CELL_BYTES], *cell = NULL;
    struct answer_value value = answer_value_of(section, column, row);
    unsigned indent = value.indent + (column->kind == ANSWER_NAME ? level : 0);
    const char *shown = !value.is_known                ? "-"
                        : column->kind == ANSWER_BYTES ? units_size(text, value.number)
                                                       : cell_text(text, section, column, &value);
    if (asprintf(&cell, "%*s%s", 2 * (int)(indent < LEVELS_MAX ? indent : LEVELS_MAX), "",
                 plain(shown)) < 0)
        cell = NULL;
    answer_value_release(&value);
    return cell;
}

/* ---- The table ---------------------------------------------------------------------- */

bool barred_begin(struct barred *barred, FILE *file, const struct answer_section *section)
{
    bool done = true;
    *barred = (struct barred){.file = file, .is_padded = isatty(fileno(file))};
    for (size_t i = 0; i < section->table->count; i++)
        if (cell_is_shown(section, &section->table->columns[i]) &&
            barred->columns_count < BARRED_COLUMNS_MAX)
            barred->columns[barred->columns_count++] = &section->table->columns[i];
    for (size_t i = 0; i < barred->columns_count && done; i++)
        done = take_cell(barred, strdup(barred->columns[i]->title), i);
    return done;
}

bool barred_row(struct barred *barred, const struct answer_section *section, unsigned level,
                const void *row)
{
    bool done = true;
    for (size_t i = 0; i < barred->columns_count && done; i++) {
        const struct answer_column *own = cell_column_like(section, barred->columns[i]);
        done = take_cell(barred, own ? cell_of(section, own, level, row) : strdup(""), i);
    }
    return done;
}

void barred_end(struct barred *barred)
{
    if (barred->is_padded)
        put_padded(barred);
    for (size_t i = 0; i < barred->count; i++)
        free(barred->cells[i]);
    free(barred->cells);
    *barred = (struct barred){0};
}
