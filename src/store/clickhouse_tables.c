/* What looks after the tables of a store in ClickHouse (clickhouse_make.c). */
#include <stdio.h>

#include "base/error.h"
#include "store/clickhouse_keys.h"
#include "store/clickhouse_wire.h"

enum { QUERY_MAX = 1024 };

/* ---- Checking ------------------------------------------------------------------------ */

#define OF_PROFILES " WHERE (series, attempt) GLOBAL IN (SELECT series, attempt FROM profile)"

static const struct {
    const char *count, *sentence;
} contradictions[] = {
    {"SELECT count() FROM sample" OF_PROFILES " AND stack GLOBAL NOT IN (SELECT id FROM stack)",
     "samples have no stack"},
    {"SELECT count() FROM stack ARRAY JOIN frames AS each WHERE each GLOBAL NOT IN"
     " (SELECT frame FROM line)",
     "nodes of stacks have no name"},
    {"SELECT count() FROM profile WHERE series GLOBAL NOT IN (SELECT id FROM series)",
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
                bool spread = *clickhouse->cluster;
                snprintf(query, sizeof query, "ALTER TABLE %s%s%s DROP PARTITION '%.*s'", pruned[i],
                         spread ? "_local ON CLUSTER " : "", clickhouse->cluster,
                         name.size < 10 ? 0 : 10, name.size < 10 ? "" : name.bytes);
                status = clickhouse_ask(clickhouse, query, NULL, NULL, error);
            }
            text_release(&name);
        }
    }
    return status;
}
