/* The query of a URL: NAME=VALUE, with & between, escaped with % and +. */
#ifndef NET_QUERY_H
#define NET_QUERY_H

#include "heaptap/status.h"

enum { NET_URL_MAX = 16384 };

/* Copied, so that its escapes can be taken out. */
struct net_query {
    char text[NET_URL_MAX + 1];
    char *rest;
    char *name, *value; /* of the last that was taken */
};

/* Begins with what follows the ? of a URL of NET_URL_MAX bytes at most; there may be none. */
void net_query_init(struct net_query *query, const char *url);

/* Takes the next; 200, with a name of NULL after the last, or 400 and a sentence. */
unsigned net_query_next(struct net_query *query, struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
