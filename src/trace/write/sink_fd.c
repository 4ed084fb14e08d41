#include "heaptap/trace.h"

#include "inside/kernel.h"

static int write_fd(void *context, const void *data, size_t size)
{
    int fd = (int)(intptr_t)context;
    const char *at = data;
    while (size > 0) {
        long written = kernel_write(fd, at, size);
        if (written == -EINTR)
            continue;
        if (written < 0)
            return (int)-written;
        at += written;
        size -= (size_t)written;
    }
    return 0;
}

struct heaptap_sink heaptap_sink_fd(int fd)
{
    return (struct heaptap_sink){.write = write_fd, .context = (void *)(intptr_t)fd};
}
