/* A store on a cluster of ClickHouse: its name, and which of its shards are there.
 *
 * A question that leaves out a shard must say so.  So the shards are counted first, by a query that leaves out those that do
 * not answer; if all do, the question's own queries leave out none, and fail if one of them ends meanwhile.  If not,
 * they are counted again at the end, and the larger number of replicas that were down is reported.
 *
 * A replica that took an insert may end before the others of its shard have fetched it.  ZooKeeper knows of it: the others
 * have it in their queues, and that is said, too.  Replicas are asked in the order of the cluster, so that it is the same
 * one that answers all queries. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "store/clickhouse_wire.h"

enum { QUERY_MAX = 512 };

enum heaptap_status clickhouse_find_cluster(struct clickhouse *clickhouse,
                                            struct heaptap_error *error)
{
    struct text answer = {0};
    enum heaptap_status status =
        clickhouse_ask(clickhouse,
                       "SELECT extract(engine_full, '^Distributed\\\\(\\W*(\\\\w+)')"
                       " FROM system.tables WHERE database = currentDatabase() AND name = 'sample'",
                       NULL, &answer, error);
    if (status == HEAPTAP_OK) {
        size_t size = 0;
        while (size < answer.size && size < DATABASE_NAME_MAX && answer.bytes[size] != '\n')
            size++;
        memcpy(clickhouse->cluster, answer.size ? answer.bytes : "", size);
        clickhouse->cluster[size] = 0;
    }
    text_release(&answer);
    return status;
}

static enum heaptap_status count(struct clickhouse *clickhouse, const char *query, int64_t *number,
                                 struct heaptap_error *error)
{
    char text[QUERY_MAX];
    snprintf(text, sizeof text, query, clickhouse->cluster);
    return clickhouse_number(clickhouse, text, number, error);
}

enum heaptap_status clickhouse_probe(struct clickhouse *clickhouse, struct heaptap_error *error)
{
    int64_t shards = 0, there = 0, missing = 0, missing_here = 0;
    if (!*clickhouse->cluster)
        return HEAPTAP_OK;
    clickhouse->leaves_out = true;
    enum heaptap_status status =
        count(clickhouse, "SELECT uniqExact(shard_num) FROM system.clusters WHERE cluster = '%s'",
              &shards, error);
    if (status == HEAPTAP_OK)
        status = count(clickhouse, "SELECT count() FROM cluster('%s', system, one)", &there, error);
    if (status == HEAPTAP_OK)
        status = count(clickhouse,
                       "SELECT sum(inserts_in_queue) FROM cluster('%s', system, replicas)"
                       " WHERE database = currentDatabase()",
                       &missing, error);
    if (status == HEAPTAP_OK)
        status = count(clickhouse,
                       "SELECT sum(inserts_in_queue) FROM system.replicas"
                       " WHERE database = currentDatabase()",
                       &missing_here, error);
    if (status != HEAPTAP_OK)
        return status;
    clickhouse->shards = shards;
    if (shards - there > clickhouse->shards_down)
        clickhouse->shards_down = shards - there;
    clickhouse->parts_missing = missing > missing_here ? missing : missing_here;
    clickhouse->leaves_out = clickhouse->shards_down > 0;
    return HEAPTAP_OK;
}

void clickhouse_lack(const struct clickhouse *clickhouse, char *sentence, size_t size)
{
    *sentence = 0;
    if (clickhouse->shards_down > 0)
        snprintf(sentence, size, "%lld of %lld shards do not answer, and what they have is missing",
                 (long long)clickhouse->shards_down, (long long)clickhouse->shards);
    else if (clickhouse->parts_missing > 0)
        snprintf(sentence, size, "%lld inserts are missing that a replica has not fetched yet",
                 (long long)clickhouse->parts_missing);
}
