/* A request while it arrives, and its answer while it goes. */
#ifndef NET_INCOMING_H
#define NET_INCOMING_H

#include <stddef.h>

#include "net/microhttpd.h"
#include "net/request.h"

struct incoming_bodies;
struct net_server;
struct watched;

struct incoming {
    struct net_request request; /* first: the service gets it */
    struct net_server *server;  /* borrowed, as the next */
    const struct net_service *service;
    char *url;
    bool has_begun;  /* its headers are there */
    bool is_asked;   /* the service was, and answers when it is called again */
    unsigned status; /* 200, or why it will be refused */
    struct heaptap_error error;
    struct net_answer answer;

    /* Of a body: */
    size_t received, capacity;      /* bytes that came, and that there is room for */
    struct MHD_PostProcessor *form; /* NULL where it is none */
    bool has_part;
    struct incoming_bodies *bodies; /* that it is one of, for the parts of a form */
    max_align_t own[];
};

/* Bodies that are on their way. */
struct incoming_bodies {
    size_t most; /* bytes of one */
    size_t held; /* bytes of all that are there */
};

/* NULL when there is no memory. */
struct incoming *incoming_new(const char *url, struct net_server *server,
                              const struct net_service *service, struct MHD_Connection *connection);
void incoming_free(struct incoming *incoming, struct incoming_bodies *bodies);

/* The connection's place among those that are watched; NULL for none. */
struct watched *incoming_watched(const struct incoming *incoming);

/* Before the body, and after it: where it is a form, whose parts libmicrohttpd takes apart. */
unsigned incoming_begin_form(struct incoming *incoming, struct heaptap_error *error);
void incoming_end_form(struct incoming *incoming);

/* Adds bytes to the body.  Where they are too many, the request gets its status and sentence, and the rest is thrown away: what is
 * refused in the midst of its body is answered at the end of it. */
void incoming_take(struct incoming *incoming, struct incoming_bodies *bodies, const char *bytes,
                   size_t size);

#endif
