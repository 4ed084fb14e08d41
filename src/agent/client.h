/* Messages on a pair of descriptors, one a line, of any length.
 *
 * Nothing is written but what the client takes: what it does not read waits here, while calls go on; and a client that is far
 * behind is not read until it has caught up. */
#ifndef AGENT_CLIENT_H
#define AGENT_CLIENT_H

#include <stdbool.h>

#include "base/text.h"

enum { CLIENT_LINE_MOST = 256 << 20, CLIENT_QUEUE_MOST = 16 << 20 };

struct client {
    int in, out;
    struct text line;  /* what has come of the client's next message */
    size_t searched;   /* of it, without a newline */
    bool is_skipped;   /* it is longer than CLIENT_LINE_MOST: what comes of it is dropped */
    struct text queue; /* what the client has yet to read, from `sent` on */
    size_t sent;
    bool is_over; /* the client says no more */
    bool is_deaf; /* nor does it read */
};

void client_release(struct client *client);

/* Is there something for it to read, and for us? */
bool client_has_output(const struct client *client);
bool client_takes_input(const struct client *client);

/* Queues a message, which is ended by a newline. */
void client_put(struct client *client, const char *bytes, size_t size);

/* Once poll says so: writes some of the queue, reads what is there. */
void client_write(struct client *client);
void client_read(struct client *client);

enum client_line {
    CLIENT_NONE,
    CLIENT_LINE,
    CLIENT_TOO_LONG, /* one has been dropped */
};

/* The next whole line; blank ones are none.  Its bytes last until client_done. */
enum client_line client_next(struct client *client, const char **bytes, size_t *size);
void client_done(struct client *client, size_t size);

#endif
