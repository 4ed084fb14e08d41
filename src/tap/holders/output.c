#include "tap/holders/output.h"

#include "tap/inside/kernel.h"

void snapshot_output_flush(struct snapshot_output *output)
{
    if (!output->code)
        output->code = kernel_write_whole(output->fd, output->bytes, output->used);
    output->used = 0;
}

void snapshot_put_bytes(struct snapshot_output *output, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        snapshot_put_byte(output, ((const uint8_t *)bytes)[i]);
}
