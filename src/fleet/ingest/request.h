/* What is asked of heaptap fleet serve: the method and URL of a request, made into one struct, or into a status of HTTP and a sentence
 * that says what is wrong.
 *
 *     POST /profiles?service=api&version=1.4&until=1795417200      any parameter but from and until is a label
 *     POST /ingest?name=api{version=1.4}&from=...&until=...&format=pprof       as agents of Pyroscope have it
 *     GET /healthz, /readyz, /metrics
 *     GET of anything else: a page, whose path and query are looked at by what makes it (struct ingest_pages) */
#ifndef FLEET_INGEST_REQUEST_H
#define FLEET_INGEST_REQUEST_H

#include "store/labels.h"

enum ingest_path {
    INGEST_PROFILES,
    INGEST_PYROSCOPE,
    INGEST_HEALTH,
    INGEST_READY,
    INGEST_METRICS,
    INGEST_PAGE
};

struct ingest_request {
    enum ingest_path path;
    const char *method; /* that the path takes; NULL where there is none */
    struct store_labels labels;
    int64_t from_us, until_us; /* 0: not said */
};

/* `url` is what stands in the request line.  200, or the status to refuse it with. */
unsigned ingest_request_parse(struct ingest_request *request, const char *method, const char *url,
                              struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
