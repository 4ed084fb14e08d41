/* A batch on its way to ClickHouse: what profiles need first, their own rows last.  So a profile whose batch was cut off
 * halfway is not there, and its sender, who was told so or got no answer, sends it again.  One that is there already,
 * which its hash says, is not sent. */
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "store/clickhouse_keys.h"
#include "store/clickhouse_wire.h"
#include "store/row_binary.h"

static const char *const inserts[BATCH_TABLES] = {
    [BATCH_TYPE] = "INSERT INTO type FORMAT RowBinary",
    [BATCH_LINE] = "INSERT INTO line FORMAT RowBinary",
    [BATCH_STACK] = "INSERT INTO stack FORMAT RowBinary",
    [BATCH_SERIES_LABEL] = "INSERT INTO series_label FORMAT RowBinary",
    [BATCH_SERIES] = "INSERT INTO series FORMAT RowBinary",
    [BATCH_SAMPLE] = "INSERT INTO sample FORMAT RowBinary",
    [BATCH_TOTAL] = "INSERT INTO total FORMAT RowBinary",
    [BATCH_PROFILE] = "INSERT INTO profile FORMAT RowBinary",
};

/* ---- Profiles that are there --------------------------------------------------------- */

static void put_literal(struct text *query, const uint8_t *hash)
{
    static const char digits[] = "0123456789abcdef";
    text_put_char(query, '\'');
    for (size_t i = 0; i < STORE_HASH_BYTES; i++) {
        text_put_string(query, "\\x");
        text_put_char(query, digits[hash[i] >> 4]);
        text_put_char(query, digits[hash[i] & 15]);
    }
    text_put_char(query, '\'');
}

/* By day and series, which are the keys of the table, and by hash. */
static void put_question(struct text *query, const struct clickhouse_batch *batch)
{
    static const char *const parts[] = {"SELECT hash FROM profile WHERE day IN (",
                                        ") AND series IN (", ") AND hash IN ("};
    for (size_t part = 0; part < sizeof parts / sizeof parts[0]; part++) {
        text_put_string(query, parts[part]);
        for (size_t i = 0; i < batch->count; i++) {
            const struct batch_profile *profile = &batch->profiles[i];
            if (i > 0)
                text_put_char(query, ',');
            if (part == 0)
                text_put_string(query, "toDate(");
            if (part < 2)
                text_put_uint(query, part == 0 ? profile->day : profile->series, 1);
            else
                put_literal(query, profile->hash);
            if (part == 0)
                text_put_char(query, ')');
        }
    }
    text_put_string(query, ") FORMAT RowBinary");
    text_put_char(query, 0);
}

static int compare_hashes(const void *a, const void *b)
{
    return memcmp(a, b, STORE_HASH_BYTES);
}

/* Sets `is_new`, false for those that are there, and for all but the first of equal ones in the batch. */
static void mark(struct clickhouse_batch *batch, struct text *there)
{
    size_t count = there->size / STORE_HASH_BYTES;
    if (count > 0)
        qsort(there->bytes, count, STORE_HASH_BYTES, compare_hashes);
    for (size_t i = 0; i < batch->count; i++) {
        const uint8_t *hash = batch->profiles[i].hash;
        bool known = count > 0 &&
                     bsearch(hash, there->bytes, count, STORE_HASH_BYTES, compare_hashes) != NULL;
        for (size_t k = 0; k < i && !known; k++)
            known = compare_hashes(hash, batch->profiles[k].hash) == 0;
        *batch->profiles[i].is_new = !known;
    }
}

static enum heaptap_status find_new(struct clickhouse *clickhouse, struct heaptap_error *error)
{
    struct text query = {0}, answer = {0};
    put_question(&query, &clickhouse->batch);
    enum heaptap_status status =
        query.failed ? error_no_memory(error)
                     : clickhouse_ask(clickhouse, query.bytes, NULL, &answer, error);
    if (status == HEAPTAP_OK)
        mark(&clickhouse->batch, &answer);
    text_release(&query);
    text_release(&answer);
    return status;
}

