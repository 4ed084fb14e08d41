/* What is chosen of a store in ClickHouse, loaded into the database in memory: all series, of which there are few; the
 * chosen profiles and their totals; their samples summed up, and the stacks and frames of these.
 *
 * The sums of a type are given to one profile that has it, which stands for all.  No question asks a single profile for its
 * samples.  A level is weighted in ClickHouse (choose.c says how), and what is given to the profile is that times the
 * number by which its own weight will divide it.
 *
 * A chosen profile is known by its attempt: in one second a series has few, of 2^32 random numbers. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "store/choose.h"
#include "store/clickhouse_keys.h"
#include "store/clickhouse_rows.h"
#include "store/clickhouse_wire.h"
#include "store/row.h"

struct loading {
    struct clickhouse *clickhouse;
    struct database *database;
    struct clickhouse_rows rows;
    struct heaptap_error *error;
    enum heaptap_status status;
    const struct store_place *place; /* of STORE_PASSING */
    struct text days; /* condition of chosen series and days, which all tables of sums have */
    struct text sums,
        levels; /* types that are added up, those that are averaged: numbers with commas */
};

/* ---- Queries ------------------------------------------------------------------------- */

/* The query with what stands for its words in {}. */
static void put_query(const struct loading *loading, const char *query, struct text *text)
{
    static const char chosen[] = "attempt GLOBAL IN (SELECT attempt FROM chosen)";
    const struct text profiles = {.bytes = (char *)chosen, .size = strlen(chosen)};
    const struct {
        const char *name;
        const struct text *value;
    } words[] = {{"{days}", &loading->days},
                 {"{profiles}", &profiles},
                 {"{sums}", &loading->sums},
                 {"{levels}", &loading->levels}};
    while (*query) {
        size_t i = 0;
        while (i < 4 && strncmp(query, words[i].name, strlen(words[i].name)) != 0)
            i++;
        if (i < 4) {
            text_put(text, words[i].value->bytes, words[i].value->size);
            query += strlen(words[i].name);
        } else {
            text_put_char(text, *query++);
        }
    }
    text_put_char(text, 0);
}

static void ask(struct loading *loading, const char *query, struct text *answer)
{
    struct text text = {0};
    put_query(loading, query, &text);
    if (loading->status == HEAPTAP_OK && text.failed)
        loading->status = error_no_memory(loading->error);
    if (loading->status == HEAPTAP_OK)
        loading->status =
            clickhouse_ask(loading->clickhouse, text.bytes, NULL, answer, loading->error);
    text_release(&text);
}

static void tell(struct loading *loading, const char *query)
{
    ask(loading, query, NULL);
}

/* Puts the rows of the answer. */
static void get(struct loading *loading, enum rows_kind kind, const char *query)
{
    struct text answer = {0};
    ask(loading, query, &answer);
    if (loading->status == HEAPTAP_OK)
        clickhouse_rows_put(&loading->rows, kind, &answer);
    text_release(&answer);
    if (loading->status == HEAPTAP_OK && loading->rows.failed)
        loading->status = error_set(loading->error, HEAPTAP_SYSTEM, "ClickHouse's answer is cut");
}

/* ---- Choosing ------------------------------------------------------------------------ */

static void load_series(struct loading *loading)
{
    get(loading, ROWS_SERIES, "SELECT id, labels FROM series LIMIT 1 BY id FORMAT RowBinary");
    get(loading, ROWS_LABELS,
        "SELECT series, key, value FROM series_label LIMIT 1 BY series, key FORMAT RowBinary");
}

/* The numbers that a statement gives, with commas between; ends it.  How many there are. */
static size_t put_numbers(struct loading *loading, sqlite3_stmt *statement, struct text *text)
{
    size_t count = 0;
    for (; database_next(loading->database, statement); count++) {
        if (count > 0)
            text_put_char(text, ',');
        text_put_uint(text, (uint64_t)sqlite3_column_int64(statement, 0), 1);
    }
    database_end(statement);
    return count;
}

/* False where no series is chosen. */
static bool put_days(struct loading *loading, const struct store_selector *selector)
{
    char line[256];
    store_choose_series(loading->database, selector);
    text_put_string(&loading->days, "series IN (");
    size_t count = put_numbers(
        loading, database_prepare(loading->database, "SELECT id FROM chosen_series ORDER BY id"),
        &loading->days);
    snprintf(line, sizeof line, ") AND day >= toDate(%u) AND day <= toDate(%u)",
             clickhouse_day(selector->after_us), clickhouse_day(selector->until_us));
    text_put_string(&loading->days, line);
    return count > 0;
}

