/* The connection to ClickHouse, for the files that are its parts. */
#ifndef STORE_CLICKHOUSE_WIRE_H
#define STORE_CLICKHOUSE_WIRE_H

#include <curl/curl.h>

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
             100];                 /* of a query: the server, settings, the database */
    size_t server_size;            /* without the database */
    char session[SESSION_BYTES];   /* of queries that share temporary tables; "" for none */
    struct clickhouse_batch batch; /* what was added and not sent yet */
    struct clickhouse_known known;
    /* A connection of its own for another thread: its batch is the sealed one. */
    struct clickhouse *sender;
    bool has_failed;            /* the sender, with the last batch: */
    struct heaptap_error error; /* why */
};

/* Begins a session: what is asked until its end shares temporary tables, which nobody else sees, and which end with it. */
void clickhouse_begin_session(struct clickhouse *clickhouse);
void clickhouse_end_session(struct clickhouse *clickhouse);

/* Makes the database and its tables; what is there stays. */
enum heaptap_status clickhouse_make(struct clickhouse *clickhouse, const char *database,
                                    struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
