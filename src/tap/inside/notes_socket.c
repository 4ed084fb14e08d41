#include "tap/inside/notes_socket.h"

#include <string.h>
#include <sys/prctl.h>

#include "tap/inside/kernel.h"

char notes_socket_mode(void)
{
    long mode = kernel_call(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0, 0);
    return mode >= 0 && mode <= 2 ? (char)('0' + mode) : '?';
}

socklen_t notes_socket_address(const struct notes_socket *socket, struct sockaddr_un *address)
{
    static const char prefix[] = "heaptap-";
    *address = (struct sockaddr_un){.sun_family = AF_UNIX}; /* a first byte of 0: no file */
    memcpy(address->sun_path + 1, prefix, sizeof prefix - 1);
    memcpy(address->sun_path + sizeof prefix, socket->name, NOTES_DIGITS);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof prefix + NOTES_DIGITS);
}

/* A filter that this process has got since may end it for a call that programs seldom need. */
static int open_socket(const struct notes_socket *to)
{
    const int kind = SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK;
    return notes_socket_mode() == to->mode ? (int)kernel_call(SYS_socket, AF_UNIX, kind, 0, 0, 0, 0)
                                           : -EPERM;
}

bool notes_socket_send(const struct notes_socket *to, const struct iovec parts[3])
{
    struct sockaddr_un address;
    struct iovec all[] = {{(void *)(uintptr_t)to->key, NOTES_DIGITS}, parts[0], parts[1], parts[2]};
    struct msghdr message = {.msg_iov = all, .msg_iovlen = 4};
    long size = NOTES_DIGITS + (long)(parts[0].iov_len + parts[1].iov_len + parts[2].iov_len);
    socklen_t address_size = notes_socket_address(to, &address);
    int fd = size < NOTE_BYTES ? open_socket(to) : -EMSGSIZE;
    if (fd < 0)
        return false;
    bool sent =
        kernel_call(SYS_connect, fd, (long)&address, address_size, 0, 0, 0) == 0 &&
        kernel_call(SYS_sendmsg, fd, (long)&message, MSG_NOSIGNAL | MSG_DONTWAIT, 0, 0, 0) == size;
    kernel_close(fd);
    return sent;
}
