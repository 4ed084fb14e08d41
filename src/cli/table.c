#include "cli/table.h"

#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool table_stdout_is_terminal(void)
{
    return isatty(STDOUT_FILENO);
}

bool table_stdout_has_colour(void)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return table_stdout_is_terminal() && !(no_colour && *no_colour) && terminal && *terminal &&
           !(terminal[0] == 'd' && terminal[1] == 'u' && terminal[2] == 'm' && terminal[3] == 'b');
}

int table_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (!table_stdout_is_terminal())
        return 0;
    if (columns && atoi(columns) > 0)
        return atoi(columns);
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static bool add_columns(struct table *table, const struct table_column *columns, int count)
{
    for (int i = 0; i < count; i++) {
        int flags =
            (columns[i].right ? SCOLS_FL_RIGHT : 0) | (columns[i].may_shrink ? SCOLS_FL_TRUNC : 0);
        struct libscols_column *column =
            scols_table_new_column(table->rows, columns[i].title, 0, flags);
        if (!column)
            return false;
    }
    return true;
}

bool table_init(struct table *table, const struct table_column *columns, int count)
{
    *table = (struct table){scols_new_table(), count};
    if (!table->rows || !add_columns(table, columns, count)) {
        table_release(table);
        return false;
    }
    int width = table_width();
    if (width > 0) {
        scols_table_set_termforce(table->rows, SCOLS_TERMFORCE_ALWAYS);
        scols_table_set_termwidth(table->rows, (size_t)width);
    } else {
        scols_table_set_termforce(table->rows, SCOLS_TERMFORCE_NEVER);
    }
    scols_table_enable_colors(table->rows, table_stdout_has_colour());
    return true;
}

bool table_add(struct table *table, const char *const *texts)
{
    struct libscols_line *line = scols_table_new_line(table->rows, NULL);
    bool done = line;
    for (int i = 0; done && i < table->columns; i++)
        done = scols_line_set_data(line, (size_t)i, texts[i]) == 0;
    return done;
}

void table_print(struct table *table)
{
    fflush(stdout);
    scols_print_table(table->rows);
}

void table_release(struct table *table)
{
    scols_unref_table(table->rows);
    table->rows = NULL;
}
