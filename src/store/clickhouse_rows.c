#include "store/clickhouse_rows.h"

#include <xxhash.h>

#include "store/row.h"
#include "store/row_binary.h"
#include "store/sums.h"

enum { HASH_BYTES = 16 };

/* One kind's statements, while its rows are put. */
struct putting {
    struct clickhouse_rows *rows;
    sqlite3_stmt *put, *put_frame;
    struct binary in;
    /* Of sums: the type that came last, the profile that stands for it, and what its weight divides by. */
    int64_t type, first;
    double divisor;
};

/* ---- Numbers ------------------------------------------------------------------------- */

static uint64_t key_of(const char *hash)
{
    uint64_t key;
    memcpy(&key, hash, sizeof key);
    return key;
}

/* The number of a key; the next one, with `*fresh`, where it has none yet.  0 when there is no memory. */
static int64_t number_of(struct clickhouse_rows *rows, struct map *map, uint64_t key, bool *fresh)
{
    uint32_t *number = map_put(map, key, (uint32_t)map->count + 1, fresh);
    rows->failed |= !number;
    return number ? *number : 0;
}

static int64_t find(const struct map *map, uint64_t key)
{
    const uint32_t *number = map_find(map, key);
    return number ? *number : 0;
}

/* Of a series and an attempt. */
static uint64_t profile_key(struct binary *in)
{
    const char *bytes = binary_bytes(in, HASH_BYTES);
    return bytes ? XXH3_64bits(bytes, HASH_BYTES) : 0;
}

/* ---- Columns ------------------------------------------------------------------------- */

static void bind_string(struct row *row, struct binary *in)
{
    size_t size = binary_size(in);
    const char *bytes = binary_bytes(in, size);
    sqlite3_bind_text64(row->statement, ++row->column, bytes ? bytes : "", bytes ? size : 0,
                        SQLITE_STATIC, SQLITE_UTF8);
}

static void bind_number(struct row *row, struct binary *in)
{
    row_int(row, (int64_t)binary_u64(in));
}

