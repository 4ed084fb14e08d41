#include "heaptap/trace.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

static int write_fd(void *context, const void *data, size_t size)
{
    int fd = (int)(intptr_t)context, saved = errno;
    const char *at = data;
    while (size > 0) {
        ssize_t written = write(fd, at, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            int code = errno;
            errno = saved;
            return code;
        }
        at += written;
        size -= (size_t)written;
    }
    errno = saved;
    return 0;
}

struct heaptap_sink heaptap_sink_fd(int fd)
{
    return (struct heaptap_sink){.write = write_fd, .context = (void *)(intptr_t)fd};
}
