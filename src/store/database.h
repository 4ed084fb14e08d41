/* An SQLite file.  Once something fails, what follows does nothing, so that callers look at the end only.
 *
 * A new one is filled in one transaction, and nothing is synchronised, because a file that was not finished is thrown away. */
#ifndef STORE_DATABASE_H
#define STORE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

enum { DATABASE_MESSAGE_BYTES = 256, DATABASE_WAIT_MILLISECONDS = 10000 };

struct database {
    sqlite3 *handle;
    bool failed;
    bool is_new;  /* database_open made the file */
    bool is_full; /* what went wrong first is that there was no room on the disk */
    char message[DATABASE_MESSAGE_BYTES]; /* what went wrong first; "" while nothing did */
};

/* Makes the tables of store/schema.sql in the file at `path`, which is empty or not there yet.  Close it in either
 * case. */
bool database_create(struct database *database, const char *path);

/* Writes what is left and closes; false where anything failed since database_create. */
bool database_close(struct database *database);

/* A statement with one ? for each column; NULL where that failed. */
sqlite3_stmt *database_insert_into(struct database *database, const char *table, int columns);

/* One that is there, or, with `create`, may be: it is made for its owner alone.  Others may use it at the same time.  Close its
 * handle in either case. */
bool database_open(struct database *database, const char *path, bool create);

/* One that is there, to read it, also where neither it nor its folder can be written to, or the disk is full. */
bool database_open_to_read(struct database *database, const char *path);

/* What is in it makes no sense: as if a statement had failed, with this message. */
void database_refuse(struct database *database, const char *message);

/* Statements that give no rows. */
void database_run(struct database *database, const char *sql);

/* NULL where that failed. */
sqlite3_stmt *database_prepare(struct database *database, const char *sql);

/* The next row of a query; false at the end, and where it failed. */
bool database_next(struct database *database, sqlite3_stmt *statement);

/* The number in the first row of a query; 0 where there is none. */
int64_t database_number(struct database *database, const char *sql);

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
