/* An HTTP server: it listens, takes requests in within limits, and sends what a service answers.
 *
 * One thread speaks HTTP.  It hands each request that is all there to the service, which answers it at once or later, by any
 * thread; until then the connection sleeps.  What is ambiguous, too large, too slow or without a length is refused here, and the
 * service never sees its body. */
#ifndef NET_SERVER_H
#define NET_SERVER_H

#include "net/request.h"
#include "net/tls.h"

struct net_server;

struct net_options {
    const char *address;       /* "127.0.0.1:4040" or "[::1]:4040"; port 0 is any that is free */
    bool is_open;              /* other machines may reach it */
    const struct net_tls *tls; /* NULL: not encrypted.  Borrowed until the server is freed */
    size_t body_bytes;         /* of a request, at most; four times as many of all that arrive */
    int seconds;               /* that a request may take to arrive, and an answer to go */
};

/* Starts to listen. */
enum heaptap_status net_server_new(struct net_server **server, const struct net_options *options,
                                   const struct net_service *service,
                                   struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Accepts no more connections; requests on open ones are refused with 503.  NULL is allowed. */
void net_server_end(struct net_server *server);

/* Ends it, and returns when all that the service was asked is answered.  NULL allowed. */
void net_server_free(struct net_server *server);

/* Where it listens: "http://127.0.0.1:4040", or https. */
enum { NET_ADDRESS_BYTES = 80 };
void net_server_address(const struct net_server *server, char *address);

/* By any thread; the request is gone then.  The text is taken. */
void net_answer(struct net_request *request, const struct net_answer *answer);

/* For what checks a request: sets the sentence, and returns the status. */
unsigned net_fault(struct heaptap_error *error, unsigned status, const char *sentence);

/* Answers with a status other than 200 and a sentence, as plain text. */
void net_refuse(struct net_request *request, unsigned status, const char *sentence);

#endif
