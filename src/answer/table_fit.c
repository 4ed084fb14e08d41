#include "answer/table_fit.h"

#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "answer/cut.h"
#include "answer/short_name.h"

enum {
    SHRUNK_MIN = 8,
    SHRUNK_LAST = 5,
    PATH_MOST = 24,
    NAME_WANTED = 16,
    CUT_MIN = 3,
    TREE_INDENT = 2,
    INDENT_MAX = 1000
};

static int indent_of(const struct table *table, struct libscols_line *line, int column)
{
    int indent = 0;
    if (table->column[column].tree)
        while (indent < INDENT_MAX && (line = scols_line_get_parent(line)))
            indent += TREE_INDENT;
    return indent;
}

/* Of a path, its last part with the dots before it; of a tree, its bars with the beginning of a name. */
static int least_width(const struct table_column *column, const char *text, int indent)
{
    const char *slash = column->is_path ? strrchr(text, '/') : NULL;
    int width = slash ? text_width(slash + 1) + 1 : 0;
    if (column->tree && indent > 0)
        return indent + CUT_MIN > SHRUNK_MIN ? indent + CUT_MIN : SHRUNK_MIN;
    return width > PATH_MOST ? PATH_MOST : width > SHRUNK_MIN ? width : SHRUNK_MIN;
}

static void measure(struct table *table, int *widths)
{
    struct libscols_iter *lines = scols_new_iter(SCOLS_ITER_FORWARD);
    struct libscols_line *line;
    for (int i = 0; i < table->columns; i++)
        widths[i] = text_width(table->column[i].title), table->least[i] = SHRUNK_MIN;
    while (lines && scols_table_next_line(table->rows, lines, &line) == 0) {
        for (int i = 0; i < table->columns; i++) {
            int width = indent_of(table, line, i) + text_width(table_cell_text(line, i));
            int least =
                least_width(&table->column[i], table_cell_text(line, i), indent_of(table, line, i));
            widths[i] = width > widths[i] ? width : widths[i];
            table->least[i] = least > table->least[i] ? least : table->least[i];
        }
    }
    scols_free_iter(lines);
}

/* How wide a column is in a line. */
enum width_kind {
    WIDTH_WHOLE,
    WIDTH_WANTED, /* of a name, enough is left to know it by */
    WIDTH_LEAST   /* it has shrunk as far as it may */
};

static int column_width(const struct table *table, int column, int whole, enum width_kind kind)
{
    const struct table_column *own = &table->column[column];
    int least = table->least[column];
    bool is_name = !own->is_path && !own->may_go;
    if (kind == WIDTH_WHOLE || !own->may_shrink)
        return whole;
    if (kind == WIDTH_WANTED && is_name && least < NAME_WANTED)
        least = NAME_WANTED;
    return least < whole ? least : whole;
}

static int line_width(const struct table *table, const int *widths, enum width_kind kind)
{
    int sum = -1;
    for (int i = 0; i < table->columns; i++)
        if (!table->is_gone[i])
            sum += 1 + column_width(table, i, widths[i], kind);
    return sum;
}

static void leave_out_column(struct table *table, int column)
{
    table->is_gone[column] = true;
    scols_column_set_flags(scols_table_get_column(table->rows, (size_t)column), SCOLS_FL_HIDDEN);
}

/* Leaves out columns that may go, from the last on, until the others can be made to fit: what is extra also for names. */
static void leave_out(struct table *table, const int *widths, int limit)
{
    for (int i = table->columns - 1; i >= 0; i--)
        if (table->column[i].is_extra && line_width(table, widths, WIDTH_WANTED) > limit)
            leave_out_column(table, i);
    for (int i = table->columns - 1; i >= 0; i--)
        if (table->column[i].may_go && !table->is_gone[i] &&
            line_width(table, widths, WIDTH_LEAST) > limit)
            leave_out_column(table, i);
}

/* What a column may give before it, more from step to step. */
enum giving { GIVES_NAMES, GIVES_FILES, GIVES_MORE, GIVING_STEPS };

static int least_of(const struct table *table, int column, enum giving giving)
{
    bool is_path = table->column[column].is_path;
    return giving == GIVES_MORE && !table->column[column].tree ? SHRUNK_LAST
           : giving >= GIVES_FILES && is_path                  ? SHRUNK_MIN
                                                               : table->least[column];
}

/* The widest column that may give: one that is wider than its least.  -1 for none. */
static int widest(const struct table *table, const int *widths, enum giving giving)
{
    int found = -1;
    for (int i = 0; i < table->columns; i++) {
        int least = least_of(table, i, giving);
        if (table->column[i].may_shrink && widths[i] > least && !table->is_gone[i] &&
            (found < 0 || widths[i] > widths[found]))
            found = i;
    }
    return found;
}

/* Takes columns from the widest that may give until all fit in `limit`; false if they fit as they
 * are. */
static bool shrink(const struct table *table, int *widths, int limit)
{
    int sum = line_width(table, widths, WIDTH_WHOLE);
    bool shrunk = false;
    for (; sum > limit; sum--, shrunk = true) {
        int column = -1;
        for (int giving = GIVES_NAMES; column < 0 && giving < GIVING_STEPS; giving++)
            column = widest(table, widths, (enum giving)giving);
        if (column < 0)
            break;
        widths[column]--;
    }
    return shrunk;
}

/* Names of functions that don't fit lose what they can be told without. */
static void shorten_names(struct table *table, const int *widths)
{
    struct libscols_iter *lines = scols_new_iter(SCOLS_ITER_FORWARD);
    struct libscols_line *line;
    while (lines && scols_table_next_line(table->rows, lines, &line) == 0) {
        for (int i = 0; i < table->columns; i++) {
            const char *text = table_cell_text(line, i);
            bool fits = indent_of(table, line, i) + text_width(text) <= widths[i];
            char *shorter = table->column[i].may_shrink && !fits ? short_name(text) : NULL;
            if (shorter)
                scols_line_set_data(line, (size_t)i, shorter);
            free(shorter);
        }
    }
    scols_free_iter(lines);
}

static void cut_cells(struct table *table, const int *widths)
{
    struct libscols_iter *lines = scols_new_iter(SCOLS_ITER_FORWARD);
    struct libscols_line *line;
    while (lines && scols_table_next_line(table->rows, lines, &line) == 0) {
        for (int i = 0; i < table->columns; i++) {
            int left = widths[i] - indent_of(table, line, i),
                room = left > CUT_MIN ? left : CUT_MIN;
            const char *text = table_cell_text(line, i);
            char *shorter = NULL;
            if (table->column[i].may_shrink && text_width(text) > room)
                shorter = table->column[i].keep_end ? cut_name(text, room) : cut_end(text, room);
            if (shorter)
                scols_line_set_data(line, (size_t)i, shorter);
            free(shorter);
        }
    }
    scols_free_iter(lines);
}

void table_fit(struct table *table, int limit)
{
    int widths[TABLE_COLUMNS_MAX];
    measure(table, widths);
    leave_out(table, widths, limit);
    if (shrink(table, widths, limit)) {
        shorten_names(table, widths);
        measure(table, widths);
        shrink(table, widths, limit);
        cut_cells(table, widths);
    }
}

bool table_is_too_wide(struct table *table, int limit)
{
    int widths[TABLE_COLUMNS_MAX];
    measure(table, widths);
    return line_width(table, widths, WIDTH_WHOLE) > limit;
}
