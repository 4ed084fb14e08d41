/* The connection to ClickHouse, for the files that are its parts. */
#ifndef STORE_CLICKHOUSE_WIRE_H
#define STORE_CLICKHOUSE_WIRE_H

#include <curl/curl.h>

#include "store/clickhouse.h"

enum { DATABASE_NAME_MAX = 64, HOST_MAX = 300, CLICKHOUSE_VERSION = 1 };

struct clickhouse {
    CURL *curl;
    char url[HOST_MAX + DATABASE_NAME_MAX +
             100];      /* of a query: the server, settings, the database */
    size_t server_size; /* without the database */
    /* The last numbers of the database in memory that were sent: those after are new. */
    int64_t sent_series, sent_type, sent_frame;
};

/* Makes the database and its tables; what is there stays. */
enum heaptap_status clickhouse_make(struct clickhouse *clickhouse, const char *database,
                                    struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
