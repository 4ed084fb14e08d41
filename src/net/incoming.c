#include "net/incoming.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

/* Bodies in all that are on their way at once may have four times the size of one. */
enum { BODIES_AT_ONCE = 4, FORM_BYTES = 4096 };

struct incoming *incoming_new(const char *url, struct net_server *server,
                              const struct net_service *service, struct MHD_Connection *connection)
{
    struct incoming *incoming = calloc(1, sizeof *incoming + service->own_bytes);
    char *copy = strdup(url);
    if (!incoming || !copy) {
        free(incoming);
        free(copy);
        return NULL;
    }
    incoming->server = server;
    incoming->service = service;
    incoming->request.connection = connection;
    incoming->url = copy;
    incoming->request.url = copy;
    incoming->request.own = incoming->own;
    return incoming;
}

static void drop_body(struct incoming *incoming, struct incoming_bodies *bodies)
{
    bodies->held -= incoming->request.size;
    free(incoming->request.body);
    incoming->request.body = NULL;
    incoming->request.size = incoming->capacity = 0;
}

void incoming_free(struct incoming *incoming, struct incoming_bodies *bodies)
{
    if (incoming->form)
        MHD_destroy_post_processor(incoming->form);
    drop_body(incoming, bodies);
    if (!incoming->answer.is_static)
        free(incoming->answer.text);
    free(incoming->url);
    free(incoming);
}

struct watched *incoming_watched(const struct incoming *incoming)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(incoming->request.connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* ---- The body ------------------------------------------------------------------------ */

static void refuse_rest(struct incoming *incoming, struct incoming_bodies *bodies, unsigned status,
                        const char *sentence)
{
    drop_body(incoming, bodies);
    incoming->status = status;
    error_set(&incoming->error, HEAPTAP_BAD_ARGUMENT, "%s", sentence);
}

static bool make_room(struct incoming *incoming, size_t size)
{
    size_t needed = incoming->request.size + size;
    if (needed <= incoming->capacity)
        return true;
    uint8_t *body = realloc(incoming->request.body, needed * 2);
    if (!body)
        return false;
    incoming->request.body = body;
    incoming->capacity = needed * 2;
    return true;
}

static void keep(struct incoming *incoming, struct incoming_bodies *bodies, const char *bytes,
                 size_t size)
{
    if (size == 0) /* of a part that is empty */
        return;
    if (bodies->held + size > BODIES_AT_ONCE * bodies->most)
        refuse_rest(incoming, bodies, 503, "too much arrives at once: send it again");
    else if (!make_room(incoming, size))
        refuse_rest(incoming, bodies, 500, "out of memory");
    else {
        memcpy(incoming->request.body + incoming->request.size, bytes, size);
        incoming->request.size += size;
        bodies->held += size;
    }
}

void incoming_take(struct incoming *incoming, struct incoming_bodies *bodies, const char *bytes,
                   size_t size)
{
    if (incoming->status != 200)
        return;
    if (size > bodies->most - incoming->received) {
        refuse_rest(incoming, bodies, 413, "the request's body is larger than this server takes");
        return;
    }
    incoming->received += size;
    incoming->bodies = bodies;
    if (!incoming->form)
        keep(incoming, bodies, bytes, size);
    else if (!MHD_post_process(incoming->form, bytes, size) && incoming->status == 200)
        refuse_rest(incoming, bodies, 400, "the form in the body is damaged");
}

/* ---- Forms --------------------------------------------------------------------------- */

static bool is_part(const char *name, const char *wanted)
{
    return name && wanted && strcmp(name, wanted) == 0;
}

/* A piece of a part, whose name may be NULL. */
static enum MHD_Result take_part(void *context, enum MHD_ValueKind kind, const char *name,
                                 const char *file, const char *type, const char *encoding,
                                 const char *bytes, uint64_t offset, size_t size)
{
    struct incoming *incoming = context;
    const struct net_service *service = incoming->service;
    if (is_part(name, service->refused_part))
        refuse_rest(incoming, incoming->bodies, 415, service->refused_why);
    else if (is_part(name, service->part) && offset == 0 && incoming->request.size > 0)
        refuse_rest(incoming, incoming->bodies, 400, "the form has more than one such part");
    else if (is_part(name, service->part)) {
        incoming->has_part = true;
        keep(incoming, incoming->bodies, bytes, size);
    }
    return incoming->status == 200 ? MHD_YES : MHD_NO;
}

static unsigned refuse_form(const struct incoming *incoming, struct heaptap_error *error)
{
    error_set(error, HEAPTAP_BAD_ARGUMENT, "the form has no part called '%s', or does not end",
              incoming->service->part);
    return 400;
}

unsigned incoming_begin_form(struct incoming *incoming, struct heaptap_error *error)
{
    static const char type[] = "multipart/form-data";
    const char *given = net_request_header(&incoming->request, "Content-Type");
    if (!given || strncasecmp(given, type, strlen(type)) != 0)
        return 200;
    incoming->form =
        MHD_create_post_processor(incoming->request.connection, FORM_BYTES, take_part, incoming);
    return incoming->form ? 200 : refuse_form(incoming, error);
}

void incoming_end_form(struct incoming *incoming)
{
    if (!incoming->form)
        return;
    bool is_whole = MHD_destroy_post_processor(incoming->form);
    incoming->form = NULL;
    if (incoming->status == 200 && !(is_whole && incoming->has_part))
        incoming->status = refuse_form(incoming, &incoming->error);
}
