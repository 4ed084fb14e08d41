/* Values for the columns of a statement, one after the other. */
#ifndef STORE_ROW_H
#define STORE_ROW_H

#include <sqlite3.h>
#include <stdint.h>

/* Binds a value to the next column of a row. */
struct row {
    sqlite3_stmt *statement;
    int column; /* the last one that has a value */
};

static inline void row_int(struct row *row, int64_t value)
{
    sqlite3_bind_int64(row->statement, ++row->column, value);
}

static inline void row_real(struct row *row, double value)
{
    sqlite3_bind_double(row->statement, ++row->column, value);
}

static inline void row_null(struct row *row)
{
    sqlite3_bind_null(row->statement, ++row->column);
}

/* Stays where it is until the row is put. */
static inline void row_text(struct row *row, const char *text)
{
    sqlite3_bind_text(row->statement, ++row->column, text ? text : "", -1, SQLITE_STATIC);
}

static inline void row_blob(struct row *row, const void *bytes, int size)
{
    sqlite3_bind_blob(row->statement, ++row->column, bytes, size, SQLITE_STATIC);
}

#endif
