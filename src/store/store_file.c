#include "store/store_file.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/saturate.h"

extern const char store_fleet_schema[]; /* fleet.sql */

/* PRAGMA application_id: "htfl". */
enum { FLEET_ID = 0x6874666c, FLEET_VERSION = 1 };

enum heaptap_status store_outcome(struct store *store, struct heaptap_error *error)
{
    if (!store->database.failed)
        return HEAPTAP_OK;
    store->database.failed = false;
    error_set(error, HEAPTAP_SYSTEM, "%s", store->database.message);
    if (error && store->database.is_full)
        error->system_errno = ENOSPC;
    return HEAPTAP_SYSTEM;
}

/* What is in the file already stays as it is. */
static void make(struct database *database)
{
    if (database_number(database, "SELECT count(*) FROM sqlite_master") > 0)
        return;
    database_run(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN IMMEDIATE");
    if (database_number(database, "SELECT count(*) FROM sqlite_master") == 0) {
        database_run(database, store_fleet_schema);
        database_run(database, "PRAGMA application_id = 0x6874666c; PRAGMA user_version = 1");
    }
    database_run(database, "COMMIT");
}

/* What could not become a store, with what SQLite may have left beside it. */
static void remove_unmade(const char *path)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    char name[PATH_MAX];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (snprintf(name, sizeof name, "%s%s", path, endings[i]) < (int)sizeof name)
            unlink(name);
}

/* Can files be made in the folder of this one? */
static bool can_write_beside(const char *path)
{
    char *copy = strdup(path);
    bool can = copy && access(dirname(copy), W_OK) == 0;
    free(copy);
    return can;
}

static enum heaptap_status check_kind(struct store *store, struct heaptap_error *error)
{
    struct database *database = &store->database;
    int64_t id = database_number(database, "PRAGMA application_id");
    int64_t version = database_number(database, "PRAGMA user_version");
    enum heaptap_status status = store_outcome(store, error);
    if (status != HEAPTAP_OK)
        return status;
    if (id != FLEET_ID)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "this is no store of profiles; `heaptap fleet store init` makes one");
    if (version != FLEET_VERSION)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "this is a store of version %lld; this heaptap knows version %d",
                         (long long)version, FLEET_VERSION);
    return HEAPTAP_OK;
}

/* Why a store that is there can't be written to; NULL where it can. */
static const char *why_read_only(struct store *store, const char *path)
{
    if (access(path, F_OK) != 0 || access(path, R_OK) != 0)
        return NULL;
    if (access(path, W_OK) != 0 || sqlite3_db_readonly(store->database.handle, "main") == 1)
        return "this store can only be read here: there is no permission to write to the file";
    return store->database.failed && !can_write_beside(path)
               ? "this store can only be read here: there is no permission to write to its folder"
               : NULL;
}

static enum heaptap_status open_file(struct store *store, const char *path, enum store_mode mode,
                                     struct heaptap_error *error)
{
    struct database *database = &store->database;
    bool in_memory = clickhouse_is(path), makes = mode == STORE_INIT || in_memory;
    if (mode == STORE_READ && !in_memory) {
        database_open_to_read(database, path);
        return store_outcome(store, error);
    }
    if (database_open(database, in_memory ? ":memory:" : path, makes) && makes)
        make(database);
    database_number(database, "SELECT count(*) FROM sqlite_master");
    const char *why = in_memory ? NULL : why_read_only(store, path);
    return why ? error_set(error, HEAPTAP_SYSTEM, "%s", why) : store_outcome(store, error);
}

enum heaptap_status store_open(struct store **made, const char *path, enum store_mode mode,
                               struct heaptap_error *error)
{
    struct store *store = *made = calloc(1, sizeof *store);
    if (!store)
        return error_no_memory(error);
    bool in_memory = clickhouse_is(path);
    if (!(store->path = strdup(path))) {
        store_close(store);
        *made = NULL;
        return error_no_memory(error);
    }
    enum heaptap_status status = open_file(store, path, mode, error);
    if (status == HEAPTAP_OK)
        status = check_kind(store, error);
    if (status == HEAPTAP_OK && in_memory)
        status = clickhouse_open(&store->clickhouse, path, mode, error);
    database_run(&store->database,
                 mode == STORE_READ ? "PRAGMA temp_store = MEMORY" : "PRAGMA synchronous = FULL");
    if (status == HEAPTAP_OK)
        status = store_outcome(store, error);
    if (status != HEAPTAP_OK) {
        bool is_unmade = store->database.is_new;
        store_close(store);
        if (is_unmade)
            remove_unmade(path);
        *made = NULL;
    }
    return status;
}

/* Rows written to a file that was moved or removed would be lost: the file that is there now is opened. */
enum heaptap_status store_follow(struct store *store, struct heaptap_error *error)
{
    int has_moved = 1;
    sqlite3 *handle = store->database.handle;
    if (handle &&
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved) == SQLITE_OK &&
        !has_moved)
        return HEAPTAP_OK;
    sqlite3_close(handle);
    enum heaptap_status status = open_file(store, store->path, STORE_WRITE, error);
    if (status == HEAPTAP_OK)
        status = check_kind(store, error);
    if (status == HEAPTAP_OK) {
        database_run(&store->database, "PRAGMA synchronous = FULL");
        return store_outcome(store, error);
    }
    sqlite3_close(store->database.handle);
    store->database = (struct database){0};
    return status;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    clickhouse_close(store->clickhouse);
    sqlite3_close(store->database.handle);
    recent_series_release(&store->recent);
    free(store->path);
    free(store);
}

enum heaptap_status store_init_cluster(const char *path, const char *cluster,
                                       struct heaptap_error *error)
{
    if (!clickhouse_is(path))
        return error_set(
            error, HEAPTAP_BAD_ARGUMENT,
            "only a store in ClickHouse can be on a cluster: clickhouse://HOST:PORT/DATABASE");
    return clickhouse_init_cluster(path, cluster, error);
}

void store_lack(const struct store *store, char sentence[STORE_LACK_BYTES])
{
    *sentence = 0;
    if (store->clickhouse)
        clickhouse_lack(store->clickhouse, sentence, STORE_LACK_BYTES);
    if (!*sentence && store->is_cut)
        snprintf(sentence, STORE_LACK_BYTES, "%s", saturate_note);
}

enum heaptap_status store_load(struct store *store, const struct store_selector *selector,
                               enum store_loaded what, const char *type,
                               const struct store_place *place, struct heaptap_error *error)
{
    enum heaptap_status status = HEAPTAP_OK;
    store->is_cut = false;
    if (store->clickhouse)
        status = clickhouse_load(store->clickhouse, &store->database, selector, what, type, place,
                                 error);
    return status == HEAPTAP_OK ? store_outcome(store, error) : status;
}

enum heaptap_status store_count_series(struct store *store, const struct store_labels *labels,
                                       size_t *count, bool *is_one, struct heaptap_error *error)
{
    return recent_series_count(store, labels, count, is_one, error);
}
