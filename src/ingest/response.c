#include "ingest/response.h"

#include <stdio.h>
#include <string.h>

#include "heaptap/status.h"

static void put_header(struct MHD_Response *response, const char *name, const char *value)
{
    MHD_add_response_header(response, name, value);
}

static enum MHD_Result send_it(struct MHD_Connection *connection, unsigned status,
                               struct MHD_Response *response)
{
    if (status == 401) {
        put_header(response, "WWW-Authenticate", "Bearer");
        put_header(response, "WWW-Authenticate", "Basic realm=\"heaptap\""); /* of pages */
    }
    if (status == 429 || status == 503)
        put_header(response, "Retry-After", "1");
    enum MHD_Result sent = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return sent;
}

/* Where such a request ends is not known: what follows it may be its body. */
static bool ends_connection(unsigned status)
{
    return status == 400 || status == 405 || status == 411;
}

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned status,
                                 const char *text, size_t size, const char *allowed)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(size, (void *)text, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    put_header(response, "Content-Type", "text/plain; charset=utf-8");
    put_header(response, "X-Content-Type-Options", "nosniff");
    put_header(response, "Cache-Control", "no-store");
    if (status == 405)
        put_header(response, "Allow", allowed);
    if (ends_connection(status))
        put_header(response, "Connection", "close");
    return send_it(connection, status, response);
}

enum MHD_Result response_text(struct MHD_Connection *connection, const char *text, size_t size)
{
    return send_text(connection, 200, text, size, NULL);
}

enum MHD_Result response_refusal(struct MHD_Connection *connection, unsigned status,
                                 const char *sentence, const char *allowed)
{
    char text[sizeof((struct heaptap_error *)NULL)->message + 2];
    snprintf(text, sizeof text, "%s\n", sentence);
    return send_text(connection, status, text, strlen(text), allowed);
}

enum MHD_Result response_page(struct MHD_Connection *connection, struct ingest_page *page)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        page->size, page->text, page->is_static ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE);
    if (!response)
        return MHD_NO;
    page->text = NULL;
    put_header(response, "Content-Type", page->type);
    for (const struct url_header *header = page->headers; header && header->name; header++)
        put_header(response, header->name, header->value);
    return send_it(connection, page->status, response);
}
