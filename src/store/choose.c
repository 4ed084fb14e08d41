#include "store/choose.h"

#include <stdio.h>

#include "store/row.h"
#include "store/store_file.h"

enum { SQL_MAX = 8192 };

const char store_lost_totals[] = "the store is damaged: it has profiles without totals";

static void run_named(struct database *database, const char *format, const char *name)
{
    char sql[SQL_MAX];
    snprintf(sql, sizeof sql, format, name, name, name);
    database_run(database, sql);
}

void store_choose_series(struct database *database, const struct store_selector *selector)
{
    database_run(database, "DROP TABLE IF EXISTS temp.chosen_series;"
                           "CREATE TEMP TABLE chosen_series AS SELECT id FROM series");
    for (size_t i = 0; i < selector->count; i++) {
        const struct store_match *match = &selector->matches[i];
        sqlite3_stmt *statement = database_prepare(
            database, match->differs
                          ? "DELETE FROM chosen_series WHERE id IN"
                            " (SELECT series FROM series_label WHERE key = ? AND value = ?)"
                          : "DELETE FROM chosen_series WHERE id NOT IN"
                            " (SELECT series FROM series_label WHERE key = ? AND value = ?)");
        struct row row = {statement, 0};
        row_text(&row, match->label.key);
        row_text(&row, match->label.value);
        database_put(database, statement);
        database_end(statement);
    }
}

/* Each profile has a total of each of its types: a file that lacks them is damaged.  Of ClickHouse's rows, some may be on their way. */
static void check_totals(struct store *store, const char *name)
{
    char sql[SQL_MAX];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM chosen_profile WHERE id NOT IN (SELECT profile FROM %s)", name);
    if (!store->clickhouse && database_number(&store->database, sql) > 0)
        database_refuse(&store->database, store_lost_totals);
}

int64_t store_choose(struct store *store, const char *name, const struct store_selector *selector)
{
    struct database *database = &store->database;
    store_choose_series(database, selector);
    database_run(database, "DROP TABLE IF EXISTS temp.chosen_profile;"
                           "CREATE TEMP TABLE chosen_profile (id INTEGER PRIMARY KEY, series)");
    sqlite3_stmt *statement =
        database_prepare(database, "INSERT INTO chosen_profile SELECT id, series FROM profile"
                                   " WHERE until_us > ? AND until_us <= ? AND series IN"
                                   " (SELECT id FROM chosen_series)");
    struct row row = {statement, 0};
    row_int(&row, selector->after_us);
    row_int(&row, selector->until_us);
    database_put(database, statement);
    database_end(statement);
    run_named(database, "DROP TABLE IF EXISTS temp.%s", name);
    run_named(database,
              "CREATE TEMP TABLE %s AS SELECT chosen_profile.id AS profile, total.type AS type,"
              " CASE is_level WHEN 1 THEN 1.0 / count(*) OVER (PARTITION BY series, total.type)"
              " ELSE 1.0 END AS weight"
              " FROM chosen_profile JOIN total ON total.profile = chosen_profile.id"
              " JOIN type ON type.id = total.type",
              name);
    check_totals(store, name);
    return database_number(database, "SELECT count(*) FROM chosen_profile");
}
