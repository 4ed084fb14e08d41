/* Ways, "a -> b -> c", below a row of a table that has too little room for them: what is right of them is empty, and they take it, on as many
 * lines as they need. */
#ifndef ANSWER_RUN_OVER_H
#define ANSWER_RUN_OVER_H

#include <stdbool.h>
#include <stdio.h>

#include "answer/table.h"

struct run_over {
    char **ways; /* of the rows in the order in which they are printed; NULL where a row has none */
    size_t count;
};

/* Takes the ways out of their cells.  False where there are none, or no memory; then the table is as it was, and there is nothing to
 * release. */
bool run_over_take(struct run_over *over, struct table *table);

/* Prints the table with them, on lines of `width` columns.  False without memory: nothing is printed. */
bool run_over_print(const struct run_over *over, struct table *table, FILE *file, int width);

void run_over_release(struct run_over *over);

#endif
