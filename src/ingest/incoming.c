#include "ingest/incoming.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Bodies in all that are on their way at once may have four times the size of one. */
enum { BODIES_AT_ONCE = 4 };

struct incoming *incoming_new(const char *url)
{
    struct incoming *incoming = calloc(1, sizeof *incoming);
    if (incoming && !(incoming->url = strdup(url))) {
        free(incoming);
        return NULL;
    }
    return incoming;
}

static void drop_body(struct incoming *incoming, struct incoming_bodies *bodies)
{
    bodies->held -= incoming->size;
    free(incoming->body);
    incoming->body = NULL;
    incoming->size = incoming->capacity = 0;
}

void incoming_free(struct incoming *incoming, struct incoming_bodies *bodies)
{
    drop_body(incoming, bodies);
    if (!incoming->page.is_static)
        free(incoming->page.text);
    free(incoming->url);
    free(incoming);
}

static void refuse_rest(struct incoming *incoming, struct incoming_bodies *bodies, unsigned status,
                        const char *sentence)
{
    drop_body(incoming, bodies);
    incoming->status = status;
    error_set(&incoming->error, HEAPTAP_BAD_ARGUMENT, "%s", sentence);
}

static bool make_room(struct incoming *incoming, size_t size)
{
    if (incoming->size + size <= incoming->capacity)
        return true;
    size_t capacity = (incoming->size + size) * 2;
    uint8_t *body = realloc(incoming->body, capacity);
    if (!body)
        return false;
    incoming->body = body;
    incoming->capacity = capacity;
    return true;
}

void incoming_take(struct incoming *incoming, struct incoming_bodies *bodies, const char *bytes,
                   size_t size)
{
    size_t most = bodies->limits->body_bytes;
    if (incoming->status != 200)
        return;
    if (size > most - incoming->size)
        refuse_rest(incoming, bodies, 413, "the profile is larger than this server takes");
    else if (bodies->held + size > BODIES_AT_ONCE * most)
        refuse_rest(incoming, bodies, 503, "too many profiles arrive at once: send it again");
    else if (!make_room(incoming, size))
        refuse_rest(incoming, bodies, 500, "out of memory");
    else {
        memcpy(incoming->body + incoming->size, bytes, size);
        incoming->size += size;
        bodies->held += size;
    }
}
