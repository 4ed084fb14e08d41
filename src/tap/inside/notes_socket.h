/* The second way to the heaptap that listens, for processes that can't open its file: another user's, and those with
 * another root folder.  It is an abstract socket, which takes neither files nor rights; a network namespace of its own is
 * out of its reach.
 *
 * A note is a connection with one packet, and waits in it until heaptap has the time.  Everybody may see the socket's name
 * (/proc/net/unix), so a packet begins with a key, which is in the environment of recorded processes alone. */
#ifndef TAP_INSIDE_NOTES_SOCKET_H
#define TAP_INSIDE_NOTES_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

enum {
    NOTES_DIGITS = 16, /* of a name and of a key, hexadecimal */
    NOTES_SOCKET_AT = '@',
    NOTES_SOCKET_BYTES = 2 + 2 * NOTES_DIGITS + 1,
    NOTE_BYTES = 8192, /* a packet has fewer */
};

/* As a text: "@", and these. */
struct notes_socket {
    char mode; /* as below, in the heaptap that listens; 0: there is no socket */
    char name[NOTES_DIGITS], key[NOTES_DIGITS];
};

/* '0', '1' or '2': which system calls seccomp has taken from this process; '?' where the kernel does not say. */
char notes_socket_mode(void);

/* The address in `address`; returns its size. */
socklen_t notes_socket_address(const struct notes_socket *socket, struct sockaddr_un *address);

/* Sends the key and three parts after it as one packet, without waiting, and leaves nothing open.  False where that
 * can't be. */
bool notes_socket_send(const struct notes_socket *socket, const struct iovec parts[3]);

#endif
