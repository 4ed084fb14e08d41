/* What is chosen of a store in ClickHouse, loaded into the database in memory: all series, of which there are few; the
 * chosen profiles and their totals; their samples summed up, and the stacks and frames of these.
 *
 * The sum of several profiles is given to one of them, which stands for all: of a level to one of the same series, since a
 * level's weight (choose.c) is that of its series; of other types to any.  No question asks a single profile for its samples. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "store/choose.h"
#include "store/clickhouse_keys.h"
#include "store/clickhouse_wire.h"
#include "store/row.h"
#include "store/row_binary.h"

enum { HASH_BYTES = 16, KEY_BYTES = 16 };

struct loading {
    struct clickhouse *clickhouse;
    struct database *database;
    struct heaptap_error *error;
    enum heaptap_status status;
    struct text days; /* condition of chosen series and days, which all tables of sums have */
};

/* ---- Rows ---------------------------------------------------------------------------- */

static void bind_string(struct row *row, struct binary *in)
{
    size_t size = binary_size(in);
    const char *bytes = binary_bytes(in, size);
    sqlite3_bind_text64(row->statement, ++row->column, bytes ? bytes : "", bytes ? size : 0,
                        SQLITE_STATIC, SQLITE_UTF8);
}

static void bind_bytes(struct row *row, struct binary *in, size_t size)
{
    const char *bytes = binary_bytes(in, size);
    row_blob(row, bytes ? bytes : "", bytes ? (int)size : 0);
}

static void bind_number(struct row *row, struct binary *in)
{
    row_int(row, (int64_t)binary_u64(in));
}

/* Value, samples and variance; the last two are nothing where they are negative. */
static void bind_sum(struct row *row, struct binary *in)
{
    row_real(row, binary_real(in));
    int64_t samples = (int64_t)binary_u64(in);
    double variance = binary_real(in);
    if (variance < 0) {
        row_null(row);
        row_null(row);
    } else {
        row_int(row, samples);
        row_real(row, variance);
    }
}

static void bind_series(struct row *row, struct binary *in)
{
    bind_number(row, in);
    bind_string(row, in);
}

static void bind_label(struct row *row, struct binary *in)
{
    bind_number(row, in);
    bind_string(row, in);
    bind_string(row, in);
}

static void bind_type(struct row *row, struct binary *in)
{
    bind_number(row, in);
    bind_string(row, in);
    bind_string(row, in);
    bind_number(row, in);
}

/* The key is the series and the attempt: it is the profile's hash in memory. */
static void bind_profile(struct row *row, struct binary *in)
{
    bind_bytes(row, in, KEY_BYTES);
    bind_number(row, in);
    bind_number(row, in);
    bind_number(row, in);
}

static void bind_total(struct row *row, struct binary *in)
{
    bind_bytes(row, in, KEY_BYTES);
    bind_number(row, in);
    bind_sum(row, in);
}

static void bind_sample(struct row *row, struct binary *in)
{
    bind_bytes(row, in, KEY_BYTES);
    bind_number(row, in);
    bind_number(row, in);
    bind_sum(row, in);
}

static void bind_line(struct row *row, struct binary *in)
{
    bind_bytes(row, in, HASH_BYTES);
    bind_number(row, in);
    bind_string(row, in);
    bind_string(row, in);
    bind_number(row, in);
}

/* ---- Loading ------------------------------------------------------------------------- */

/* Calls of `bind` for each row of the answer, and puts what was bound. */
static void put_rows(struct loading *loading, const struct text *answer, const char *insert,
                     void (*bind)(struct row *row, struct binary *in))
{
    struct binary in = binary_of(answer);
    sqlite3_stmt *statement = database_prepare(loading->database, insert);
    while (binary_more(&in) && database_works(loading->database)) {
        struct row row = {statement, 0};
        bind(&row, &in);
        if (!in.failed)
            database_put(loading->database, statement);
    }
    database_end(statement);
    if (in.failed)
        loading->status = error_set(loading->error, HEAPTAP_SYSTEM, "ClickHouse's answer is cut");
}

