/* A profile on its way from the database in memory to ClickHouse: what it needs first, its own row last.  Series, types,
 * frames and stacks that this process sent before are not sent again; those that another did are sent again, and
 * ClickHouse keeps one of them. */
#include <string.h>

#include "base/error.h"
#include "store/clickhouse_wire.h"
#include "store/row.h"
#include "store/row_binary.h"

enum { HASH_BYTES = 16 };

struct sending {
    struct clickhouse *clickhouse;
    struct database *database;
    struct heaptap_error *error;
    enum heaptap_status status;
    int64_t profile, until_us;
    uint64_t series, attempt;
};

/* ---- Rows ---------------------------------------------------------------------------- */

static void put_column_text(struct text *rows, sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    binary_put_string(rows, text ? text : "", (size_t)sqlite3_column_bytes(statement, column));
}

static void put_column_hash(struct text *rows, sqlite3_stmt *statement, int column)
{
    static const char none[HASH_BYTES];
    const char *hash = sqlite3_column_blob(statement, column);
    bool is_hash = hash && sqlite3_column_bytes(statement, column) == HASH_BYTES;
    text_put(rows, is_hash ? hash : none, HASH_BYTES);
}

static uint64_t column_id(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return clickhouse_id(text ? text : "", (size_t)sqlite3_column_bytes(statement, column));
}

static void put_series(struct sending *sending, sqlite3_stmt *row, struct text *rows)
{
    (void)sending;
    binary_put_u64(rows, column_id(row, 0));
    put_column_text(rows, row, 0);
}

static void put_label(struct sending *sending, sqlite3_stmt *row, struct text *rows)
{
    (void)sending;
    binary_put_u64(rows, column_id(row, 0));
    put_column_text(rows, row, 1);
    put_column_text(rows, row, 2);
}

static void put_type(struct sending *sending, sqlite3_stmt *row, struct text *rows)
{
    (void)sending;
    binary_put_u64(rows, column_id(row, 0));
    put_column_text(rows, row, 1);
    put_column_text(rows, row, 2);
    text_put_char(rows, (char)sqlite3_column_int(row, 3));
}

static void put_line(struct sending *sending, sqlite3_stmt *row, struct text *rows)
{
    (void)sending;
    put_column_hash(rows, row, 0);
    binary_put_u32(rows, (uint32_t)sqlite3_column_int64(row, 1));
    put_column_text(rows, row, 2);
    put_column_text(rows, row, 3);
    binary_put_u32(rows, (uint32_t)sqlite3_column_int64(row, 4));
}

/* Value, samples, variance and day. */
static void put_sum(const struct sending *sending, sqlite3_stmt *row, int column, struct text *rows)
{
    bool has_error = sqlite3_column_type(row, column + 2) != SQLITE_NULL;
    binary_put_real(rows, sqlite3_column_double(row, column));
    binary_put_u64(rows, has_error ? (uint64_t)sqlite3_column_int64(row, column + 1) : UINT64_MAX);
    binary_put_real(rows, has_error ? sqlite3_column_double(row, column + 2) : -1);
    binary_put_u16(rows, clickhouse_day(sending->until_us));
}

static void put_sample(struct sending *sending, sqlite3_stmt *row, struct text *rows)
{
    binary_put_u64(rows, sending->series);
    binary_put_u64(rows, sending->attempt);
    binary_put_u64(rows, column_id(row, 0));
    put_column_hash(rows, row, 1);
    put_sum(sending, row, 2, rows);
}

static void put_total(struct sending *sending, sqlite3_stmt *row, struct text *rows)
{
    binary_put_u64(rows, sending->series);
    binary_put_u64(rows, sending->attempt);
    binary_put_u64(rows, column_id(row, 0));
    put_sum(sending, row, 1, rows);
}

static void put_profile(struct sending *sending, sqlite3_stmt *row, struct text *rows)
{
    binary_put_u64(rows, sending->series);
    binary_put_u64(rows, sending->attempt);
    put_column_hash(rows, row, 0);
    binary_put_u64(rows, (uint64_t)sqlite3_column_int64(row, 1));
    binary_put_u64(rows, (uint64_t)sending->until_us);
    binary_put_u16(rows, clickhouse_day(sending->until_us));
}

/* The node's way from the root: its number, those of its nodes and of their frames. */
static void put_stack(struct sending *sending, sqlite3_stmt *row, struct text *rows)
{
    struct text nodes = {0}, frames = {0};
    size_t count = 0;
    sqlite3_stmt *way = database_prepare(
        sending->database,
        "WITH RECURSIVE up (id, parent, hash, frame) AS"
        " (SELECT id, parent, hash, frame FROM node WHERE id = ? UNION ALL"
        "  SELECT node.id, node.parent, node.hash, node.frame FROM node JOIN up"
        "  ON node.id = up.parent)"
        " SELECT up.hash, frame.hash FROM up JOIN frame ON frame.id = up.frame ORDER BY up.id");
    struct row id = {way, 0};
    row_int(&id, sqlite3_column_int64(row, 0));
    for (; database_next(sending->database, way); count++) {
        put_column_hash(&nodes, way, 0);
        put_column_hash(&frames, way, 1);
    }
    database_end(way);
    put_column_hash(rows, row, 1);
    binary_put_size(rows, count);
    text_put(rows, nodes.bytes, nodes.size);
    binary_put_size(rows, count);
    text_put(rows, frames.bytes, frames.size);
    rows->failed |= nodes.failed || frames.failed;
    text_release(&nodes);
    text_release(&frames);
}

