#include "heaptap/trace.h"

#include "tap/inside/kernel.h"

static int write_fd(void *context, const void *data, size_t size)
{
    return kernel_write_whole((int)(intptr_t)context, data, size);
}

struct heaptap_sink heaptap_sink_fd(int fd)
{
    return (struct heaptap_sink){.write = write_fd, .context = (void *)(intptr_t)fd};
}
