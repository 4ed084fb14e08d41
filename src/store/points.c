/* What each chosen profile has, of all or of the stacks through a place.
 *
 * All of a profile is a row of `total` for each type.  What leads through a place is added up of its samples; a profile that
 * has a type, but nothing there, has 0 of it. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "store/choose.h"
#include "store/place.h"
#include "store/row.h"
#include "store/store_file.h"

static const char of_all[] = "CREATE TEMP VIEW counted AS SELECT profile, type, value, variance,"
                             " variance / value AS weight FROM total";

static const char of_place[] =
    "CREATE TEMP TABLE counted AS SELECT chosen.profile AS profile, chosen.type AS type,"
    " coalesce(sum(sample.value), 0) AS value,"
    " CASE WHEN count(sample.variance) = count(sample.value)"
    "  AND total.variance IS NOT NULL THEN coalesce(sum(sample.variance), 0) END AS variance,"
    " total.variance / total.value AS weight"
    " FROM chosen JOIN type ON type.id = chosen.type AND type.name IN ('alloc_space', 'inuse_space')"
    " JOIN total ON total.profile = chosen.profile AND total.type = chosen.type"
    " LEFT JOIN sample ON sample.profile = chosen.profile AND sample.type = chosen.type"
    "  AND sample.node IN (SELECT id FROM passing)"
    " GROUP BY chosen.profile, chosen.type";

/* In an order that is that of no store: two with the same profiles give the same sums. */
static const char points[] =
    "SELECT coalesce(label.value, ''), profile.series, profile.from_us, profile.until_us,"
    " sum(CASE type.name WHEN 'alloc_space' THEN counted.value END),"
    " CASE WHEN count(CASE type.name WHEN 'alloc_space' THEN counted.variance END)"
    "  = count(CASE type.name WHEN 'alloc_space' THEN 1 END)"
    "  THEN sum(CASE type.name WHEN 'alloc_space' THEN counted.variance END) END,"
    " sum(CASE type.name WHEN 'inuse_space' THEN counted.value END),"
    " sum(CASE type.name WHEN 'alloc_space' THEN counted.weight END)"
    " FROM chosen JOIN profile ON profile.id = chosen.profile"
    " JOIN series ON series.id = profile.series"
    " JOIN counted ON counted.profile = chosen.profile AND counted.type = chosen.type"
    " JOIN type ON type.id = chosen.type"
    " LEFT JOIN series_label AS label ON label.series = profile.series AND label.key = ?"
    " GROUP BY profile.id ORDER BY 1, series.labels, profile.until_us, profile.from_us, 5";

static struct store_point point_of(sqlite3_stmt *statement)
{
    const unsigned char *value = sqlite3_column_text(statement, 0);
    bool is_known = sqlite3_column_type(statement, 5) != SQLITE_NULL;
    return (struct store_point){
        .value = value ? (const char *)value : "",
        .series = sqlite3_column_int64(statement, 1),
        .from_us = sqlite3_column_int64(statement, 2),
        .until_us = sqlite3_column_int64(statement, 3),
        .allocated = sqlite3_column_double(statement, 4),
        .allocated_variance = is_known ? sqlite3_column_double(statement, 5) : -1,
        .in_use = sqlite3_column_double(statement, 6),
        .allocated_weight = sqlite3_column_type(statement, 7) == SQLITE_NULL
                                ? -1
                                : sqlite3_column_double(statement, 7),
        .has_allocated = sqlite3_column_type(statement, 4) != SQLITE_NULL,
        .has_in_use = sqlite3_column_type(statement, 6) != SQLITE_NULL,
    };
}

static void tell_span(struct database *database, const struct store_points_question *question)
{
    static const char least[] = "SELECT min(from_us) FROM profile WHERE id IN"
                                " (SELECT id FROM chosen_profile)";
    static const char most[] = "SELECT max(until_us) FROM profile WHERE id IN"
                               " (SELECT id FROM chosen_profile)";
    question->span(question->context, database_number(database, least),
                   database_number(database, most));
}

static void tell_points(struct store *store, const struct store_points_question *question)
{
    struct database *database = &store->database;
    sqlite3_stmt *statement = database_prepare(database, points);
    struct row row = {statement, 0};
    row_text(&row, question->label);
    while (database_next(database, statement)) {
        struct store_point point = point_of(statement);
        store->is_cut |= fmax(fabs(point.allocated), fabs(point.in_use)) >= 0x1p63;
        question->each(question->context, &point);
    }
    database_end(statement);
}

/* False when there is no memory. */
static bool count_chosen(struct database *database, const struct store_place *place)
{
    if (!place) {
        database_run(database, of_all);
        return true;
    }
    bool done = store_place_mark(database, place);
    database_run(database, of_place);
    return done;
}

enum heaptap_status store_points(struct store *store, const struct store_selector *selector,
                                 const struct store_points_question *question,
                                 struct heaptap_error *error)
{
    struct database *database = &store->database;
    struct store_place place;
    enum heaptap_status status = HEAPTAP_OK;
    if (question->through)
        status = store_place_parse(&place, question->through, error);
    if (status == HEAPTAP_OK)
        status = store_load(store, selector, question->through ? STORE_PASSING : STORE_TOTALS, NULL,
                            &place, error);
    if (status != HEAPTAP_OK)
        return status;
    database_run(database, "BEGIN");
    store_choose(store, "chosen", selector);
    bool done = count_chosen(database, question->through ? &place : NULL);
    if (done && question->span)
        tell_span(database, question);
    if (done)
        tell_points(store, question);
    status = store_outcome(store, error);
    sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
    return status == HEAPTAP_OK && !done ? error_no_memory(error) : status;
}

void store_rarest_label(struct store *store, int64_t series, struct store_label *label)
{
    *label = (struct store_label){0};
    sqlite3_stmt *statement = database_prepare(
        &store->database,
        "SELECT mine.key, mine.value FROM series_label AS mine"
        " JOIN series_label AS other ON other.key = mine.key AND other.value = mine.value"
        " WHERE mine.series = ? GROUP BY mine.key HAVING count(*) < (SELECT count(*) FROM series)"
        " ORDER BY count(*), mine.key LIMIT 1");
    struct row row = {statement, 0};
    row_int(&row, series);
    if (database_next(&store->database, statement)) {
        snprintf(label->key, sizeof label->key, "%s", sqlite3_column_text(statement, 0));
        snprintf(label->value, sizeof label->value, "%s", sqlite3_column_text(statement, 1));
    }
    database_end(statement);
}

enum heaptap_status store_each_label(struct store *store,
                                     void (*each)(void *context, const char *key,
                                                  const char *value),
                                     void *context, struct heaptap_error *error)
{
    struct store_selector all = store_selector_all();
    enum heaptap_status status = store_load(store, &all, STORE_LABELS, NULL, NULL, error);
    if (status != HEAPTAP_OK)
        return status;
    sqlite3_stmt *statement = database_prepare(
        &store->database, "SELECT DISTINCT key, value FROM series_label ORDER BY key, value");
    while (database_next(&store->database, statement))
        each(context, (const char *)sqlite3_column_text(statement, 0),
             (const char *)sqlite3_column_text(statement, 1));
    database_end(statement);
    return store_outcome(store, error);
}
