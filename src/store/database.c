#include "store/database.h"

#include <stdio.h>
#include <string.h>

extern const char store_schema[]; /* schema.sql */

static void fail(struct database *database)
{
    if (database->failed)
        return;
    database->failed = true;
    snprintf(database->message, sizeof database->message, "%s",
             database->handle ? sqlite3_errmsg(database->handle) : "out of memory");
}

void database_run(struct database *database, const char *sql)
{
    if (!database->failed && sqlite3_exec(database->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail(database);
}

bool database_create(struct database *database, const char *path)
{
    *database = (struct database){0};
    if (sqlite3_open_v2(path, &database->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                        NULL) != SQLITE_OK)
        fail(database);
    database_run(
        database,
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
        "PRAGMA application_id = 0x68656170; PRAGMA user_version = 1; BEGIN");
    database_run(database, store_schema);
    return !database->failed;
}

bool database_open(struct database *database, const char *path, bool create)
{
    *database = (struct database){0};
    if (sqlite3_open_v2(path, &database->handle,
                        SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0),
                        NULL) != SQLITE_OK)
        fail(database);
    else
        sqlite3_busy_timeout(database->handle, DATABASE_WAIT_MILLISECONDS);
    return !database->failed;
}

bool database_close(struct database *database)
{
    database_run(database, "COMMIT");
    if (sqlite3_close(database->handle) != SQLITE_OK)
        fail(database);
    database->handle = NULL;
    return !database->failed;
}

sqlite3_stmt *database_prepare(struct database *database, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (!database->failed &&
        sqlite3_prepare_v3(database->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                           NULL) != SQLITE_OK)
        fail(database);
    return statement;
}

sqlite3_stmt *database_insert_into(struct database *database, const char *table, int columns)
{
    enum { COLUMNS_MAX = 32 };
    char sql[64 + 2 * COLUMNS_MAX], marks[2 * COLUMNS_MAX + 1] = "?";
    for (int i = 1; i < columns; i++)
        strcat(marks, ",?");
    snprintf(sql, sizeof sql, "INSERT INTO %.32s VALUES (%s)", table, marks);
    return database_prepare(database, sql);
}

void database_put(struct database *database, sqlite3_stmt *statement)
{
    if (!database->failed && sqlite3_step(statement) != SQLITE_DONE)
        fail(database);
    sqlite3_reset(statement);
}

bool database_next(struct database *database, sqlite3_stmt *statement)
{
    if (database->failed)
        return false;
    int code = sqlite3_step(statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        fail(database);
    return code == SQLITE_ROW;
}

int64_t database_number(struct database *database, const char *sql)
{
    sqlite3_stmt *statement = database_prepare(database, sql);
    int64_t number = database_next(database, statement) ? sqlite3_column_int64(statement, 0) : 0;
    database_end(statement);
    return number;
}

void database_end(sqlite3_stmt *statement)
{
    sqlite3_finalize(statement);
}
