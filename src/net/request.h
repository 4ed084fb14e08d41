/* Requests to a server, their responses, and the handlers that give them. */
#ifndef NET_REQUEST_H
#define NET_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heaptap/status.h"

struct MHD_Connection;

/* From its first line on until its answer is sent. */
struct net_request {
    const char *method, *url; /* as they stand in the request line; the URL is "/path?query" */
    const char *allowed;      /* the method that a refusal with 405 names */
    uint8_t *body;            /* of a form, what the part in it has that the service names */
    size_t size;
    void *own;                /* room for the service: own_bytes, zeroed, freed with the request */
    struct net_request *next; /* for whoever queues it to be answered */

    struct MHD_Connection *connection; /* that it came by */
    uint16_t
        port; /* of the server; 0: not known yet, as the first requests may come before it has begun */
};

/* What is sent. */
struct net_answer {
    unsigned status;  /* of HTTP */
    const char *type; /* Content-Type */
    char *text;       /* malloc'ed, or, if `is_static`, there forever; NULL: there was no memory */
    size_t size;      /* of the text */
    bool is_static;
    bool is_gzip; /* the text is compressed: only for whom net_request_takes_gzip */
};

/* What a server serves.  Functions are called by the thread that speaks HTTP. */
struct net_service {
    void *context;
    size_t own_bytes;

    /* May the request's body come?  Its headers are there.  200, or the status to refuse it with and a sentence. */
    unsigned (*check)(void *context, struct net_request *request, struct heaptap_error *error);

    /* All of it is there: net_answer or net_refuse is to be called once. */
    void (*answer)(void *context, struct net_request *request);

    /* A request was refused, by the server or by net_refuse; May be NULL. */
    void (*count_refused)(void *context, unsigned status);

    const char *
        part; /* of forms (multipart/form-data): the name of the part that is the body; NULL: they are bodies as others */
    const char *refused_part; /* forms that have this one are refused, ... */
    const char *refused_why;  /* ... with 415 and this sentence */
};

/* A header of a request; NULL for none. */
const char *net_request_header(const struct net_request *request, const char *name);

/* Does who asks take answers that gzip has compressed? */
bool net_request_takes_gzip(const struct net_request *request);

/* Does the request's Host name this server as programs of this machine do?  See url_host_is_own. */
bool net_request_is_to_own_host(const struct net_request *request);

#endif