/* A stack is its nodes from the root on, and their frames. */
static void put_stack(struct loading *loading, sqlite3_stmt *frame, sqlite3_stmt *node,
                      sqlite3_stmt *stack, struct binary *in)
{
    static const char root[HASH_BYTES];
    const char *caller = root;
    struct row end = {stack, 0};
    bind_number(&end, in);
    size_t count = binary_size(in);
    size_t size = count <= in->left / HASH_BYTES ? count * HASH_BYTES : SIZE_MAX;
    const char *nodes = binary_bytes(in, size);
    in->failed |= binary_size(in) != count;
    const char *frames = binary_bytes(in, size);
    for (size_t at = 0; frames && at < size; at += HASH_BYTES) {
        struct row row = {frame, 0};
        row_blob(&row, frames + at, HASH_BYTES);
        database_put(loading->database, frame);
        row = (struct row){node, 0};
        row_blob(&row, caller, HASH_BYTES);
        row_blob(&row, frames + at, HASH_BYTES);
        row_blob(&row, nodes + at, HASH_BYTES);
        database_put(loading->database, node);
        caller = nodes + at;
    }
    row_blob(&end, caller, HASH_BYTES);
    database_put(loading->database, stack);
}

static void put_stacks(struct loading *loading, const struct text *answer)
{
    struct binary in = binary_of(answer);
    sqlite3_stmt *frame =
        database_prepare(loading->database, "INSERT OR IGNORE INTO frame (hash) VALUES (?)");
    sqlite3_stmt *node = database_prepare(loading->database,
                                          "INSERT OR IGNORE INTO node (parent, frame, hash) VALUES"
                                          " (coalesce((SELECT id FROM node WHERE hash = ?), 0),"
                                          "  (SELECT id FROM frame WHERE hash = ?), ?)");
    sqlite3_stmt *stack = database_prepare(
        loading->database,
        "INSERT INTO stack VALUES (?, coalesce((SELECT id FROM node WHERE hash = ?), 0))");
    while (binary_more(&in) && database_works(loading->database))
        put_stack(loading, frame, node, stack, &in);
    database_end(stack);
    database_end(frame);
    database_end(node);
    if (in.failed)
        loading->status = error_set(loading->error, HEAPTAP_SYSTEM, "ClickHouse's answer is cut");
}

/* The query with its {days} and {profiles}. */
static void put_query(const struct loading *loading, const char *query, struct text *text)
{
    static const char days[] = "{days}", profiles[] = "{profiles}";
    static const char chosen[] = "(series, attempt) IN (SELECT series, attempt FROM chosen)";
    while (*query)
        if (strncmp(query, days, strlen(days)) == 0) {
            text_put(text, loading->days.bytes, loading->days.size);
            query += strlen(days);
        } else if (strncmp(query, profiles, strlen(profiles)) == 0) {
            text_put_string(text, chosen);
            query += strlen(profiles);
        } else {
            text_put_char(text, *query++);
        }
    text_put_char(text, 0);
}

/* Puts the rows of the answer by `insert`; without `bind`, they are stacks. */
static void ask(struct loading *loading, const char *query, const char *insert,
                void (*bind)(struct row *row, struct binary *in))
{
    struct text text = {0}, answer = {0};
    put_query(loading, query, &text);
    if (loading->status == HEAPTAP_OK && text.failed)
        loading->status = error_no_memory(loading->error);
    if (loading->status == HEAPTAP_OK)
        loading->status =
            clickhouse_ask(loading->clickhouse, text.bytes, NULL, &answer, loading->error);
    if (loading->status == HEAPTAP_OK && bind)
        put_rows(loading, &answer, insert, bind);
    else if (loading->status == HEAPTAP_OK)
        put_stacks(loading, &answer);
    text_release(&text);
    text_release(&answer);
}

/* ---- Choosing ------------------------------------------------------------------------ */

static void load_series(struct loading *loading)
{
    ask(loading, "SELECT id, labels FROM series LIMIT 1 BY id FORMAT RowBinary",
        "INSERT INTO series VALUES (?, ?)", bind_series);
    ask(loading,
        "SELECT series, key, value FROM series_label LIMIT 1 BY series, key FORMAT RowBinary",
        "INSERT INTO series_label VALUES (?, ?, ?)", bind_label);
}

