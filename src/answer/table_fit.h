/* A table that is wider than the terminal: columns that may go are left out, names and files are cut. */
#ifndef ANSWER_TABLE_FIT_H
#define ANSWER_TABLE_FIT_H

#include "answer/table.h"

bool table_is_too_wide(struct table *table, int limit);

/* Makes it as wide as `limit` at most, as far as its columns can give. */
void table_fit(struct table *table, int limit);

#endif
