/* Deflate (RFC 1951) for a traced process: repeated bytes become references, and everything is told by the format's fixed code.
 * A block is compressed by itself, in memory that the caller has. */
#ifndef TAP_GATHER_DEFLATE_H
#define TAP_GATHER_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DEFLATE_BLOCK_MOST = 65535,
    DEFLATE_OUT_MOST = DEFLATE_BLOCK_MOST / 8 * 9 + 32, /* no byte takes more than 9 bits */
    DEFLATE_HASH_BITS = 14,
};

struct deflate {
    uint64_t bits; /* that make no whole byte yet, the first the lowest */
    uint32_t bit_count;
    uint32_t out_size;
    uint8_t out[DEFLATE_OUT_MOST];           /* what the last call made */
    uint16_t latest[1 << DEFLATE_HASH_BITS]; /* by hash of 4 bytes: where they stood last, plus 1 */
};

/* Compresses a block of at most DEFLATE_BLOCK_MOST bytes into out; the last one ends with a whole byte.  Zeroed before the first. */
void deflate_block(struct deflate *deflate, const uint8_t *data, uint32_t size, bool last);

#endif
