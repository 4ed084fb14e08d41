/* The file of a snapshot, written a piece at a time. */
#ifndef TAP_HOLDERS_OUTPUT_H
#define TAP_HOLDERS_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

enum { SNAPSHOT_OUTPUT_BYTES = 1 << 18, SNAPSHOT_NUMBER_BYTES = 10 };

struct snapshot_output {
    int fd;
    int code; /* errno of the first failure; 0 */
    uint8_t *bytes;
    size_t used;
};

void snapshot_output_flush(struct snapshot_output *output);

static inline void snapshot_put_byte(struct snapshot_output *output, uint8_t byte)
{
    if (output->used == SNAPSHOT_OUTPUT_BYTES)
        snapshot_output_flush(output);
    output->bytes[output->used++] = byte;
}

static inline void snapshot_put(struct snapshot_output *output, uint64_t number)
{
    if (output->used > SNAPSHOT_OUTPUT_BYTES - SNAPSHOT_NUMBER_BYTES)
        snapshot_output_flush(output);
    for (; number >= 0x80; number >>= 7)
        output->bytes[output->used++] = (uint8_t)(number | 0x80);
    output->bytes[output->used++] = (uint8_t)number;
}

static inline void snapshot_put_signed(struct snapshot_output *output, int64_t number)
{
    snapshot_put(output, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

void snapshot_put_bytes(struct snapshot_output *output, const void *bytes, size_t size);

#endif
