/* A request while it arrives: its URL, and its body as far as it has come. */
#ifndef INGEST_INCOMING_H
#define INGEST_INCOMING_H

#include "http/microhttpd.h"
#include "ingest/accepted.h"
#include "ingest/page.h"
#include "ingest/request.h"
#include "ingest/writer.h"

struct routes;

struct incoming {
    char *url; /* as it stands in the request line */
    bool has_begun;
    struct ingest_request request;
    uint8_t *body;
    size_t size, capacity;
    unsigned status; /* 200, or why it will be refused */
    struct heaptap_error error;
    bool is_given; /* to the writer, or to whom makes pages, who has it or is done with it */
    struct ingest_job job; /* for the writer, once all is there */

    /* Of a page: */
    struct ingest_page page;
    struct MHD_Connection *connection; /* that waits for it */
    struct routes *routes;             /* by which it was asked for */
};

/* Bodies that are on their way.  One thread uses them. */
struct incoming_bodies {
    const struct ingest_limits *limits;
    size_t held; /* bytes of those that are not whole yet */
};

/* NULL when there is no memory. */
struct incoming *incoming_new(const char *url);
void incoming_free(struct incoming *incoming, struct incoming_bodies *bodies);

/* Adds bytes to the body.  Where they are too many, the request gets its status and sentence, and the rest is thrown away: what is
 * refused in the midst of its body is answered at the end of it. */
void incoming_take(struct incoming *incoming, struct incoming_bodies *bodies, const char *bytes,
                   size_t size);

#endif
