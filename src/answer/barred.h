/* Tables of ANSWER_BARRED as text: fields between " || ", in the order of the table's columns.  On a terminal they are
 * padded to columns, and long first cells lose their beginning; elsewhere a line is what it is, for programs to split. */
#ifndef ANSWER_BARRED_H
#define ANSWER_BARRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "answer/answer.h"

enum { BARRED_COLUMNS_MAX = 16 };

/* A table that is open. */
struct barred {
    FILE *file;
    const struct answer_column *columns[BARRED_COLUMNS_MAX];
    size_t columns_count;
    bool is_padded; /* the rows are kept until the end */
    char **cells;   /* row by row, the titles first */
    size_t count, capacity;
};

/* Rows of a table within the section, at `level` 1 and more, go in, and have the cells of its columns of the same titles.  False where there is no memory. */
bool barred_begin(struct barred *barred, FILE *file, const struct answer_section *section);
bool barred_row(struct barred *barred, const struct answer_section *section, unsigned level,
                const void *row);
void barred_end(struct barred *barred);

#endif
