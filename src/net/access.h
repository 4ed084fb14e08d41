/* Access to a server: by its token; if it has none, from programs on this machine, but from no web page. */
#ifndef NET_ACCESS_H
#define NET_ACCESS_H

#include "net/request.h"

/* What is asked for. */
enum access_to {
    ACCESS_PUBLIC, /* needs no token */
    ACCESS_PAGES, /* to read: browsers, which ask for a password, may have the token as that (RFC 7617) */
    ACCESS_ALL, /* to send, or anything else */
};

/* Are the `size` bytes the token?  How long that takes does not say how much of them was right. */
bool access_is_token(const char *token, const char *given, size_t size);

/* 200, or the status to refuse it with.  `token` is NULL for none. */
unsigned access_check(const struct net_request *request, const char *token, enum access_to to,
                      struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
