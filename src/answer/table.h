/* Tables on a terminal, by libsmartcols: as wide as the terminal at most, in full when the output
 * goes elsewhere. */
#ifndef ANSWER_TABLE_H
#define ANSWER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct libscols_table;
struct libscols_line;

struct table_column {
    const char *title;
    bool right;      /* flush right: numbers */
    bool may_shrink; /* is cut, with an ellipsis, when the terminal is too narrow */
    bool keep_end;   /* is cut at the beginning: file names, qualified names */
    bool tree;       /* shows which row stands below which; one column at most */
    bool
        is_path; /* a file and perhaps a line: cut before the file's own name as long as others can give */
    bool may_go;   /* is left out when the terminal is too narrow for all; the last such first */
    bool is_extra; /* ... before other names are cut beyond recognition */
};

enum { TABLE_COLUMNS_MAX = 16 };

struct table {
    struct libscols_table *rows;
    struct libscols_line *last; /* of those added by table_add */
    struct table_column column[TABLE_COLUMNS_MAX];
    bool is_gone[TABLE_COLUMNS_MAX]; /* left out */
    int least[TABLE_COLUMNS_MAX];    /* columns that it shrinks to */
    int columns;
};

/* Is standard output a terminal, and may it have colours (NO_COLOR is honoured)? */
bool table_stdout_has_colour(void);

/* Columns of the terminal; 0 where the output isn't one. */
int table_width(void);

/* Prints a line with a function's name, on `width` columns; 0 for as many as it takes.  Where it
 * doesn't fit, the name is shortened (answer/short_name.h), and then cut. */
void table_put_name(FILE *file, const char *before, const char *name, const char *after, int width);

/* False when there is no memory. */
bool table_init(struct table *table, const struct table_column *columns, int count);

/* One row; as many texts as columns, copied. */
bool table_add(struct table *table, const char *const *texts);

/* A row below the last one of table_add, in a quieter colour; the table has a tree column. */
bool table_add_below(struct table *table, const char *const *texts);

/* The same below any row, by its number in the order in which they were added. */
bool table_add_under(struct table *table, size_t row, const char *const *texts);
size_t table_rows(const struct table *table);

/* What stands in a cell; "" for nothing. */
const char *table_cell_text(struct libscols_line *line, int column);

void table_print_to(struct table *table, FILE *file);

void table_release(struct table *table);

#endif