/* Takes the rows of profiles that are not new out of the tables from samples on. */
static void drop_old(struct clickhouse_batch *batch)
{
    for (size_t table = BATCH_SAMPLE; table < BATCH_TABLES; table++) {
        struct text *rows = &batch->rows[table];
        size_t from = 0, to = 0;
        for (size_t i = 0; i < batch->count; i++) {
            size_t end = batch->profiles[i].ends[table];
            if (*batch->profiles[i].is_new) {
                memmove(rows->bytes + to, rows->bytes + from, end - from);
                to += end - from;
            }
            from = end;
        }
        rows->size = to;
    }
}

/* ---- The batch ----------------------------------------------------------------------- */

enum heaptap_status clickhouse_add(struct clickhouse *clickhouse, const struct store_upload *upload,
                                   const struct model *model, bool *is_new,
                                   struct heaptap_error *error)
{
    return clickhouse_batch_add(&clickhouse->batch, &clickhouse->known, upload, model, is_new,
                                error);
}

bool clickhouse_is_full(const struct clickhouse *clickhouse)
{
    return clickhouse_batch_is_full(&clickhouse->batch);
}

static enum heaptap_status send_rows(struct clickhouse *clickhouse, struct heaptap_error *error)
{
    enum heaptap_status status = find_new(clickhouse, error);
    if (status == HEAPTAP_OK)
        drop_old(&clickhouse->batch);
    for (size_t i = 0; i < BATCH_TABLES && status == HEAPTAP_OK; i++) {
        const struct text *rows = &clickhouse->batch.rows[i];
        if (rows->failed)
            status = error_no_memory(error);
        else if (rows->size > 0)
            status = clickhouse_ask(clickhouse, inserts[i], rows, NULL, error);
    }
    return status;
}

/* Rows that the batch before had and that this one counted on are not there if that failed. */
enum heaptap_status clickhouse_seal(struct clickhouse *clickhouse, struct heaptap_error *error)
{
    struct clickhouse *sender = clickhouse->sender;
    if (sender->has_failed) {
        sender->has_failed = false;
        *error = sender->error;
        clickhouse_batch_empty(&clickhouse->batch);
        clickhouse_known_release(&clickhouse->known);
        return HEAPTAP_SYSTEM;
    }
    struct clickhouse_batch sealed = clickhouse->batch;
    clickhouse->batch = sender->batch;
    sender->batch = sealed;
    return HEAPTAP_OK;
}

enum heaptap_status clickhouse_send(struct clickhouse *clickhouse, struct heaptap_error *error)
{
    struct clickhouse *sender = clickhouse->sender;
    enum heaptap_status status =
        sender->batch.count > 0 ? send_rows(sender, &sender->error) : HEAPTAP_OK;
    sender->has_failed = status != HEAPTAP_OK;
    if (sender->has_failed)
        *error = sender->error;
    clickhouse_batch_empty(&sender->batch);
    return status;
}

/* ---- Series -------------------------------------------------------------------------- */

enum heaptap_status clickhouse_recent_series(struct clickhouse *clickhouse, int64_t since_us,
                                             struct map *ids, struct heaptap_error *error)
{
    char query[256];
    bool fresh, done = true;
    struct text answer = {0};
    snprintf(query, sizeof query,
             "SELECT DISTINCT series FROM profile WHERE day >= toDate(%u) AND until_us > %lld"
             " FORMAT RowBinary",
             clickhouse_day(since_us), (long long)since_us);
    enum heaptap_status status = clickhouse_ask(clickhouse, query, NULL, &answer, error);
    struct binary in = binary_of(&answer);
    while (status == HEAPTAP_OK && done && binary_more(&in))
        done = map_put(ids, binary_u64(&in), 0, &fresh);
    text_release(&answer);
    return status == HEAPTAP_OK && !done ? error_no_memory(error) : status;
}
