/* Cuts off connections that take too long.
 *
 * libmicrohttpd closes those that are silent, but whoever sends a byte of a header now and then, or takes one of an answer, stays as
 * long as he likes, and a few hundred of them are all that the server has room for.  So each connection has a time by which its
 * request must be there, and its answer gone; while the server itself works on the answer there is none.  A thread looks every
 * second, and shuts down the sockets of those that are late, which libmicrohttpd then closes.
 *
 * Where more than WATCH_MANY are there, those that sent nothing for half a second go, the ones that were silent longest first, until
 * WATCH_FEW are left: so that there is room for others at once, however many requests somebody begins and never ends. */
#ifndef NET_WATCH_H
#define NET_WATCH_H

#include "heaptap/status.h"

enum { WATCH_MANY = 700, WATCH_FEW = 400 };

struct watch;
struct watched;

/* `seconds` is how long a request, and an answer, may take. */
enum heaptap_status watch_new(struct watch **watch, int seconds,
                              struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* When no connection is watched any more.  NULL allowed. */
void watch_free(struct watch *watch);

/* A connection has come; NULL, which all below allow, when there is no memory. */
struct watched *watch_add(struct watch *watch, int socket);

/* Its time begins again. */
void watch_begin(struct watch *watch, struct watched *watched);

/* It has sent something. */
void watch_touch(struct watch *watch, struct watched *watched);

/* It has all the time it needs. */
void watch_pause(struct watch *watch, struct watched *watched);

/* Before its socket is closed. */
void watch_remove(struct watch *watch, struct watched *watched);

#endif
