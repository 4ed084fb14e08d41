/* A column of 64-bit numbers that nearly always fit 32 bits: microseconds of runs of up to 71 minutes, numbers of blocks.
 * The upper halves stand apart, and take no memory until the first number needs one. */
#ifndef PROFILE_WIDE_COLUMN_H
#define PROFILE_WIDE_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIDE_COLUMN_NONE UINT64_MAX /* no number */

/* Zeroed, it has no rows. */
struct wide_column {
    uint32_t *low;  /* of each number and 1: 0 is WIDE_COLUMN_NONE */
    uint32_t *high; /* of the same; NULL while all are 0 */
    size_t capacity;
};

void wide_column_release(struct wide_column *column);

/* Room for so many rows, which stay; those of a column without any have no number, further ones are to be set before they are read.
 * False when there is no memory. */
bool wide_column_resize(struct wide_column *column, size_t capacity);

/* For wide_column_set: makes the upper halves.  False when there is no memory. */
bool wide_column_widen(struct wide_column *column);

static inline uint64_t wide_column_get(const struct wide_column *column, size_t row)
{
    uint64_t high = column->high ? column->high[row] : 0;
    return (high << 32 | column->low[row]) - 1;
}

/* Below the capacity.  False when there is no memory. */
static inline bool wide_column_set(struct wide_column *column, size_t row, uint64_t number)
{
    uint64_t stored = number + 1;
    if (stored > UINT32_MAX && !column->high && !wide_column_widen(column))
        return false;
    column->low[row] = (uint32_t)stored;
    if (column->high)
        column->high[row] = (uint32_t)(stored >> 32);
    return true;
}

/* The column without its first rows: for a view, which is not to be released. */
static inline struct wide_column wide_column_from(const struct wide_column *column, size_t row)
{
    return (struct wide_column){column->low ? column->low + row : NULL,
                                column->high ? column->high + row : NULL, column->capacity - row};
}

#endif
