/* Rows of ClickHouse's answers, put into the database in memory.  Its tables number their rows; those of ClickHouse are known by
 * hashes: maps say which number a hash has, by its first 64 bits. */
#ifndef STORE_CLICKHOUSE_ROWS_H
#define STORE_CLICKHOUSE_ROWS_H

#include "base/map.h"
#include "base/text.h"
#include "store/database.h"

struct clickhouse_rows {
    struct database *database;
    struct map frames, nodes, stacks,
        profiles; /* hash -> number, of stacks that of the last node */
    bool failed;  /* an answer was cut off, or there is no memory */
};

/* The kinds of rows that are asked for, in RowBinary: */
enum rows_kind {
    ROWS_SERIES,  /* id, labels */
    ROWS_LABELS,  /* series, key, value */
    ROWS_TYPES,   /* id, name, unit, whether it is a level, as UInt64 */
    ROWS_PROFILE, /* series, attempt, from_us, until_us */
    ROWS_PASSING, /* as totals: what each has of node 1 */
    ROWS_TOTALS,  /* series, attempt, type, value, samples, variance */
    ROWS_STACKS,  /* id, nodes, frames */
    ROWS_LINES,   /* frame, depth, function, file, line, numbers as UInt64 */
    ROWS_SUMS, /* series, attempt, how many profiles the series has, type, stack, value, samples, variance */
};

/* Puts all rows of an answer.  Profiles come before totals, these and stacks before sums, stacks before lines. */
void clickhouse_rows_put(struct clickhouse_rows *rows, enum rows_kind kind,
                         const struct text *answer);

void clickhouse_rows_release(struct clickhouse_rows *rows);

#endif
