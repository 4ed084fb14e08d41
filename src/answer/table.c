#include "answer/table.h"

#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/plain.h"
#include "answer/cut.h"
#include "answer/run_over.h"
#include "answer/short_name.h"
#include "answer/table_fit.h"

enum { NAME_LEAST = 8 };

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

const char *table_cell_text(struct libscols_line *line, int column)
{
    const char *text = scols_cell_get_data(scols_line_get_cell(line, (size_t)column));
    return text ? text : "";
}

/* ---- Printing ------------------------------------------------------------------------ */

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
    room = room > NAME_LEAST ? room : NAME_LEAST;
    char *fitting = text_width(shown) > room ? cut_name(shown, room) : NULL;
    put_whole_name(file, before, fitting ? fitting : shown, after);
    free(fitting);
    free(shorter);
}

void table_print_to(struct table *table, FILE *file)
{
    int limit = width_for_names();
    struct run_over over = {0};
    bool runs_over = limit > 0 && table_is_too_wide(table, limit) && run_over_take(&over, table);
    if (limit > 0)
        table_fit(table, limit);
    fflush(file);
    if (!runs_over || !run_over_print(&over, table, file, limit)) {
        scols_table_set_stream(table->rows, file);
        scols_print_table(table->rows);
    }
    run_over_release(&over);
}

void table_release(struct table *table)
{
    scols_unref_table(table->rows);
    table->rows = NULL;
}