/* Which types are loaded: all, or those of a name. */
static void put_types(struct loading *loading, const char *name)
{
    for (int is_level = 0; is_level < 2; is_level++) {
        sqlite3_stmt *statement = database_prepare(
            loading->database,
            "SELECT id FROM type WHERE is_level = ?1 AND (?2 IS NULL OR name = ?2)");
        struct row row = {statement, 0};
        row_int(&row, is_level);
        if (name)
            row_text(&row, name);
        put_numbers(loading, statement, is_level ? &loading->levels : &loading->sums);
    }
}

/* Names the chosen profiles once, in a temporary table: those that arrive while the other queries run are in none of them.  Types
 * are asked for after that, as a profile's are there before it is. */
static void choose(struct loading *loading, const struct store_selector *selector)
{
    char query[512];
    snprintf(query, sizeof query,
             "INSERT INTO chosen SELECT series, min(attempt) FROM profile WHERE {days}"
             " AND until_us > %lld AND until_us <= %lld GROUP BY series, hash",
             (long long)(selector->after_us > -INT64_MAX ? selector->after_us : -INT64_MAX),
             (long long)selector->until_us);
    tell(loading, "CREATE TEMPORARY TABLE chosen (series UInt64, attempt UInt64)");
    tell(loading, query);
    get(loading, ROWS_TYPES,
        "SELECT id, name, unit, toUInt64(is_level) FROM type LIMIT 1 BY id FORMAT RowBinary");
}

/* ---- Sums ---------------------------------------------------------------------------- */

static void load_profiles(struct loading *loading)
{
    get(loading, ROWS_PROFILE,
        "SELECT series, attempt, from_us, until_us FROM profile"
        " WHERE {days} AND {profiles} LIMIT 1 BY series, attempt FORMAT RowBinary");
    get(loading, ROWS_TOTALS,
        "SELECT series, attempt, type, value, samples, variance FROM total"
        " WHERE {days} AND {profiles} FORMAT RowBinary");
}

/* Samples are read once; stacks and lines are those of what comes of them. */
static void load_samples(struct loading *loading)
{
    tell(loading, "CREATE TEMPORARY TABLE sums (type UInt64, stack UInt64, value Float64,"
                  " samples Int64, variance Float64)");
    if (loading->sums.size > 0)
        tell(loading, "INSERT INTO sums SELECT type, stack, sum(value), sum(samples),"
                      " if(min(variance) < 0, -1., sum(variance)) FROM sample"
                      " WHERE type IN ({sums}) AND {days} AND {profiles} GROUP BY type, stack");
    if (loading->levels.size > 0)
        tell(loading,
             "INSERT INTO sums SELECT type, stack, sum(of_series / profiles), -1, -1. FROM"
             " (SELECT series, type, stack, sum(value) AS of_series FROM sample"
             " WHERE type IN ({levels}) AND {days} AND {profiles} GROUP BY series, type, stack)"
             " ANY INNER JOIN (SELECT series, type, count() AS profiles FROM total"
             " WHERE type IN ({levels}) AND {days} AND {profiles} GROUP BY series, type)"
             " USING (series, type) GROUP BY type, stack");
    get(loading, ROWS_STACKS,
        "SELECT id, nodes, frames FROM stack WHERE id GLOBAL IN (SELECT stack FROM sums)"
        " LIMIT 1 BY id FORMAT RowBinary");
    get(loading, ROWS_LINES,
        "SELECT frame, toUInt64(depth), function, file, toUInt64(line) FROM line WHERE frame GLOBAL IN"
        " (SELECT arrayJoin(frames) FROM stack WHERE id GLOBAL IN (SELECT stack FROM sums))"
        " LIMIT 1 BY frame, depth FORMAT RowBinary");
    get(loading, ROWS_SUMS,
        "SELECT type, stack, value, samples, variance FROM sums ORDER BY type FORMAT RowBinary");
}

/* A literal of SQL. */
static void put_literal(struct text *text, const char *string)
{
    text_put_char(text, '\'');
    for (; *string; string++) {
        if (*string == '\'' || *string == '\\')
            text_put_char(text, '\\');
        text_put_char(text, *string);
    }
    text_put_char(text, '\'');
}

