/* The tables of a store in ClickHouse, and what looks after them.  They are those of fleet.sql but for keys: series and types
 * are known by 64-bit hashes of their text, frames and nodes by 128-bit hashes, stacks by the first 64 bits of their last
 * node's: of ten million stacks, two have the same in one of 370 000 stores.
 *
 * Samples are in the order of type, series, stack and time.  So the stack, the longest column, changes seldom, and the
 * profiles of one stack are those of the next: both nearly vanish when compressed.  Days are partitions, to drop them as a
 * whole. */
#include <stdio.h>

#include "base/error.h"
#include "store/clickhouse_keys.h"
#include "store/clickhouse_wire.h"

static const char *const tables[] = {
    "series (id UInt64, labels String) ENGINE = ReplacingMergeTree() ORDER BY id",

    "series_label (series UInt64, key String, value String) ENGINE = ReplacingMergeTree()"
    " ORDER BY (series, key)",

    "type (id UInt64, name String, unit String, is_level UInt8) ENGINE = ReplacingMergeTree()"
    " ORDER BY id",

    "line (frame FixedString(16), depth UInt32, function String, file String, line UInt32)"
    " ENGINE = ReplacingMergeTree() ORDER BY (frame, depth)",

    /* The nodes from the root to the stack's end, and the frame of each: long rows, of which few are looked up. */
    "stack (id UInt64, nodes Array(FixedString(16)), frames Array(FixedString(16)))"
    " ENGINE = ReplacingMergeTree() ORDER BY id SETTINGS index_granularity = 256",

    /* attempt: the second in the upper half, a random number in the lower one. */
    "profile (series UInt64, attempt UInt64, hash FixedString(16), from_us Int64, until_us Int64,"
    " day Date) ENGINE = MergeTree() PARTITION BY day ORDER BY (series, attempt)",

    /* samples and variance are -1 where the profile does not say. */
    "total (series UInt64, attempt UInt64, type UInt64, value Float64, samples Int64,"
    " variance Float64, day Date) ENGINE = MergeTree() PARTITION BY day"
    " ORDER BY (series, attempt, type)",

    "sample (series UInt64, attempt UInt64, type UInt64, stack UInt64, value Float64,"
    " samples Int64, variance Float32, day Date) ENGINE = MergeTree() PARTITION BY day"
    " ORDER BY (type, series, stack, attempt)",
};

enum { QUERY_MAX = 1024 };

/* The version comes last: with it, all is there. */
enum heaptap_status clickhouse_make(struct clickhouse *clickhouse, const char *database,
                                    struct heaptap_error *error)
{
    char query[QUERY_MAX];
    snprintf(query, sizeof query, "CREATE DATABASE IF NOT EXISTS %s", database);
    enum heaptap_status status = clickhouse_ask(clickhouse, query, NULL, NULL, error);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && status == HEAPTAP_OK; i++) {
        snprintf(query, sizeof query, "CREATE TABLE IF NOT EXISTS %s.%s", database, tables[i]);
        status = clickhouse_ask(clickhouse, query, NULL, NULL, error);
    }
    snprintf(query, sizeof query,
             "CREATE TABLE IF NOT EXISTS %s.heaptap_version (version UInt32)"
             " ENGINE = MergeTree() ORDER BY version",
             database);
    if (status == HEAPTAP_OK)
        status = clickhouse_ask(clickhouse, query, NULL, NULL, error);
    int64_t version = 0;
    snprintf(query, sizeof query, "SELECT max(version) FROM %s.heaptap_version", database);
    if (status == HEAPTAP_OK)
        status = clickhouse_number(clickhouse, query, &version, error);
    snprintf(query, sizeof query, "INSERT INTO %s.heaptap_version VALUES (%d)", database,
             CLICKHOUSE_VERSION);
    return status == HEAPTAP_OK && version == 0
               ? clickhouse_ask(clickhouse, query, NULL, NULL, error)
               : status;
}

/* ---- Checking ------------------------------------------------------------------------ */

#define OF_PROFILES " WHERE (series, attempt) IN (SELECT series, attempt FROM profile)"

