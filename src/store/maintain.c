/* Looking after a store: does it hold together, and what is old goes. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "store/row.h"
#include "store/store_file.h"

/* ---- Checking ------------------------------------------------------------------------ */

/* What must not be there, with the sentence that says so. */
static const struct {
    const char *count, *sentence;
} contradictions[] = {
    {"SELECT count(*) FROM sample LEFT JOIN profile ON profile.id = sample.profile"
     " WHERE profile.id IS NULL",
     "samples belong to no profile"},
    {"SELECT count(*) FROM sample LEFT JOIN node ON node.id = sample.node"
     " WHERE node.id IS NULL AND sample.node <> 0",
     "samples have no stack"},
    {"SELECT count(*) FROM node LEFT JOIN node AS caller ON caller.id = node.parent"
     " WHERE caller.id IS NULL AND node.parent <> 0",
     "nodes of stacks have no caller"},
    {"SELECT count(*) FROM node WHERE frame NOT IN (SELECT frame FROM line)",
     "nodes of stacks have no name"},
    {"SELECT count(*) FROM profile WHERE series NOT IN (SELECT id FROM series)",
     "profiles have no labels"},
    {"SELECT count(*) FROM total LEFT JOIN (SELECT profile, type, sum(value) AS value FROM sample"
     " GROUP BY profile, type) AS sums USING (profile, type)"
     " WHERE abs(coalesce(sums.value, 0) - total.value) > 1e-6 * abs(total.value)",
     "totals are not the sums of their samples"},
};

static enum heaptap_status check_file(struct store *store, struct heaptap_error *error)
{
    sqlite3_stmt *statement = database_prepare(&store->database, "PRAGMA integrity_check(1)");
    enum heaptap_status status = HEAPTAP_OK;
    if (database_next(&store->database, statement)) {
        const char *said = (const char *)sqlite3_column_text(statement, 0);
        if (said && strcmp(said, "ok") != 0)
            status = error_set(error, HEAPTAP_BAD_INPUT, "the file is damaged: %.200s", said);
    }
    database_end(statement);
    return status == HEAPTAP_OK ? store_outcome(store, error) : status;
}

enum heaptap_status store_check(struct store *store, struct store_figures *figures,
                                struct heaptap_error *error)
{
    struct database *database = &store->database;
    if (store->clickhouse) {
        enum heaptap_status checked = clickhouse_check(store->clickhouse, figures, error);
        return checked == HEAPTAP_OK
                   ? store_span(store, &figures->from_us, &figures->until_us, error)
                   : checked;
    }
    enum heaptap_status status = check_file(store, error);
    for (size_t i = 0; i < sizeof contradictions / sizeof contradictions[0]; i++) {
        int64_t count =
            status == HEAPTAP_OK ? database_number(database, contradictions[i].count) : 0;
        if (count > 0)
            status = error_set(error, HEAPTAP_BAD_INPUT, "%lld %s", (long long)count,
                               contradictions[i].sentence);
    }
    if (status != HEAPTAP_OK)
        return status;
    *figures = (struct store_figures){
        .profiles = database_number(database, "SELECT count(*) FROM profile"),
        .series = database_number(database, "SELECT count(*) FROM series"),
        .stacks = database_number(database, "SELECT count(*) FROM node"),
        .samples = database_number(database, "SELECT count(*) FROM sample"),
        .bytes = database_number(database, "PRAGMA page_count") *
                 database_number(database, "PRAGMA page_size"),
    };
    return store_span(store, &figures->from_us, &figures->until_us, error);
}

enum heaptap_status store_span(struct store *store, int64_t *from_us, int64_t *until_us,
                               struct heaptap_error *error)
{
    static const char first[] = "SELECT min(from_us) FROM profile",
                      last[] = "SELECT max(until_us) FROM profile";
    if (!store->clickhouse) {
        *from_us = database_number(&store->database, first);
        *until_us = database_number(&store->database, last);
        return store_outcome(store, error);
    }
    enum heaptap_status status = clickhouse_number(store->clickhouse, first, from_us, error);
    return status == HEAPTAP_OK ? clickhouse_number(store->clickhouse, last, until_us, error)
                                : status;
}

/* ---- Pruning ------------------------------------------------------------------------- */

/* A node is needed by samples at it, and by the nodes that it calls. */
static const char remove_unneeded[] =
    "CREATE TEMP TABLE needed AS"
    " WITH RECURSIVE up (id) AS (SELECT DISTINCT node FROM sample"
    "  UNION SELECT parent FROM node JOIN up ON node.id = up.id) SELECT id FROM up;"
    "CREATE INDEX temp.needed_by_id ON needed (id);"
    "DELETE FROM node WHERE id NOT IN (SELECT id FROM needed);"
    "DROP TABLE temp.needed;"
    "DELETE FROM frame WHERE id NOT IN (SELECT frame FROM node);"
    "DELETE FROM line WHERE frame NOT IN (SELECT id FROM frame);"
    "DELETE FROM series WHERE id NOT IN (SELECT series FROM profile);"
    "DELETE FROM series_label WHERE series NOT IN (SELECT id FROM series);";

enum heaptap_status store_prune(struct store *store, int64_t before_us, int64_t *removed,
                                struct heaptap_error *error)
{
    struct database *database = &store->database;
    if (store->clickhouse)
        return clickhouse_prune(store->clickhouse, before_us, removed, error);
    database_run(database, "BEGIN IMMEDIATE");
    sqlite3_stmt *statement = database_prepare(database, "DELETE FROM profile WHERE until_us < ?");
    struct row row = {statement, 0};
    row_int(&row, before_us);
    database_put(database, statement);
    database_end(statement);
    *removed = database_number(database, "SELECT changes()");
    if (*removed > 0) {
        database_run(database, "DELETE FROM sample WHERE profile NOT IN (SELECT id FROM profile);"
                               "DELETE FROM total WHERE profile NOT IN (SELECT id FROM profile)");
        database_run(database, remove_unneeded);
    }
    database_run(database, "COMMIT");
    if (*removed > 0)
        database_run(database, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    enum heaptap_status status = store_outcome(store, error);
    if (sqlite3_get_autocommit(database->handle) == 0)
        sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
    return status;
}
