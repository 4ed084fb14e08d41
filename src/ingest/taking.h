/* Taking a profile that has come whole: the limits, the body, the store.  What the server does, without its sockets. */
#ifndef INGEST_TAKING_H
#define INGEST_TAKING_H

#include "ingest/metrics.h"
#include "ingest/request.h"
#include "ingest/server.h"

struct ingest_taking {
    struct store *store;
    struct ingest_limits limits;
    struct ingest_metrics metrics;
    double tokens;      /* profiles that may come now; grows with time */
    int64_t counted_us; /* when that was so, of a clock that never steps back */
};

/* A status of HTTP; unless it is 200, with a sentence.  `*is_new`: it was not there before. */
unsigned ingest_take(struct ingest_taking *taking, const struct ingest_request *request,
                     const char *content_type, const uint8_t *body, size_t size, bool *is_new,
                     struct heaptap_error *error);

#endif
