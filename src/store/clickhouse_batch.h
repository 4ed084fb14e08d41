/* Profiles on their way to ClickHouse: rows, table by table, that are sent together.
 *
 * ClickHouse wants few inserts of many rows.  So a batch holds the rows of many profiles; and rows of tables that many
 * profiles share, such as those of stacks, are put into it only where this process has not sent them before.  What it
 * has sent it remembers in sets of a bounded size; when one is full it is emptied, and what comes is sent again.  Rows
 * that are there twice are harmless: ClickHouse keeps one of them (ReplacingMergeTree), and queries ask for one. */
#ifndef STORE_CLICKHOUSE_BATCH_H
#define STORE_CLICKHOUSE_BATCH_H

#include "base/map.h"
#include "store/store.h"

/* In the order in which they are sent: what a row needs comes before it, a profile's own row last. */
enum batch_table {
    BATCH_TYPE,
    BATCH_LINE,
    BATCH_STACK,
    BATCH_SERIES_LABEL,
    BATCH_SERIES,
    BATCH_SAMPLE,
    BATCH_TOTAL,
    BATCH_PROFILE,
    BATCH_TABLES
};

/* The rows of one profile are one after the other in each table. */
struct batch_profile {
    uint64_t series, attempt;
    uint8_t hash[STORE_HASH_BYTES];
    uint16_t day;
    bool *is_new;              /* the caller's; set when the batch is stored */
    size_t ends[BATCH_TABLES]; /* where its rows end */
};

struct clickhouse_batch {
    struct text rows[BATCH_TABLES]; /* RowBinary */
    struct batch_profile *profiles;
    size_t count, capacity;
};

/* What was put into a batch, perhaps one that was sent before: by the first 64 bits of hashes, frames and stacks with the
 * next 32, so that 96 bits have to agree. */
struct clickhouse_known {
    struct map types, frames, stacks, series;
};

void clickhouse_known_release(struct clickhouse_known *known);

/* Is the key new to the set?  It is in it after that.  Without memory all is new. */
bool clickhouse_known_learn(struct map *set, uint64_t key, uint32_t more);

/* When a batch is full, and what a set of what is known may hold: 32 bytes each. */
enum { BATCH_BYTES_MAX = 16 << 20, BATCH_PROFILES_MAX = 1000, BATCH_KNOWN_MAX = 1 << 19 };

void clickhouse_batch_release(struct clickhouse_batch *batch);

bool clickhouse_batch_is_full(const struct clickhouse_batch *batch);

void clickhouse_batch_empty(struct clickhouse_batch *batch);

/* Puts the rows of a profile, whether the server has it or not.  `is_new` is remembered. */
enum heaptap_status clickhouse_batch_add(struct clickhouse_batch *batch,
                                         struct clickhouse_known *known,
                                         const struct store_upload *upload,
                                         const struct model *model, bool *is_new,
                                         struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
