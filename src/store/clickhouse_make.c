/* The tables of a store in ClickHouse.  They are those of fleet.sql but for keys: series and types are known by 64-bit hashes
 * of their text, frames and nodes by 128-bit hashes, stacks by the first 64 bits of their last node's: of ten million
 * stacks, two have the same in one of 370 000 stores.
 *
 * Samples are in the order of type, series, stack and time.  So the stack, the longest column, changes seldom, and the
 * profiles of one stack are those of the next: both nearly vanish when compressed.  Days are partitions, to drop them as a
 * whole.
 *
 * On a cluster the rows of profiles, totals and samples are in NAME_local, which ZooKeeper keeps the same on all replicas of
 * a shard; NAME itself has none, and spreads what is inserted over the shards by series.  What explains them, series,
 * types, stacks and lines, is the same on all servers, so that an answer that lacks a shard still has all names. */
#include <stdio.h>

#include "base/error.h"
#include "store/clickhouse_wire.h"

static const struct table {
    const char *name, *columns, *engine, *order;
    bool is_spread; /* over the shards, by series */
} tables[] = {
    {"series", "id UInt64, labels String", "ReplacingMergeTree", "ORDER BY id", false},
    {"series_label", "series UInt64, key String, value String", "ReplacingMergeTree",
     "ORDER BY (series, key)", false},
    {"type", "id UInt64, name String, unit String, is_level UInt8", "ReplacingMergeTree",
     "ORDER BY id", false},
    {"line", "frame FixedString(16), depth UInt32, function String, file String, line UInt32",
     "ReplacingMergeTree", "ORDER BY (frame, depth)", false},
    /* The nodes from the root to the stack's end, and the frame of each: long rows, of which few are looked up. */
    {"stack", "id UInt64, nodes Array(FixedString(16)), frames Array(FixedString(16))",
     "ReplacingMergeTree", "ORDER BY id SETTINGS index_granularity = 256", false},
    /* attempt: the second in the upper half, a random number in the lower one. */
    {"profile",
     "series UInt64, attempt UInt64, hash FixedString(16), from_us Int64, until_us Int64, day Date",
     "MergeTree", "PARTITION BY day ORDER BY (series, attempt)", true},
    /* samples and variance are -1 where the profile does not say. */
    {"total",
     "series UInt64, attempt UInt64, type UInt64, value Float64, samples Int64, variance Float64,"
     " day Date",
     "MergeTree", "PARTITION BY day ORDER BY (series, attempt, type)", true},
    {"sample",
     "series UInt64, attempt UInt64, type UInt64, stack UInt64, value Float64, samples Int64,"
     " variance Float32, day Date",
     "MergeTree", "PARTITION BY day ORDER BY (type, series, stack, attempt)", true},
};

enum { QUERY_MAX = 1024, TABLE_COUNT = sizeof tables / sizeof tables[0] };

static enum heaptap_status tell(struct clickhouse *clickhouse, const char *query,
                                struct heaptap_error *error)
{
    return clickhouse_ask(clickhouse, query, NULL, NULL, error);
}

/* ---- On one server ------------------------------------------------------------------- */

static enum heaptap_status make_version(struct clickhouse *clickhouse, const char *database,
                                        struct heaptap_error *error)
{
    char query[QUERY_MAX];
    int64_t version = 0;
    snprintf(query, sizeof query,
             "CREATE TABLE IF NOT EXISTS %s.heaptap_version (version UInt32)"
             " ENGINE = MergeTree() ORDER BY version",
             database);
    enum heaptap_status status = tell(clickhouse, query, error);
    snprintf(query, sizeof query, "SELECT max(version) FROM %s.heaptap_version", database);
    if (status == HEAPTAP_OK)
        status = clickhouse_number(clickhouse, query, &version, error);
    snprintf(query, sizeof query, "INSERT INTO %s.heaptap_version VALUES (%d)", database,
             CLICKHOUSE_VERSION);
    return status == HEAPTAP_OK && version == 0 ? tell(clickhouse, query, error) : status;
}

