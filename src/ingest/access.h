/* Who may ask the server: who brings its token; without one, programs of this machine, but no page of the web. */
#ifndef INGEST_ACCESS_H
#define INGEST_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "heaptap/status.h"

struct access {
    char *token; /* NULL for none */
    _Atomic uint16_t
        port; /* at which the server listens; 0: not known yet, and nobody is answered */
};

/* The headers of a request that say who sends it; NULL for those that it has not. */
struct access_headers {
    const char *host, *origin, *authorization;
};

/* What is asked for. */
enum access_to {
    ACCESS_PUBLIC, /* needs no token */
    ACCESS_PAGES, /* to read: browsers, which ask for a password, may have the token as that (RFC 7617) */
    ACCESS_ALL, /* to send, or anything else */
};

/* 200, or the status to refuse it with. */
unsigned access_check(const struct access *access, const struct access_headers *headers,
                      enum access_to to, struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
