/* The file of a snapshot, written a piece at a time. */
#ifndef TAP_HOLDERS_OUTPUT_H
#define TAP_HOLDERS_OUTPUT_H

#include <stdbool.h>
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

/* The id of a block, if the trace has it, by the last one that was put. */
static inline void snapshot_put_id(struct snapshot_output *output, bool is_known, uint64_t id,
                                   uint64_t *before)
{
    int64_t more = (int64_t)(id - *before);
    snapshot_put(output, is_known ? ((uint64_t)more << 1 ^ (uint64_t)(more >> 63)) + 1 : 0);
    if (is_known)
        *before = id;
}

void snapshot_put_bytes(struct snapshot_output *output, const void *bytes, size_t size);

#endif