/* ---- Tables -------------------------------------------------------------------------- */

/* What goes into each table, in this order.  The query's parameter is the profile, or, where it is written :sent, the
 * last row of the table that was sent before. */
static const struct part {
    const char *insert, *query;
    void (*put)(struct sending *sending, sqlite3_stmt *row, struct text *rows);
} parts[] = {
    {"INSERT INTO type FORMAT RowBinary",
     "SELECT name || char(10) || unit, name, unit, is_level FROM type WHERE id > ?2", put_type},
    {"INSERT INTO line FORMAT RowBinary",
     "SELECT hash, depth, function, file, line FROM line JOIN frame ON frame.id = line.frame"
     " WHERE frame.id > ?3 ORDER BY frame.id, depth",
     put_line},
    {"INSERT INTO stack FORMAT RowBinary",
     "SELECT DISTINCT sample.node, node.hash FROM sample LEFT JOIN node ON node.id = sample.node"
     " WHERE profile = ?1 AND sample.node NOT IN (SELECT node FROM sent_stack)",
     put_stack},
    {"INSERT INTO series_label FORMAT RowBinary",
     "SELECT labels, key, value FROM series_label JOIN series ON id = series WHERE id > ?4",
     put_label},
    {"INSERT INTO series FORMAT RowBinary", "SELECT labels FROM series WHERE id > ?4", put_series},
    {"INSERT INTO sample FORMAT RowBinary",
     "SELECT name || char(10) || unit, hash, value, samples, variance FROM sample"
     " JOIN type ON type.id = type LEFT JOIN node ON node.id = node WHERE profile = ?1",
     put_sample},
    {"INSERT INTO total FORMAT RowBinary",
     "SELECT name || char(10) || unit, value, samples, variance FROM total"
     " JOIN type ON type.id = type WHERE profile = ?1",
     put_total},
    {"INSERT INTO profile FORMAT RowBinary", "SELECT hash, from_us FROM profile WHERE id = ?1",
     put_profile},
};

static void send_part(struct sending *sending, const struct part *part)
{
    const struct clickhouse *clickhouse = sending->clickhouse;
    struct text rows = {0};
    sqlite3_stmt *statement = database_prepare(sending->database, part->query);
    const int64_t parameters[] = {sending->profile, clickhouse->sent_type, clickhouse->sent_frame,
                                  clickhouse->sent_series};
    int count = statement ? sqlite3_bind_parameter_count(statement) : 0;
    for (int i = 0; i < count; i++)
        sqlite3_bind_int64(statement, i + 1, parameters[i]);
    while (database_next(sending->database, statement))
        part->put(sending, statement, &rows);
    database_end(statement);
    if (!database_works(sending->database))
        sending->status =
            error_set(sending->error, HEAPTAP_SYSTEM, "%s", sending->database->message);
    else if (rows.failed)
        sending->status = error_no_memory(sending->error);
    else if (rows.size > 0)
        sending->status =
            clickhouse_ask(sending->clickhouse, part->insert, &rows, NULL, sending->error);
    text_release(&rows);
}

/* Which series and when, and the attempt's number. */
static void begin(struct sending *sending)
{
    sqlite3_stmt *statement = database_prepare(
        sending->database, "SELECT labels, until_us FROM profile"
                           " JOIN series ON series.id = series WHERE profile.id = ?");
    struct row row = {statement, 0};
    row_int(&row, sending->profile);
    if (database_next(sending->database, statement)) {
        sending->series = column_id(statement, 0);
        sending->until_us = sqlite3_column_int64(statement, 1);
    }
    database_end(statement);
    uint32_t number = 0;
    sqlite3_randomness(sizeof number, &number);
    sending->attempt = (uint64_t)(sending->until_us / 1000000) << 32 | number;
}

static void remember(struct clickhouse *clickhouse, struct database *database)
{
    clickhouse->sent_type = database_number(database, "SELECT max(id) FROM type");
    clickhouse->sent_frame = database_number(database, "SELECT max(id) FROM frame");
    clickhouse->sent_series = database_number(database, "SELECT max(id) FROM series");
    database_run(database, "INSERT OR IGNORE INTO sent_stack SELECT DISTINCT node FROM sample");
}

enum heaptap_status clickhouse_send(struct clickhouse *clickhouse, struct database *database,
                                    int64_t profile, struct heaptap_error *error)
{
    struct sending sending = {.clickhouse = clickhouse,
                              .database = database,
                              .error = error,
                              .status = HEAPTAP_OK,
                              .profile = profile};
    database_run(database, "CREATE TEMP TABLE IF NOT EXISTS sent_stack (node INTEGER PRIMARY KEY)");
    begin(&sending);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && sending.status == HEAPTAP_OK; i++)
        send_part(&sending, &parts[i]);
    if (sending.status == HEAPTAP_OK)
        remember(clickhouse, database);
    database_run(database, "DELETE FROM sample; DELETE FROM total; DELETE FROM profile");
    return sending.status;
}
