#include "net/response.h"

#include <stdio.h>
#include <string.h>

/* Every response has these headers: a page's scripts and answers come from this server alone, and no other site may frame or cache them. */
static const struct {
    const char *name, *value;
} always[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
     "connect-src 'self'; img-src 'self' blob: data:; base-uri 'none'; form-action 'none'; "
     "frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
};

static void put_headers(struct MHD_Response *response, const struct incoming *incoming,
                        unsigned status, const char *type)
{
    MHD_add_response_header(response, "Content-Type", type);
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
        MHD_add_response_header(response, always[i].name, always[i].value);
    if (status == 401) {
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
        MHD_add_response_header(response, "WWW-Authenticate",
                                "Basic realm=\"heaptap\""); /* of pages */
    }
    if (status == 405)
        MHD_add_response_header(response, "Allow", incoming->request.allowed);
    if (status == 429 || status == 503)
        MHD_add_response_header(response, "Retry-After", "1");
    /* Where such a request ends is not known: what follows it may be its body. */
    if (status == 400 || status == 405 || status == 411)
        MHD_add_response_header(response, "Connection", "close");
}

/* The response may be NULL: there was no memory. */
static enum MHD_Result queue(const struct incoming *incoming, unsigned status, const char *type,
                             struct MHD_Response *response)
{
    if (!response)
        return MHD_NO;
    put_headers(response, incoming, status, type);
    enum MHD_Result sent = MHD_queue_response(incoming->request.connection, status, response);
    MHD_destroy_response(response);
    return sent;
}

/* What is compressed for some stands for itself alone. */
static void put_encoding(struct MHD_Response *response)
{
    if (!response)
        return;
    MHD_add_response_header(response, "Content-Encoding", "gzip");
    MHD_add_response_header(response, "Vary", "Accept-Encoding");
}

static enum MHD_Result refuse_with(const struct incoming *incoming, unsigned status,
                                   const char *sentence)
{
    char text[sizeof incoming->error.message + 2];
    snprintf(text, sizeof text, "%s\n", sentence);
    if (incoming->service->count_refused)
        incoming->service->count_refused(incoming->service->context, status);
    return queue(incoming, status, "text/plain; charset=utf-8",
                 MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_COPY));
}

enum MHD_Result response_refuse(const struct incoming *incoming)
{
    return refuse_with(incoming, incoming->status, incoming->error.message);
}

enum MHD_Result response_send(struct incoming *incoming)
{
    struct net_answer *answer = &incoming->answer;
    if (!answer->text)
        return refuse_with(incoming, 500, "out of memory");
    struct MHD_Response *response = MHD_create_response_from_buffer(
        answer->size, answer->text,
        answer->is_static ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE);
    if (response)
        answer->text = NULL;
    if (answer->is_gzip)
        put_encoding(response);
    return queue(incoming, answer->status, answer->type, response);
}
