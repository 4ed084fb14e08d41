#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/saturate.h"
#include "store/nodes.h"
#include "store/row.h"
#include "store/store_file.h"
#include "store/sums.h"

/* Profiles of one transaction. */
enum { BATCH_MAX = 256 };

struct adding {
    struct database *database;
    const struct store_upload *upload;
    struct store_sums sums;
    struct store_nodes nodes;
    int64_t profile; /* its number */
};

/* ---- Series and profile -------------------------------------------------------------- */

static void put_labels(struct database *database, int64_t series, const struct store_labels *labels)
{
    sqlite3_stmt *statement = database_insert_into(database, "series_label", 3);
    for (size_t i = 0; i < labels->count && database_works(database); i++) {
        struct row row = {statement, 0};
        row_int(&row, series);
        row_text(&row, labels->items[i].key);
        row_text(&row, labels->items[i].value);
        database_put(database, statement);
    }
    database_end(statement);
}

/* The number of the set of labels, perhaps a new one. */
static int64_t series_of(struct database *database, const struct store_labels *labels,
                         const char *text)
{
    sqlite3_stmt *statement = database_prepare(
        database, "INSERT INTO series (labels) VALUES (?) ON CONFLICT DO NOTHING RETURNING id");
    struct row row = {statement, 0};
    int64_t id = 0;
    row_text(&row, text);
    if (database_next(database, statement)) {
        id = sqlite3_column_int64(statement, 0);
        sqlite3_reset(statement);
        put_labels(database, id, labels);
    }
    database_end(statement);
    if (id)
        return id;
    statement = database_prepare(database, "SELECT id FROM series WHERE labels = ?");
    row = (struct row){statement, 0};
    row_text(&row, text);
    if (database_next(database, statement))
        id = sqlite3_column_int64(statement, 0);
    database_end(statement);
    return id;
}

/* 0 where it was there before. */
static int64_t put_profile(const struct adding *adding, int64_t series)
{
    const struct store_upload *upload = adding->upload;
    sqlite3_stmt *statement = database_prepare(
        adding->database, "INSERT INTO profile (hash, series, from_us, until_us)"
                          " VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id");
    struct row row = {statement, 0};
    row_blob(&row, upload->hash, sizeof upload->hash);
    row_int(&row, series);
    row_int(&row, upload->from_us);
    row_int(&row, upload->until_us);
    int64_t id =
        database_next(adding->database, statement) ? sqlite3_column_int64(statement, 0) : 0;
    database_end(statement);
    return id;
}

/* ---- Sums ---------------------------------------------------------------------------- */

static int64_t type_id(struct database *database, const struct store_type *type)
{
    sqlite3_stmt *statement =
        database_prepare(database, "INSERT INTO type (name, unit, is_level) VALUES (?, ?, ?)"
                                   " ON CONFLICT DO UPDATE SET name = name RETURNING id");
    struct row row = {statement, 0};
    row_text(&row, type->name);
    row_text(&row, type->unit);
    row_int(&row, type->is_level);
    int64_t id = database_next(database, statement) ? sqlite3_column_int64(statement, 0) : 0;
    database_end(statement);
    return id;
}

/* Value, samples and variance, the last columns of a row. */
static void row_sum(struct row *row, const struct store_sum *sum, bool has_error)
{
    row_real(row, sum->value);
    if (has_error) {
        row_int(row, saturate_round(sum->samples));
        row_real(row, sum->variance);
    } else {
        row_null(row);
        row_null(row);
    }
}

static void put_total(const struct adding *adding, int64_t type, const struct store_sum *sum)
{
    sqlite3_stmt *statement = database_insert_into(adding->database, "total", 5);
    struct row row = {statement, 0};
    row_int(&row, adding->profile);
    row_int(&row, type);
    row_sum(&row, sum, adding->sums.has_error);
    database_put(adding->database, statement);
    database_end(statement);
}

