/* What the server answers, as HTTP. */
#ifndef INGEST_RESPONSE_H
#define INGEST_RESPONSE_H

#include "http/microhttpd.h"
#include "ingest/page.h"

/* A text, of which a copy is made. */
enum MHD_Result response_text(struct MHD_Connection *connection, const char *text, size_t size);

/* A status other than 200, and the sentence why; `allowed` is the method that a 405 names. */
enum MHD_Result response_refusal(struct MHD_Connection *connection, unsigned status,
                                 const char *sentence, const char *allowed);

/* A page that is done; its text is taken. */
enum MHD_Result response_page(struct MHD_Connection *connection, struct ingest_page *page);

#endif
