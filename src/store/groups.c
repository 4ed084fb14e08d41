#include "base/error.h"
#include "store/choose.h"
#include "store/row.h"
#include "store/store_file.h"

/* Sums of `total`, of which there are few: a row for each profile and type. */
static const char by_label[] =
    "SELECT coalesce(label.value, ''), count(DISTINCT profile.id), count(DISTINCT profile.series),"
    " min(profile.from_us), max(profile.until_us),"
    " sum(CASE type.name WHEN 'alloc_space' THEN total.value END),"
    " CASE WHEN count(CASE type.name WHEN 'alloc_space' THEN total.variance END)"
    "  = count(CASE type.name WHEN 'alloc_space' THEN 1 END)"
    "  THEN sum(CASE type.name WHEN 'alloc_space' THEN total.variance END) END,"
    " sum(CASE type.name WHEN 'inuse_space' THEN total.value * chosen.weight END)"
    " FROM chosen JOIN profile ON profile.id = chosen.profile"
    " JOIN total ON total.profile = chosen.profile AND total.type = chosen.type"
    " JOIN type ON type.id = chosen.type"
    " LEFT JOIN series_label AS label ON label.series = profile.series AND label.key = ?"
    " GROUP BY 1 ORDER BY 6 DESC, 1";

static struct store_group group_of(sqlite3_stmt *statement)
{
    const unsigned char *value = sqlite3_column_text(statement, 0);
    bool is_known = sqlite3_column_type(statement, 6) != SQLITE_NULL;
    return (struct store_group){
        .value = value ? (const char *)value : "",
        .profiles = sqlite3_column_int64(statement, 1),
        .series = sqlite3_column_int64(statement, 2),
        .from_us = sqlite3_column_int64(statement, 3),
        .until_us = sqlite3_column_int64(statement, 4),
        .allocated = sqlite3_column_double(statement, 5),
        .allocated_variance = is_known ? sqlite3_column_double(statement, 6) : -1,
        .in_use = sqlite3_column_double(statement, 7),
        .has_allocated = sqlite3_column_type(statement, 5) != SQLITE_NULL,
        .has_in_use = sqlite3_column_type(statement, 7) != SQLITE_NULL,
    };
}

enum heaptap_status store_groups(struct store *store, const struct store_selector *selector,
                                 const char *key,
                                 void (*each)(void *context, const struct store_group *group),
                                 void *context, struct heaptap_error *error)
{
    struct database *database = &store->database;
    enum heaptap_status loaded = store_load(store, selector, STORE_TOTALS, NULL, error);
    if (loaded != HEAPTAP_OK)
        return loaded;
    database_run(database, "BEGIN");
    store_choose(database, "chosen", selector);
    sqlite3_stmt *statement = database_prepare(database, by_label);
    struct row row = {statement, 0};
    row_text(&row, key);
    while (database_next(database, statement)) {
        struct store_group group = group_of(statement);
        each(context, &group);
    }
    database_end(statement);
    enum heaptap_status status = store_outcome(store, error);
    sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
    return status;
}
