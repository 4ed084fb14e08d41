/* Pages of the server that takes profiles: what is asked of it by GET, answered by a room above this one (fleet/pages.h). */
#ifndef INGEST_PAGE_H
#define INGEST_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/url.h"

/* One that is asked for. */
struct ingest_page {
    const char
        *url; /* as it stands in the request line: "/path?query"; borrowed until it is done */
    void (*done)(struct ingest_page *page); /* to be called once, by any thread */
    void *context;                          /* for `done` */

    /* The answer, there when it is done. */
    unsigned status;  /* of HTTP */
    const char *type; /* Content-Type */
    char *text;       /* malloc'ed, or, if `is_static`, there forever */
    size_t size;      /* of the text */
    bool is_static;
    const struct url_header *headers; /* ended by one without a name; NULL for none */

    struct ingest_page *next; /* of whoever answers */
};

/* Who answers. */
struct ingest_pages {
    void (*ask)(void *context, struct ingest_page *page); /* returns at once */
    void *context;
};

#endif