static void put_samples(struct adding *adding, int64_t type, sqlite3_stmt *statement)
{
    const struct stack_trie *trie = &adding->sums.model->trie;
    struct store_sum total = {0};
    for (size_t i = 0; i < trie->stack_count && database_works(adding->database); i++) {
        const struct store_sum *sum = &adding->sums.items[i];
        if (sum->value == 0)
            continue;
        struct row row = {statement, 0};
        int64_t node = store_nodes_id(&adding->nodes, trie->ends[i]);
        row_int(&row, adding->profile);
        row_int(&row, type);
        row_int(&row, node);
        row_sum(&row, sum, adding->sums.has_error);
        database_put(adding->database, statement);
        total.value += sum->value;
        total.samples += sum->samples;
        total.variance += sum->variance;
    }
    put_total(adding, type, &total);
}

static void put_types(struct adding *adding)
{
    struct store_type type;
    sqlite3_stmt *statement = database_prepare(adding->database, store_sums_insert);
    for (size_t i = 0; (type = store_sums_type(&adding->sums, i)).name; i++) {
        if (store_sums_is_repeated(&adding->sums, i))
            continue;
        int64_t id = type_id(adding->database, &type);
        store_sums_take(&adding->sums, i);
        put_samples(adding, id, statement);
    }
    database_end(statement);
}

/* ---- All ----------------------------------------------------------------------------- */

/* False when there is no memory. */
static bool put_all(struct adding *adding, const struct model *model)
{
    struct text text = {0};
    store_labels_put(adding->upload->labels, &text);
    text_put_char(&text, 0);
    bool done = !text.failed;
    if (done)
        adding->profile =
            put_profile(adding, series_of(adding->database, adding->upload->labels, text.bytes));
    text_release(&text);
    if (!done || !adding->profile)
        return done;
    done = store_sums_init(&adding->sums, model, adding->upload);
    if (done && (done = store_nodes_init(&adding->nodes, adding->database, model)))
        put_types(adding);
    store_nodes_release(&adding->nodes);
    store_sums_release(&adding->sums);
    return done;
}

/* As part of the transaction that is under way. */
static enum heaptap_status add_to_file(struct store *store, const struct store_upload *upload,
                                       const struct model *model, bool *is_new,
                                       struct heaptap_error *error)
{
    struct adding adding = {.database = &store->database, .upload = upload};
    database_run(&store->database, "SAVEPOINT one");
    bool done = put_all(&adding, model);
    *is_new = adding.profile != 0;
    enum heaptap_status status = done ? store_outcome(store, error) : error_no_memory(error);
    if (status != HEAPTAP_OK)
        sqlite3_exec(store->database.handle, "ROLLBACK TO one", NULL, NULL, NULL);
    database_run(&store->database, "RELEASE one");
    store->added += status == HEAPTAP_OK;
    return status;
}

enum heaptap_status store_begin(struct store *store, struct heaptap_error *error)
{
    store->added = 0;
    enum heaptap_status status = store->clickhouse ? HEAPTAP_OK : store_follow(store, error);
    if (status != HEAPTAP_OK)
        return status;
    if (!store->clickhouse)
        database_run(&store->database, "BEGIN IMMEDIATE");
    return store_outcome(store, error);
}

enum heaptap_status store_add(struct store *store, const struct store_upload *upload,
                              const struct model *model, bool *is_new, struct heaptap_error *error)
{
    enum heaptap_status status =
        store->clickhouse ? clickhouse_add(store->clickhouse, upload, model, is_new, error)
                          : add_to_file(store, upload, model, is_new, error);
    if (status == HEAPTAP_OK)
        recent_series_note(&store->recent, upload);
    return status;
}

bool store_is_full(const struct store *store)
{
    return store->clickhouse ? clickhouse_is_full(store->clickhouse) : store->added >= BATCH_MAX;
}

enum heaptap_status store_seal(struct store *store, struct heaptap_error *error)
{
    if (store->clickhouse)
        return clickhouse_seal(store->clickhouse, error);
    database_run(&store->database, "COMMIT");
    enum heaptap_status status = store_outcome(store, error);
    if (sqlite3_get_autocommit(store->database.handle) == 0)
        sqlite3_exec(store->database.handle, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

enum heaptap_status store_send(struct store *store, struct heaptap_error *error)
{
    return store->clickhouse ? clickhouse_send(store->clickhouse, error) : HEAPTAP_OK;
}

int64_t store_patience_us(const struct store *store)
{
    static const int64_t clickhouse_us = 200000;
    return store->clickhouse ? clickhouse_us : 0;
}
