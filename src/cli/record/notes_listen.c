#include "cli/record/notes_listen.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "tap/inside/notes.h"

enum { NOTES_MOST = 4096, LINES_BYTES = 256 << 10 };

/* ---- The socket ---------------------------------------------------------------------- */

/* False where the kernel has none. */
static bool put_random(char digits[NOTES_DIGITS])
{
    uint8_t bytes[NOTES_DIGITS / 2];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return false;
    for (size_t i = 0; i < NOTES_DIGITS; i++)
        digits[i] = "0123456789abcdef"[bytes[i / 2] >> (i % 2 * 4) & 15];
    return true;
}

int notes_listen(struct notes_socket *to, char *place, size_t size)
{
    struct sockaddr_un address;
    size_t used = strlen(place);
    to->mode = notes_socket_mode();
    if (size - used < NOTES_SOCKET_BYTES || !put_random(to->name) || !put_random(to->key))
        return -1;
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    socklen_t address_size = notes_socket_address(to, &address);
    if (bind(fd, (struct sockaddr *)&address, address_size) != 0 || listen(fd, NOTES_MOST) != 0) {
        close(fd);
        return -1;
    }
    snprintf(place + used, size - used, "%c%c%.*s%.*s", NOTES_SOCKET_AT, to->mode, NOTES_DIGITS,
             to->name, NOTES_DIGITS, to->key);
    return fd;
}

/* ---- What comes ---------------------------------------------------------------------- */

/* Is it one line of a kind that there is, with the end that belongs to it? */
static bool is_note(const struct notes_socket *to, const char *packet, size_t size)
{
    static const char kinds[] = {NOTE_REMARK, NOTE_FAULT, NOTE_LOSS, NOTE_BEGUN, NOTE_RECORDING};
    const char *note = packet + NOTES_DIGITS;
    return size > NOTES_DIGITS + 2 && memcmp(packet, to->key, NOTES_DIGITS) == 0 &&
           memchr(kinds, *note, sizeof kinds) &&
           memchr(note, 0, size - NOTES_DIGITS) == packet + size - 1;
}

size_t notes_receive(int listener, const struct notes_socket *to, struct text *lines)
{
    size_t left_out = 0;
    int fd;
    for (int i = 0; i < NOTES_MOST && (fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0;
         i++) {
        char packet[NOTE_BYTES];
        ssize_t size = recv(fd, packet, sizeof packet, MSG_DONTWAIT);
        close(fd);
        if (size <= 0 || !is_note(to, packet, (size_t)size))
            continue;
        size_t more = (size_t)size - NOTES_DIGITS;
        if (lines->size + more > LINES_BYTES)
            left_out++;
        else
            text_put(lines, packet + NOTES_DIGITS, more);
    }
    return left_out;
}
