#include "answer/table.h"

#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/plain.h"
#include "answer/cut.h"
#include "answer/short_name.h"

enum { SHRUNK_MIN = 8, PATH_MOST = 24, CUT_MIN = 3, TREE_INDENT = 2, INDENT_MAX = 1000 };

static bool table_stdout_is_terminal(void)
{
    return isatty(STDOUT_FILENO);
}

bool table_stdout_has_colour(void)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return table_stdout_is_terminal() && !(no_colour && *no_colour) && terminal && *terminal &&
           !(terminal[0] == 'd' && terminal[1] == 'u' && terminal[2] == 'm' && terminal[3] == 'b');
}

/* What COLUMNS says, else the terminal. */
static long terminal_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    long said = columns ? strtol(columns, NULL, 10) : 0;
    if (said > 0)
        return said;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

int table_width(void)
{
    enum { WIDTH_MOST = 10000 };
    long width = table_stdout_is_terminal() ? terminal_width() : 0;
    return width < WIDTH_MOST ? (int)width : WIDTH_MOST;
}

/* The same of what has names in it; 0 also where these are to be whole. */
static int width_for_names(void)
{
    return short_name_is_off() ? 0 : table_width();
}

static bool add_columns(struct table *table, const struct table_column *columns, int count)
{
    for (int i = 0; i < count; i++) {
        int flags = (columns[i].right ? SCOLS_FL_RIGHT : 0) | (columns[i].tree ? SCOLS_FL_TREE : 0);
        struct libscols_column *column =
            scols_table_new_column(table->rows, columns[i].title, 0, flags);
        if (!column)
            return false;
    }
    return true;
}

bool table_init(struct table *table, const struct table_column *columns, int count)
{
    *table = (struct table){.rows = scols_new_table(), .columns = count};
    memcpy(table->column, columns, (size_t)count * sizeof *columns);
    if (!table->rows || !add_columns(table, columns, count)) {
        table_release(table);
        return false;
    }
    /* It is made to fit here: libsmartcols cuts without a mark, and each version elsewhere. */
    scols_table_set_termforce(table->rows, SCOLS_TERMFORCE_NEVER);
    scols_table_enable_noencoding(table->rows, 1); /* cells are plain already */
    scols_table_enable_colors(table->rows, table_stdout_has_colour());
    return true;
}

static bool fill_line(const struct table *table, struct libscols_line *line,
                      const char *const *texts)
{
    bool done = line;
    for (int i = 0; done && i < table->columns; i++)
        done = scols_line_set_data(line, (size_t)i, plain(texts[i])) == 0;
    return done;
}

bool table_add(struct table *table, const char *const *texts)
{
    table->last = scols_table_new_line(table->rows, NULL);
    return fill_line(table, table->last, texts);
}

static bool add_quiet(struct table *table, struct libscols_line *above, const char *const *texts)
{
    struct libscols_line *line = scols_table_new_line(table->rows, above);
    return fill_line(table, line, texts) && scols_line_set_color(line, "halfbright") == 0;
}

bool table_add_below(struct table *table, const char *const *texts)
{
    return add_quiet(table, table->last, texts);
}

bool table_add_under(struct table *table, size_t row, const char *const *texts)
{
    return add_quiet(table, scols_table_get_line(table->rows, row), texts);
}

size_t table_rows(const struct table *table)
{
    return scols_table_get_nlines(table->rows);
}

/* ---- Making it fit
 * ------------------------------------------------------------------------------------------------
 */

/* As long as it is. */
static void put_whole_name(FILE *file, const char *before, const char *name, const char *after)
{
    fputs_unlocked(before, file);
    fputs_unlocked(name, file);
    fputs_unlocked(after, file);
    putc_unlocked('\n', file);
}

void table_put_name(FILE *file, const char *before, const char *name, const char *after, int width)
{
    name = plain(name);
    if (width == 0 || short_name_is_off()) {
        put_whole_name(file, before, name, after);
        return;
    }
    int room = width - text_width(before) - text_width(after);
    char *shorter = text_width(name) > room ? short_name(name) : NULL;
    const char *shown = shorter ? shorter : name;
    room = room > SHRUNK_MIN ? room : SHRUNK_MIN;
    char *fitting = text_width(shown) > room ? cut_name(shown, room) : NULL;
    put_whole_name(file, before, fitting ? fitting : shown, after);
    free(fitting);
    free(shorter);
}

static int indent_of(const struct table *table, struct libscols_line *line, int column)
{
    int indent = 0;
    if (table->column[column].tree)
        while (indent < INDENT_MAX && (line = scols_line_get_parent(line)))
            indent += TREE_INDENT;
    return indent;
}

static const char *text_of(struct libscols_line *line, int column)
{
    return scols_cell_get_data(scols_line_get_cell(line, (size_t)column));
}

/* Of a path, its last part with the dots before it; of a tree, its bars with the beginning of a name. */
static int least_width(const struct table_column *column, const char *text, int indent)
{
    const char *slash = column->is_path && text ? strrchr(text, '/') : NULL;
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
            int width = indent_of(table, line, i) + text_width(text_of(line, i));
            int least = least_width(&table->column[i], text_of(line, i), indent_of(table, line, i));
            widths[i] = width > widths[i] ? width : widths[i];
            table->least[i] = least > table->least[i] ? least : table->least[i];
        }
    }
    scols_free_iter(lines);
}

/* The width of a line; `at_least`: where columns have shrunk as far as they may. */
static int line_width(const struct table *table, const int *widths, bool at_least)
{
    int sum = -1;
    for (int i = 0; i < table->columns; i++) {
        bool is_short = at_least && table->column[i].may_shrink && widths[i] > table->least[i];
        if (!table->is_gone[i])
            sum += 1 + (is_short ? table->least[i] : widths[i]);
    }
    return sum;
}

/* Leaves out columns that may go, from the last on, until the others can be made to fit. */
static void leave_out(struct table *table, const int *widths, int limit)
{
    for (int i = table->columns - 1; i >= 0 && line_width(table, widths, true) > limit; i--) {
        if (!table->column[i].may_go)
            continue;
        table->is_gone[i] = true;
        scols_column_set_flags(scols_table_get_column(table->rows, (size_t)i), SCOLS_FL_HIDDEN);
    }
}

/* The widest column that may give: one that is wider than its least; `cuts_files`: also a path's.  -1 for none. */
static int widest(const struct table *table, const int *widths, bool cuts_files)
{
    int found = -1;
    for (int i = 0; i < table->columns; i++) {
        int least = cuts_files && table->column[i].is_path ? SHRUNK_MIN : table->least[i];
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
    int sum = line_width(table, widths, false);
    bool shrunk = false;
    for (; sum > limit; sum--, shrunk = true) {
        int column = widest(table, widths, false);
        column = column < 0 ? widest(table, widths, true) : column;
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
            const char *text = text_of(line, i);
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
            const char *text = text_of(line, i);
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

void table_print_to(struct table *table, FILE *file)
{
    int widths[TABLE_COLUMNS_MAX], limit = width_for_names();
    if (limit > 0) {
        measure(table, widths);
        leave_out(table, widths, limit);
        if (shrink(table, widths, limit)) {
            shorten_names(table, widths);
            measure(table, widths);
            shrink(table, widths, limit);
            cut_cells(table, widths);
        }
    }
    fflush(file);
    scols_table_set_stream(table->rows, file);
    scols_print_table(table->rows);
}

void table_release(struct table *table)
{
    scols_unref_table(table->rows);
    table->rows = NULL;
}
