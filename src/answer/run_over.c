#include "answer/run_over.h"

#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "answer/cut.h"
#include "answer/wrapped.h"

/* ---- Taking -------------------------------------------------------------------------- */

/* The column of a row's way; -1 where it has none. */
static int way_column(const struct table *table, struct libscols_line *line)
{
    int found = table->columns - 1;
    while (found >= 0 && !*table_cell_text(line, found))
        found--;
    bool is_way = found >= 0 && table->column[found].tree && scols_line_get_parent(line) &&
                  strstr(table_cell_text(line, found), " -> ");
    return is_way ? found : -1;
}

/* The next of the rows that have the same one above. */
static struct libscols_line *next_row(struct table *table, struct libscols_line *above,
                                      struct libscols_iter *rows)
{
    struct libscols_line *line = NULL;
    int end = 0;
    while (end == 0) {
        end = above ? scols_line_next_child(above, rows, &line)
                    : scols_table_next_line(table->rows, rows, &line);
        if (end == 0 && (above || !scols_line_get_parent(line)))
            return line;
    }
    return NULL;
}

/* The rows below one, in their order on paper; of NULL, all. */
static bool take_below(struct run_over *over, struct table *table, struct libscols_line *above)
{
    struct libscols_iter *rows = scols_new_iter(SCOLS_ITER_FORWARD);
    struct libscols_line *line;
    bool done = rows;
    while (done && (line = next_row(table, above, rows))) {
        int column = way_column(table, line);
        char *way = column >= 0 ? strdup(table_cell_text(line, column)) : NULL;
        if (way)
            scols_line_set_data(line, (size_t)column, "");
        over->ways[over->count++] = way;
        done = take_below(over, table, line);
    }
    scols_free_iter(rows);
    return done;
}

bool run_over_take(struct run_over *over, struct table *table)
{
    bool has_ways = false;
    *over =
        (struct run_over){.ways = calloc(scols_table_get_nlines(table->rows) + 1, sizeof(char *))};
    if (over->ways)
        take_below(over, table, NULL);
    for (size_t i = 0; i < over->count; i++)
        has_ways |= over->ways[i] != NULL;
    if (!has_ways)
        run_over_release(over);
    return has_ways;
}

/* ---- Printing ------------------------------------------------------------------------ */

static const char *const colour = "\033[";

/* The size of the sequence at `text` that sets a colour; 0 for none. */
static size_t colour_size(const char *text)
{
    return begins_with(text, colour) ? strcspn(text, "m") + 1 : 0;
}

/* Columns of a line with its colours, and where its last character that is no space ends. */
static int visible(const char *line, size_t size, size_t *end)
{
    int width = 0, spaces = 0;
    *end = 0;
    for (size_t at = 0; at < size;) {
        size_t skipped = colour_size(line + at);
        if (skipped == 0 && line[at] == ' ') {
            spaces++;
        } else if (skipped == 0) {
            width += spaces + bytes_width(line + at, strcspn(line + at, " \033\n"));
            spaces = 0;
            skipped = strcspn(line + at, " \033\n");
            *end = at + skipped;
        }
        at += skipped > 0 ? skipped : 1;
    }
    return width;
}

/* A line of the table, with the way that begins at its end. */
static void print_line(FILE *file, const char *line, size_t size, const char *way, int width)
{
    size_t end;
    int indent = visible(line, size, &end);
    if (!way) {
        fwrite(line, 1, size, file);
        putc('\n', file);
        return;
    }
    fwrite(line, 1, end, file);
    wrapped_put(file, way, indent, width);
    for (size_t skipped; end < size; end += skipped ? skipped : 1) /* the colour ends */
        if ((skipped = colour_size(line + end)))
            fwrite(line + end, 1, skipped, file);
}

bool run_over_print(const struct run_over *over, struct table *table, FILE *file, int width)
{
    char *printed = NULL;
    size_t size = 0, number = 0;
    FILE *lines = open_memstream(&printed, &size);
    if (!lines)
        return false;
    scols_table_set_stream(table->rows, lines);
    bool done = scols_print_table(table->rows) == 0;
    done = fclose(lines) == 0 && done;
    for (const char *line = printed, *next; done && line < printed + size; line = next, number++) {
        size_t length = strcspn(line, "\n");
        bool is_row = number > 0 && number <= over->count; /* the titles stand first */
        print_line(file, line, length, is_row ? over->ways[number - 1] : NULL, width);
        next = line + length + 1;
    }
    free(printed);
    return done;
}

void run_over_release(struct run_over *over)
{
    for (size_t i = 0; i < over->count; i++)
        free(over->ways[i]);
    free(over->ways);
    *over = (struct run_over){0};
}