static const struct {
    const char *count, *sentence;
} contradictions[] = {
    {"SELECT count() FROM sample" OF_PROFILES " AND stack NOT IN (SELECT id FROM stack)",
     "samples have no stack"},
    {"SELECT count() FROM stack ARRAY JOIN frames AS each WHERE each NOT IN"
     " (SELECT frame FROM line)",
     "nodes of stacks have no name"},
    {"SELECT count() FROM profile WHERE series NOT IN (SELECT id FROM series)",
     "profiles have no labels"},
    {"SELECT count() FROM (SELECT series, attempt, type, sum(whole) AS of_total,"
     " sum(part) AS of_samples FROM"
     " (SELECT series, attempt, type, value AS whole, 0. AS part FROM total" OF_PROFILES
     " UNION ALL SELECT series, attempt, type, 0. AS whole, value AS part FROM sample" OF_PROFILES
     ") GROUP BY series, attempt, type)"
     " WHERE abs(of_samples - of_total) > 0.000001 * abs(of_total)",
     "totals are not the sums of their samples"},
};

enum heaptap_status clickhouse_check(struct clickhouse *clickhouse, struct store_figures *figures,
                                     struct heaptap_error *error)
{
    enum heaptap_status status = HEAPTAP_OK;
    int64_t count = 0;
    *figures = (struct store_figures){0};
    for (size_t i = 0; i < sizeof contradictions / sizeof contradictions[0]; i++) {
        status = clickhouse_number(clickhouse, contradictions[i].count, &count, error);
        if (status == HEAPTAP_OK && count > 0)
            status = error_set(error, HEAPTAP_BAD_INPUT, "%lld %s", (long long)count,
                               contradictions[i].sentence);
        if (status != HEAPTAP_OK)
            return status;
    }
    const struct {
        const char *query;
        int64_t *figure;
    } asked[] = {
        {"SELECT uniqExact(series, hash) FROM profile", &figures->profiles},
        {"SELECT uniqExact(id) FROM series", &figures->series},
        {"SELECT uniqExact(arrayJoin(nodes)) FROM stack", &figures->stacks},
        {"SELECT count() FROM sample", &figures->samples},
        {"SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND"
         " database = currentDatabase()",
         &figures->bytes},
        {"SELECT min(from_us) FROM profile", &figures->from_us},
        {"SELECT max(until_us) FROM profile", &figures->until_us},
    };
    for (size_t i = 0; i < sizeof asked / sizeof asked[0] && status == HEAPTAP_OK; i++)
        status = clickhouse_number(clickhouse, asked[i].query, asked[i].figure, error);
    return status;
}

/* ---- Pruning ------------------------------------------------------------------------- */

/* Profiles first: samples without theirs are never read.  The oldest day that there is goes, and then the next. */
enum heaptap_status clickhouse_prune(struct clickhouse *clickhouse, int64_t before_us,
                                     int64_t *removed, struct heaptap_error *error)
{
    static const char *const pruned[] = {"profile", "total", "sample"};
    char query[QUERY_MAX];
    enum heaptap_status status = HEAPTAP_OK;
    unsigned first = clickhouse_day(before_us);
    snprintf(query, sizeof query,
             "SELECT uniqExact(series, hash) FROM profile WHERE day < toDate(%u)", first);
    status = clickhouse_number(clickhouse, query, removed, error);
    for (size_t i = 0; i < sizeof pruned / sizeof pruned[0]; i++) {
        int64_t day = 1;
        while (status == HEAPTAP_OK && day >= 0) {
            snprintf(query, sizeof query,
                     "SELECT if(count() = 0, -1, toInt64(toUInt16(min(day)))) FROM %s"
                     " WHERE day < toDate(%u)",
                     pruned[i], first);
            status = clickhouse_number(clickhouse, query, &day, error);
            if (status != HEAPTAP_OK || day < 0)
                break;
            snprintf(query, sizeof query, "SELECT toString(toDate(%lld))", (long long)day);
            struct text name = {0};
            status = clickhouse_ask(clickhouse, query, NULL, &name, error);
            if (status == HEAPTAP_OK) {
                snprintf(query, sizeof query, "ALTER TABLE %s DROP PARTITION '%.*s'", pruned[i],
                         name.size < 10 ? 0 : 10, name.size < 10 ? "" : name.bytes);
                status = clickhouse_ask(clickhouse, query, NULL, NULL, error);
            }
            text_release(&name);
        }
    }
    return status;
}
