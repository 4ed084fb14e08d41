/* Sends what waits in a spool to a server, the oldest first, on a thread of its own.
 *
 * A profile leaves the spool when the server has taken it.  When the server is away or cannot take
 * it now, it is sent again, after pauses that grow from 1 s to a minute.  One that the server will
 * never take (400, 413, 415, 422) is removed and counted.  A profile may arrive twice, where an
 * answer gets lost; the server knows it by its content. */
#ifndef FLEET_PUSH_SENDER_H
#define FLEET_PUSH_SENDER_H

#include "fleet/push/spool.h"

struct sender;

/* Is it a URL of HTTP or HTTPS? */
bool sender_is_url(const char *url);

/* Sends to `url` (fleet/push/query.h); `token`, NULL for none, is what the server wants; `authorities`, NULL for the system's, is a file of
 * certificates in PEM form, by which that of a server of HTTPS is known.
 * Everything is borrowed until the sender is freed.  Starts no thread yet. */
enum heaptap_status sender_new(struct sender **sender, const char *url, const char *token,
                               const char *authorities, struct spool *spool,
                               struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Starts the thread, which gets no signals.  False with errno. */
bool sender_start(struct sender *sender);

/* There is something new in the spool. */
void sender_wake(struct sender *sender);

/* Goes on until nothing waits, a try fails, or a time has passed; then ends the thread. */
void sender_end(struct sender *sender, double seconds);

/* Ends it at once, where that was not done.  NULL allowed. */
void sender_free(struct sender *sender);

enum { SENDER_MESSAGE_BYTES = 200 };

struct sender_state {
    size_t sent, refused;
    bool fails; /* the last try did */
    char
        message[SENDER_MESSAGE_BYTES]; /* why it did, or why the last one was refused; "" if none */
};
void sender_look(struct sender *sender, struct sender_state *state);

#endif
