#include "store/recent_series.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "store/clickhouse_keys.h"
#include "store/row.h"
#include "store/store_file.h"

/* How old what is known may be; where the labels are not known, and where they are. */
static const int64_t unknown_us = INT64_C(5) * 1000000, known_us = INT64_C(600) * 1000000;

static int64_t since_us(void)
{
    return clock_us(CLOCK_REALTIME) - (int64_t)STORE_RECENT_DAYS * 86400 * 1000000;
}

void recent_series_release(struct recent_series *recent)
{
    map_release(&recent->ids);
    *recent = (struct recent_series){0};
}

static bool learn(struct recent_series *recent, uint64_t id)
{
    bool fresh;
    return map_put(&recent->ids, id, 0, &fresh);
}

/* 0 where there is no memory. */
static uint64_t id_of(const struct store_labels *labels)
{
    struct text text = {0};
    store_labels_put(labels, &text);
    uint64_t id = text.failed ? 0 : clickhouse_id(text.bytes ? text.bytes : "", text.size);
    text_release(&text);
    return id;
}

/* ---- Asking -------------------------------------------------------------------------- */

static enum heaptap_status ask_file(struct store *store, struct heaptap_error *error)
{
    bool done = true;
    sqlite3_stmt *statement =
        database_prepare(&store->database, "SELECT labels FROM series WHERE id IN"
                                           " (SELECT series FROM profile WHERE until_us > ?)");
    struct row row = {statement, 0};
    row_int(&row, since_us());
    while (done && database_next(&store->database, statement)) {
        const char *labels = (const char *)sqlite3_column_text(statement, 0);
        done = learn(&store->recent, clickhouse_id(labels, strlen(labels)));
    }
    database_end(statement);
    enum heaptap_status status = store_outcome(store, error);
    return status == HEAPTAP_OK && !done ? error_no_memory(error) : status;
}

static enum heaptap_status ask(struct store *store, struct heaptap_error *error)
{
    recent_series_release(&store->recent);
    enum heaptap_status status =
        store->clickhouse
            ? clickhouse_recent_series(store->clickhouse, since_us(), &store->recent.ids, error)
            : ask_file(store, error);
    store->recent.asked_us = status == HEAPTAP_OK ? clock_us(CLOCK_MONOTONIC) : 0;
    return status;
}

enum heaptap_status recent_series_count(struct store *store, const struct store_labels *labels,
                                        size_t *count, bool *is_one, struct heaptap_error *error)
{
    struct recent_series *recent = &store->recent;
    uint64_t id = id_of(labels);
    int64_t age_us = clock_us(CLOCK_MONOTONIC) - recent->asked_us;
    enum heaptap_status status = HEAPTAP_OK;
    if (id == 0)
        return error_no_memory(error);
    if (recent->asked_us == 0 || age_us > (map_find(&recent->ids, id) ? known_us : unknown_us))
        status = ask(store, error);
    *is_one = map_find(&recent->ids, id) != NULL;
    *count = recent->ids.count;
    return status;
}

void recent_series_note(struct recent_series *recent, const struct store_upload *upload)
{
    uint64_t id = upload->until_us > since_us() ? id_of(upload->labels) : 0;
    if (id)
        learn(recent, id); /* without memory it is asked for */
}