/* The version comes last: with it, all is there. */
enum heaptap_status clickhouse_make(struct clickhouse *clickhouse, const char *database,
                                    struct heaptap_error *error)
{
    char query[QUERY_MAX];
    snprintf(query, sizeof query, "CREATE DATABASE IF NOT EXISTS %s", database);
    enum heaptap_status status = tell(clickhouse, query, error);
    for (size_t i = 0; i < TABLE_COUNT && status == HEAPTAP_OK; i++) {
        const struct table *table = &tables[i];
        snprintf(query, sizeof query, "CREATE TABLE IF NOT EXISTS %s.%s (%s) ENGINE = %s() %s",
                 database, table->name, table->columns, table->engine, table->order);
        status = tell(clickhouse, query, error);
    }
    return status == HEAPTAP_OK ? make_version(clickhouse, database, error) : status;
}

/* ---- On a cluster -------------------------------------------------------------------- */

/* Replicas that share a path hold the same rows; `suffix` is that of the table's name. */
static enum heaptap_status make_replicated(struct clickhouse *clickhouse, const char *database,
                                           const char *cluster, const struct table *table,
                                           const char *suffix, const char *path,
                                           const char *replica, struct heaptap_error *error)
{
    char query[QUERY_MAX];
    snprintf(query, sizeof query,
             "CREATE TABLE IF NOT EXISTS %s.%s%s ON CLUSTER %s (%s) ENGINE ="
             " Replicated%s('/heaptap/%s/%s/%s', '%s') %s",
             database, table->name, suffix, cluster, table->columns, table->engine, path, database,
             table->name, replica, table->order);
    return tell(clickhouse, query, error);
}

static enum heaptap_status make_everywhere(struct clickhouse *clickhouse, const char *database,
                                           const char *cluster, const struct table *table,
                                           struct heaptap_error *error)
{
    return make_replicated(clickhouse, database, cluster, table, "", "all", "{shard}-{replica}",
                           error);
}

static enum heaptap_status make_spread(struct clickhouse *clickhouse, const char *database,
                                       const char *cluster, const struct table *table,
                                       struct heaptap_error *error)
{
    char query[QUERY_MAX];
    enum heaptap_status status = make_replicated(clickhouse, database, cluster, table, "_local",
                                                 "shards/{shard}", "{replica}", error);
    snprintf(query, sizeof query,
             "CREATE TABLE IF NOT EXISTS %s.%s ON CLUSTER %s (%s) ENGINE ="
             " Distributed(%s, %s, %s_local, series)",
             database, table->name, cluster, table->columns, cluster, database, table->name);
    return status == HEAPTAP_OK ? tell(clickhouse, query, error) : status;
}

enum heaptap_status clickhouse_make_on(struct clickhouse *clickhouse, const char *database,
                                       const char *cluster, struct heaptap_error *error)
{
    char query[QUERY_MAX];
    int64_t shards;
    snprintf(query, sizeof query,
             "SELECT uniqExact(shard_num) FROM system.clusters WHERE cluster = '%s'", cluster);
    enum heaptap_status status = clickhouse_number(clickhouse, query, &shards, error);
    if (status == HEAPTAP_OK && shards == 0)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "the server knows no cluster '%s': see its remote_servers", cluster);
    snprintf(query, sizeof query, "CREATE DATABASE IF NOT EXISTS %s ON CLUSTER %s", database,
             cluster);
    if (status == HEAPTAP_OK)
        status = tell(clickhouse, query, error);
    for (size_t i = 0; i < TABLE_COUNT && status == HEAPTAP_OK; i++)
        status = (tables[i].is_spread ? make_spread : make_everywhere)(clickhouse, database,
                                                                       cluster, &tables[i], error);
    snprintf(query, sizeof query,
             "CREATE VIEW IF NOT EXISTS %s.heaptap_version ON CLUSTER %s AS"
             " SELECT toUInt32(%d) AS version",
             database, cluster, CLICKHOUSE_VERSION);
    return status == HEAPTAP_OK ? tell(clickhouse, query, error) : status;
}
