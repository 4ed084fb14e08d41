/* A value as people read it: what a cell of a table has. */
#ifndef ANSWER_CELL_H
#define ANSWER_CELL_H

#include "answer/answer.h"

enum { CELL_BYTES = 1024 };

/* The text of a value, with its unit; "" where nothing is known.  Either `text`, which has CELL_BYTES, or the value's own,
 * which is not in plain form (base/plain.h). */
const char *cell_text(char *text, const struct answer_section *section,
                      const struct answer_column *column, const struct answer_value *value);

/* The same as pprof's tables have it: amounts in the section's unit for all, percentages with two digits at least. */
const char *cell_fixed_text(char *text, const struct answer_section *section,
                            const struct answer_column *column, const struct answer_value *value);

/* Is it flush right? */
static inline bool cell_is_number(const struct answer_column *column)
{
    return column->kind >= ANSWER_BYTES && column->kind < ANSWER_SERIES;
}

/* Does text show the column, in a section of this one's `has`? */
static inline bool cell_is_shown(const struct answer_section *section,
                                 const struct answer_column *column)
{
    return column->title && answer_has(section, column);
}

/* The columns that text shows, in reading order: labels of rows, figures, then words, then names and places, each in
 * the order of the table.  `columns` has room for `room`; returns how many there are. */
size_t cell_columns(const struct answer_column **columns, size_t room,
                    const struct answer_section *section, bool with_wide);

/* The column of a section that has the same title; NULL for none: rows of a table within a table stand in the outer
 * one's columns. */
const struct answer_column *cell_column_like(const struct answer_section *section,
                                             const struct answer_column *column);

#endif
