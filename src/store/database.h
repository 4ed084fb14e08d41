/* A new SQLite file while it is filled: one transaction, nothing synchronised, because a file that was not finished is
 * thrown away.  Once something fails, what follows does nothing, so that callers look at the end only. */
#ifndef STORE_DATABASE_H
#define STORE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

enum { DATABASE_MESSAGE_BYTES = 256 };

struct database {
    sqlite3 *handle;
    bool failed;
    char message[DATABASE_MESSAGE_BYTES]; /* what went wrong first; "" while nothing did */
};

/* Makes the tables of store/schema.sql in the file at `path`, which is empty or not there yet.  Close it in either
 * case. */
bool database_create(struct database *database, const char *path);

/* Writes what is left and closes; false where anything failed since database_create. */
bool database_close(struct database *database);

/* A statement with one ? for each column; NULL where that failed. */
sqlite3_stmt *database_insert_into(struct database *database, const char *table, int columns);

/* Inserts a row of the bound values. */
void database_put(struct database *database, sqlite3_stmt *statement);

/* Ends a statement; NULL allowed. */
void database_end(sqlite3_stmt *statement);

/* Whether rows can still be put. */
static inline bool database_works(const struct database *database)
{
    return !database->failed;
}

#endif