/* Value, times `factor`, samples and variance; the last two are nothing where they are negative. */
static void bind_sum(struct row *row, struct binary *in, double factor)
{
    row_real(row, binary_real(in) * factor);
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

/* ---- Rows ---------------------------------------------------------------------------- */

static void bind_series(struct putting *putting, struct row *row)
{
    bind_number(row, &putting->in);
    bind_string(row, &putting->in);
}

static void bind_label(struct putting *putting, struct row *row)
{
    bind_number(row, &putting->in);
    bind_string(row, &putting->in);
    bind_string(row, &putting->in);
}

static void bind_type(struct putting *putting, struct row *row)
{
    bind_number(row, &putting->in);
    bind_string(row, &putting->in);
    bind_string(row, &putting->in);
    bind_number(row, &putting->in);
}

/* Its hash in memory is the series and the attempt. */
static void bind_profile(struct putting *putting, struct row *row)
{
    bool fresh;
    const char *bytes = binary_bytes(&putting->in, HASH_BYTES);
    if (!bytes)
        return;
    row_int(row, number_of(putting->rows, &putting->rows->profiles, XXH3_64bits(bytes, HASH_BYTES),
                           &fresh));
    row_blob(row, bytes, HASH_BYTES);
    row_int(row, (int64_t)key_of(bytes));
    bind_number(row, &putting->in);
    bind_number(row, &putting->in);
}

static void bind_total(struct putting *putting, struct row *row)
{
    row_int(row, find(&putting->rows->profiles, profile_key(&putting->in)));
    bind_number(row, &putting->in);
    bind_sum(row, &putting->in, 1);
}

static void bind_passing(struct putting *putting, struct row *row)
{
    row_int(row, find(&putting->rows->profiles, profile_key(&putting->in)));
    bind_number(row, &putting->in);
    row_int(row, 1);
    bind_sum(row, &putting->in, 1);
}

static void bind_line(struct putting *putting, struct row *row)
{
    const char *frame = binary_bytes(&putting->in, HASH_BYTES);
    row_int(row, frame ? find(&putting->rows->frames, key_of(frame)) : 0);
    bind_number(row, &putting->in);
    bind_string(row, &putting->in);
    bind_string(row, &putting->in);
    bind_number(row, &putting->in);
}

/* Which profile stands for all that have a type: the first; its weight as choose.c has it. */
static void find_first(struct putting *putting, int64_t type)
{
    struct database *database = putting->rows->database;
    sqlite3_stmt *statement = database_prepare(
        database, "SELECT profile, CASE (SELECT is_level FROM type WHERE id = ?1) WHEN 1 THEN"
                  " (SELECT count(*) FROM total AS other JOIN profile ON profile.id = other.profile"
                  "  WHERE other.type = ?1 AND series ="
                  "  (SELECT series FROM profile WHERE id = total.profile)) ELSE 1 END"
                  " FROM total WHERE type = ?1 ORDER BY profile LIMIT 1");
    struct row row = {statement, 0};
    row_int(&row, type);
    bool is_there = database_next(database, statement);
    putting->type = type;
    putting->first = is_there ? sqlite3_column_int64(statement, 0) : 0;
    putting->divisor = is_there ? sqlite3_column_double(statement, 1) : 1;
    database_end(statement);
}

static void bind_sample(struct putting *putting, struct row *row)
{
    int64_t type = (int64_t)binary_u64(&putting->in);
    if (!putting->first || putting->type != type)
        find_first(putting, type);
    row_int(row, putting->first);
    row_int(row, type);
    row_int(row, find(&putting->rows->stacks, binary_u64(&putting->in)));
    bind_sum(row, &putting->in, putting->divisor);
}

static int64_t put_frame(struct putting *putting, const char *hash)
{
    bool fresh = false;
    int64_t number = number_of(putting->rows, &putting->rows->frames, key_of(hash), &fresh);
    if (fresh) {
        struct row row = {putting->put_frame, 0};
        row_int(&row, number);
        row_blob(&row, hash, HASH_BYTES);
        database_put(putting->rows->database, putting->put_frame);
    }
    return number;
}

/* A stack is its nodes from the root on, and their frames. */
static void put_stack(struct putting *putting)
{
    struct binary *in = &putting->in;
    struct clickhouse_rows *rows = putting->rows;
    uint64_t id = binary_u64(in);
    size_t count = binary_size(in);
    size_t size = count <= in->left / HASH_BYTES ? count * HASH_BYTES : SIZE_MAX;
    const char *nodes = binary_bytes(in, size);
    in->failed |= binary_size(in) != count;
    const char *frames = binary_bytes(in, size);
    int64_t caller = 0;
    bool fresh = false;
    for (size_t at = 0; frames && at < size; at += HASH_BYTES) {
        int64_t node = number_of(rows, &rows->nodes, key_of(nodes + at), &fresh);
        if (fresh) {
            struct row row = {putting->put, 0};
            row_int(&row, node);
            row_int(&row, caller);
            row_int(&row, put_frame(putting, frames + at));
            row_blob(&row, nodes + at, HASH_BYTES);
            database_put(rows->database, putting->put);
        }
        caller = node;
    }
    rows->failed |= !map_put(&rows->stacks, id, (uint32_t)caller, &fresh);
}

/* ---- Answers ------------------------------------------------------------------------- */

static const struct kind {
    const char *insert;
    void (*bind)(struct putting *putting, struct row *row); /* NULL: stacks */
} kinds[] = {
    [ROWS_SERIES] = {"INSERT INTO series VALUES (?, ?)", bind_series},
    [ROWS_LABELS] = {"INSERT INTO series_label VALUES (?, ?, ?)", bind_label},
    [ROWS_TYPES] = {"INSERT INTO type VALUES (?, ?, ?, ?)", bind_type},
    [ROWS_PROFILE] = {"INSERT INTO profile (id, hash, series, from_us, until_us)"
                      " VALUES (?, ?, ?, ?, ?)",
                      bind_profile},
    [ROWS_TOTALS] = {"INSERT INTO total VALUES (?, ?, ?, ?, ?)", bind_total},
    [ROWS_PASSING] = {store_sums_insert, bind_passing},
    [ROWS_STACKS] = {"INSERT INTO node (id, parent, frame, hash) VALUES (?, ?, ?, ?)", NULL},
    [ROWS_LINES] = {"INSERT INTO line VALUES (?, ?, ?, ?, ?)", bind_line},
    [ROWS_SUMS] = {store_sums_insert, bind_sample},
};

void clickhouse_rows_put(struct clickhouse_rows *rows, enum rows_kind kind,
                         const struct text *answer)
{
    const struct kind *how = &kinds[kind];
    struct putting putting = {
        .rows = rows,
        .put = database_prepare(rows->database, how->insert),
        .put_frame = database_prepare(rows->database, "INSERT INTO frame (id, hash) VALUES (?, ?)"),
        .in = binary_of(answer),
    };
    while (binary_more(&putting.in) && database_works(rows->database)) {
        struct row row = {putting.put, 0};
        if (!how->bind) {
            put_stack(&putting);
            continue;
        }
        how->bind(&putting, &row);
        if (!putting.in.failed)
            database_put(rows->database, putting.put);
    }
    database_end(putting.put);
    database_end(putting.put_frame);
    rows->failed |= putting.in.failed;
}

void clickhouse_rows_release(struct clickhouse_rows *rows)
{
    map_release(&rows->frames);
    map_release(&rows->nodes);
    map_release(&rows->stacks);
    map_release(&rows->profiles);
}
