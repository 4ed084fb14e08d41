/* What the parts of a profile have in common while it is written: places (write_places.c), blocks and sums
 * (write_profile.c). */
#ifndef STORE_WRITING_H
#define STORE_WRITING_H

#include "store/write_profile.h"

struct writing {
    struct database *database;
    int64_t number; /* of the profile */
    const struct store_profile *profile;
    const struct model *model;
    bool *needed; /* by node of the selection's trie: a row that passes goes through it */
};

/* Binds a value to the next column of a row. */
struct row {
    sqlite3_stmt *statement;
    int column;
};

static inline struct row row_of(const struct writing *writing, sqlite3_stmt *statement)
{
    sqlite3_bind_int64(statement, 1, writing->number);
    return (struct row){statement, 1};
}

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

/* Writes the needed nodes with their frames, lines and modules.  False when there is no memory. */
bool store_write_places(struct writing *writing);

#endif
