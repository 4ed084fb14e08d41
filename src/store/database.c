#include "store/database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

extern const char store_schema[]; /* schema.sql */

/* Was there no room on the disk, for the file or for one of those beside it? */
static bool lacks_room(sqlite3 *handle)
{
    int code = sqlite3_extended_errcode(handle);
    return code == SQLITE_FULL || code == SQLITE_IOERR_SHMSIZE ||
           ((code & 0xff) == SQLITE_IOERR && sqlite3_system_errno(handle) == ENOSPC);
}

static void fail(struct database *database)
{
    sqlite3 *handle = database->handle;
    if (database->failed)
        return;
    database->failed = true;
    database->is_full = handle && lacks_room(handle);
    const char *why = !handle             ? "out of memory"
                      : database->is_full ? sqlite3_errstr(SQLITE_FULL)
                                          : sqlite3_errmsg(handle);
    snprintf(database->message, sizeof database->message, "%s", why);
}

void database_refuse(struct database *database, const char *message)
{
    if (database->failed)
        return;
    database->failed = true;
    snprintf(database->message, sizeof database->message, "%s", message);
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

static bool open_with(struct database *database, const char *path, int flags)
{
    *database = (struct database){0};
    if (sqlite3_open_v2(path, &database->handle, flags, NULL) != SQLITE_OK)
        fail(database);
    else
        sqlite3_busy_timeout(database->handle, DATABASE_WAIT_MILLISECONDS);
    return !database->failed;
}

/* SQLite gives the files beside it, which hold the newest rows, the mode of this one.  False where it was there before. */
static bool make_private(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

bool database_open(struct database *database, const char *path, bool create)
{
    bool is_new = create && strcmp(path, ":memory:") != 0 && make_private(path);
    bool is_open =
        open_with(database, path, SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0));
    database->is_new = is_new;
    return is_open;
}

/* file:PATH and what follows it.  False when there is no memory. */
static bool put_address(struct text *address, const char *path, const char *how)
{
    text_put_string(address, "file:");
    for (; *path; path++)
        if (strchr("%?#", *path)) {
            char escaped[4];
            snprintf(escaped, sizeof escaped, "%%%02x", (unsigned)(unsigned char)*path);
            text_put_string(address, escaped);
        } else {
            text_put_char(address, *path);
        }
    text_put_string(address, how);
    text_put_char(address, 0);
    return !address->failed;
}

/* Are there rows that are not in the database yet, but in PATH-wal? */
static bool has_newest(const char *path)
{
    struct stat status;
    struct text name = {0};
    text_put_string(&name, path);
    text_put_string(&name, "-wal");
    text_put_char(&name, 0);
    bool has = !name.failed && stat(name.bytes, &status) == 0 && status.st_size > 0;
    text_release(&name);
    return has;
}

/* Readers agree with writers by a file beside the database.  If it isn't there and can't be made or filled, there is no writer: then one
 * reads without it, and keeps what it would hold, an index of the newest rows, in memory. */
static bool open_alone(struct database *database, const char *path)
{
    struct text address = {0};
    const char *how = has_newest(path) ? "?mode=ro&vfs=unix-none" : "?mode=ro&immutable=1";
    sqlite3_close(database->handle);
    if (put_address(&address, path, how))
        open_with(database, address.bytes, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    text_release(&address);
    database_run(database, "PRAGMA locking_mode = EXCLUSIVE");
    return !database->failed;
}

bool database_open_to_read(struct database *database, const char *path)
{
    if (!open_with(database, path, SQLITE_OPEN_READWRITE))
        return false;
    database_number(database, "SELECT count(*) FROM sqlite_master");
    int code = sqlite3_errcode(database->handle);
    bool is_alone = database->failed &&
                    (code == SQLITE_CANTOPEN || code == SQLITE_READONLY || database->is_full);
    return is_alone ? open_alone(database, path) : !database->failed;
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
