/* The connection to ClickHouse, for the files that are its parts. */
#ifndef STORE_CLICKHOUSE_WIRE_H
#define STORE_CLICKHOUSE_WIRE_H

#include "net/curl.h"
#include "store/clickhouse.h"
#include "store/clickhouse_batch.h"

enum {
    DATABASE_NAME_MAX = 64,
    HOST_MAX = 300,
    SERVER_MAX = 1000, /* with a password and settings */
    SESSION_BYTES = 40,
    CLICKHOUSE_VERSION = 2
};

struct clickhouse {
    CURL *curl;
    char url[HOST_MAX + DATABASE_NAME_MAX +
             100];                       /* of a query: the server, settings, the database */
    size_t server_size;                  /* without the database */
    char cluster[DATABASE_NAME_MAX + 1]; /* whose shards have the rows; "" for one server */
    int64_t shards, shards_down;   /* of that; those that did not answer when they were asked */
    bool leaves_out;               /* queries do without shards that do not answer */
    int64_t parts_missing;         /* that replicas which are down have, and others have not yet */
    char session[SESSION_BYTES];   /* of queries that share temporary tables; "" for none */
    struct clickhouse_batch batch; /* what was added and not sent yet */
    struct clickhouse_known known;
    /* A connection of its own for another thread: its batch is the sealed one. */
    struct clickhouse *sender;
    bool has_failed;            /* the sender, with the last batch: */
    struct heaptap_error error; /* why */
};

/* Begins a session: its queries share temporary tables, which other sessions don't see, and which are dropped at its end. */
void clickhouse_begin_session(struct clickhouse *clickhouse);
void clickhouse_end_session(struct clickhouse *clickhouse);

/* Makes the database and its tables; what is there stays. */
enum heaptap_status clickhouse_make(struct clickhouse *clickhouse, const char *database,
                                    struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* The same on all servers of a cluster, which they know by this name. */
enum heaptap_status clickhouse_make_on(struct clickhouse *clickhouse, const char *database,
                                       const char *cluster,
                                       struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Sets the cluster's name, of the database that is in use, and how inserts go there. */
enum heaptap_status clickhouse_find_cluster(struct clickhouse *clickhouse,
                                            struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Before and after a question: asks which shards answer.  Where all do, the queries that follow fail if one does not; else
 * they leave out those that do not. */
enum heaptap_status clickhouse_probe(struct clickhouse *clickhouse,
                                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
