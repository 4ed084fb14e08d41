/* The socket by which processes send notes that can't reach heaptap's file (tap/inside/notes_socket.h).  Anybody may
 * connect: what doesn't know the key is dropped, and no more is read than a bounded amount. */
#ifndef CLI_RECORD_NOTES_LISTEN_H
#define CLI_RECORD_NOTES_LISTEN_H

#include <stddef.h>

#include "base/text.h"
#include "tap/inside/notes_socket.h"

/* Begins to listen, and puts the socket's text behind what is in `place`.  A descriptor; -1, with `place` as it was, where
 * that can't be. */
int notes_listen(struct notes_socket *socket, char *place, size_t size);

/* Adds all notes that wait, each ended by a zero byte.  Returns how many there was no room for. */
size_t notes_receive(int fd, const struct notes_socket *socket, struct text *lines);

#endif