/* The stacks that lead through the place, as a temporary table.  Places are known in ClickHouse, so that its samples need not
 * come here. */
static void choose_stacks(struct loading *loading)
{
    const struct store_place *place = loading->place;
    struct text query = {0};
    tell(loading, "CREATE TEMPORARY TABLE passing (stack UInt64)");
    text_put_string(&query, "INSERT INTO passing SELECT DISTINCT id FROM"
                            " (SELECT id, arrayJoin(frames) AS each FROM stack)"
                            " WHERE each GLOBAL IN (SELECT frame FROM line WHERE function = ");
    put_literal(&query, place->function);
    if (*place->file) {
        text_put_string(&query, " OR line = ");
        text_put_uint(&query, place->line, 1);
        text_put_string(&query, " AND (file = ");
        put_literal(&query, place->file);
        text_put_string(&query, " OR endsWith(file, concat('/', ");
        put_literal(&query, place->file);
        text_put_string(&query, ")))");
    }
    text_put_char(&query, ')');
    text_put_char(&query, 0);
    if (loading->status == HEAPTAP_OK && query.failed)
        loading->status = error_no_memory(loading->error);
    tell(loading, query.bytes);
    text_release(&query);
}

/* One stack stands for all of them: that of the place alone. */
static void load_passing(struct loading *loading)
{
    static const char of_types[] =
        "SELECT series, attempt, type, sum(value), sum(samples), if(min(variance) < 0, -1.,"
        " sum(variance)) FROM sample WHERE type IN (%s) AND {days} AND {profiles}"
        " AND stack GLOBAL IN (SELECT stack FROM passing)"
        " GROUP BY series, attempt, type FORMAT RowBinary";
    char query[512];
    choose_stacks(loading);
    database_run(loading->database,
                 "INSERT INTO frame (id, hash) VALUES (1, x'');"
                 "INSERT INTO node (id, parent, frame, hash) VALUES (1, 0, 1, x'')");
    sqlite3_stmt *line =
        database_prepare(loading->database, "INSERT INTO line VALUES (1, 0, ?, '', 0)");
    struct row row = {line, 0};
    row_text(&row, loading->place->function);
    database_put(loading->database, line);
    database_end(line);
    for (int i = 0; i < 2; i++) {
        snprintf(query, sizeof query, of_types, i == 0 ? "{sums}" : "{levels}");
        if ((i == 0 ? &loading->sums : &loading->levels)->size > 0)
            get(loading, ROWS_PASSING, query);
    }
}

static void load(struct loading *loading, const struct store_selector *selector,
                 enum store_loaded what, const char *type)
{
    database_run(loading->database,
                 "DELETE FROM series; DELETE FROM series_label; DELETE FROM type;"
                 "DELETE FROM profile; DELETE FROM total; DELETE FROM sample;"
                 "DELETE FROM node; DELETE FROM frame; DELETE FROM line");
    load_series(loading);
    if (loading->status != HEAPTAP_OK || what == STORE_LABELS || !put_days(loading, selector))
        return;
    choose(loading, selector);
    put_types(loading, type);
    load_profiles(loading);
    if (what == STORE_SAMPLES)
        load_samples(loading);
    if (what == STORE_PASSING)
        load_passing(loading);
}

enum heaptap_status clickhouse_load(struct clickhouse *clickhouse, struct database *database,
                                    const struct store_selector *selector, enum store_loaded what,
                                    const char *type, const struct store_place *place,
                                    struct heaptap_error *error)
{
    struct loading loading = {.clickhouse = clickhouse,
                              .database = database,
                              .rows = {.database = database},
                              .place = place,
                              .error = error,
                              .status = HEAPTAP_OK};
    clickhouse->shards_down = 0;
    loading.status = clickhouse_probe(clickhouse, error);
    database_run(database, "BEGIN");
    clickhouse_begin_session(clickhouse);
    if (loading.status == HEAPTAP_OK)
        load(&loading, selector, what, type);
    clickhouse_end_session(clickhouse);
    if (loading.status == HEAPTAP_OK && clickhouse->leaves_out)
        loading.status = clickhouse_probe(clickhouse, error);
    database_run(database, "COMMIT");
    if (loading.status != HEAPTAP_OK)
        sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
    clickhouse_rows_release(&loading.rows);
    text_release(&loading.days);
    text_release(&loading.sums);
    text_release(&loading.levels);
    return loading.status;
}