/* False where no series is chosen. */
static bool put_days(struct loading *loading, const struct store_selector *selector)
{
    char line[256];
    size_t count = 0;
    store_choose_series(loading->database, selector);
    sqlite3_stmt *statement =
        database_prepare(loading->database, "SELECT id FROM chosen_series ORDER BY id");
    text_put_string(&loading->days, "series IN (");
    for (; database_next(loading->database, statement); count++) {
        if (count > 0)
            text_put_char(&loading->days, ',');
        text_put_uint(&loading->days, (uint64_t)sqlite3_column_int64(statement, 0), 1);
    }
    database_end(statement);
    snprintf(line, sizeof line, ") AND day >= toDate(%u) AND day <= toDate(%u)",
             clickhouse_day(selector->after_us), clickhouse_day(selector->until_us));
    text_put_string(&loading->days, line);
    return count > 0;
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
    ask(loading, "CREATE TEMPORARY TABLE chosen (series UInt64, attempt UInt64)", NULL, NULL);
    ask(loading, query, NULL, NULL);
    ask(loading,
        "SELECT id, name, unit, toUInt64(is_level) FROM type LIMIT 1 BY id FORMAT RowBinary",
        "INSERT INTO type VALUES (?, ?, ?, ?)", bind_type);
}

/* ---- Sums ---------------------------------------------------------------------------- */

#define PROFILE_OF "(SELECT id FROM profile WHERE hash = ?)"

static void load_profiles(struct loading *loading)
{
    ask(loading,
        "SELECT series, attempt, series, from_us, until_us FROM profile"
        " WHERE {days} AND {profiles} LIMIT 1 BY series, attempt FORMAT RowBinary",
        "INSERT INTO profile (hash, series, from_us, until_us) VALUES (?, ?, ?, ?)", bind_profile);
    ask(loading,
        "SELECT series, attempt, type, value, samples, variance FROM total"
        " WHERE {days} AND {profiles} FORMAT RowBinary",
        "INSERT INTO total VALUES (" PROFILE_OF ", ?, ?, ?, ?)", bind_total);
}

static void load_samples(struct loading *loading)
{
    ask(loading,
        "SELECT id, nodes, frames FROM stack WHERE id IN"
        " (SELECT stack FROM sample WHERE {days} AND {profiles}) LIMIT 1 BY id FORMAT RowBinary",
        NULL, NULL);
    ask(loading,
        "SELECT frame, toUInt64(depth), function, file, toUInt64(line) FROM line WHERE frame IN"
        " (SELECT arrayJoin(frames) FROM stack WHERE id IN"
        "  (SELECT stack FROM sample WHERE {days} AND {profiles}))"
        " LIMIT 1 BY frame, depth FORMAT RowBinary",
        "INSERT INTO line VALUES ((SELECT id FROM frame WHERE hash = ?), ?, ?, ?, ?)", bind_line);
    ask(loading,
        "SELECT min((series, attempt)), type, stack, sum(value), sum(samples),"
        " if(min(variance) < 0, -1., sum(variance)) FROM sample WHERE {days} AND {profiles}"
        " GROUP BY if(type IN (SELECT id FROM type WHERE is_level = 1), series, toUInt64(0)),"
        " type, stack FORMAT RowBinary",
        "INSERT INTO sample VALUES (" PROFILE_OF ", ?,"
        " (SELECT node FROM stack WHERE id = ?), ?, ?, ?)",
        bind_sample);
}

static void load(struct loading *loading, const struct store_selector *selector, bool with_samples)
{
    database_run(
        loading->database,
        "CREATE TEMP TABLE IF NOT EXISTS stack (id INTEGER PRIMARY KEY, node INTEGER);"
        "DELETE FROM stack; DELETE FROM series; DELETE FROM series_label; DELETE FROM type;"
        "DELETE FROM profile; DELETE FROM total; DELETE FROM sample;"
        "DELETE FROM node; DELETE FROM frame; DELETE FROM line");
    load_series(loading);
    if (loading->status != HEAPTAP_OK || !put_days(loading, selector))
        return;
    choose(loading, selector);
    load_profiles(loading);
    if (with_samples)
        load_samples(loading);
}

enum heaptap_status clickhouse_load(struct clickhouse *clickhouse, struct database *database,
                                    const struct store_selector *selector, bool with_samples,
                                    struct heaptap_error *error)
{
    struct loading loading = {
        .clickhouse = clickhouse, .database = database, .error = error, .status = HEAPTAP_OK};
    database_run(database, "BEGIN");
    clickhouse_begin_session(clickhouse);
    load(&loading, selector, with_samples);
    clickhouse_end_session(clickhouse);
    database_run(database, "COMMIT");
    if (loading.status != HEAPTAP_OK)
        sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
    text_release(&loading.days);
    return loading.status;
}
