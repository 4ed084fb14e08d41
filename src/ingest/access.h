/* Who may ask the server: who brings its token; without one, programs of this machine, but no page of the web. */
#ifndef INGEST_ACCESS_H
#define INGEST_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "heaptap/status.h"

struct access {
    char *token;   /* NULL for none */
    uint16_t port; /* at which the server listens */
};

/* The headers of a request that say who sends it; NULL for those that it has not. */
struct access_headers {
    const char *host, *origin, *authorization;
};

/* 200, or the status to refuse it with.  What `is_public` needs no token. */
unsigned access_check(const struct access *access, const struct access_headers *headers,
                      bool is_public, struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
