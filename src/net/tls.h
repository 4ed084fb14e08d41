/* A certificate and its private key, read from files in PEM form and checked before the server starts: libmicrohttpd, which uses
 * them, says no more of bad ones than that it does not start. */
#ifndef NET_TLS_H
#define NET_TLS_H

#include <time.h>

#include "heaptap/status.h"

/* Zeroed, there is none. */
struct net_tls {
    char *
        certificate; /* the server's, and those that lead from it to the authority's; text in PEM form, malloc'ed */
    char *key;
    time_t expires; /* the server's certificate does */
};

/* HEAPTAP_SYSTEM, with the errno, where a file can't be read, HEAPTAP_BAD_ARGUMENT where it does not hold what it should; `*where` is
 * then which of the two paths.  On failure there is nothing to release. */
enum heaptap_status net_tls_read(struct net_tls *tls, const char *certificate, const char *key,
                                 const char **where,
                                 struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Leaves no key in memory. */
void net_tls_release(struct net_tls *tls);

#endif
