/* Where a request goes when it is all there: a table of paths (request.h) and the functions that answer them. */
#ifndef INGEST_ROUTES_H
#define INGEST_ROUTES_H

#include <stdatomic.h>

#include "http/microhttpd.h"
#include "ingest/incoming.h"
#include "ingest/page.h"
#include "ingest/taking.h"
#include "ingest/writer.h"

/* What the functions answer from. */
struct routes {
    struct ingest_taking taking;
    struct ingest_writer *writer;
    const struct ingest_pages *pages; /* NULL: there are none */
    atomic_uint asked;                /* pages that are not done yet */
    atomic_bool ends;                 /* no more pages are asked for */
};

/* Answers a request, or suspends the connection until it can, when it is to be called again. */
enum MHD_Result routes_answer(struct routes *routes, struct MHD_Connection *connection,
                              struct incoming *incoming);

/* Answers it with its status and sentence. */
enum MHD_Result routes_refuse(struct routes *routes, struct MHD_Connection *connection,
                              const struct incoming *incoming);

/* Returns when all pages that were asked for are done. */
void routes_end(struct routes *routes);

#endif
