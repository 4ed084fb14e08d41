/* Protocol buffers as bytes: what the writers in traced processes and outside of them, and the reader, have in common. */
#ifndef SPEC_PROTOBUF_WIRE_H
#define SPEC_PROTOBUF_WIRE_H

#include <stddef.h>
#include <stdint.h>

/* How a field's content is written: what its number, times 8, is or'ed with. */
enum wire_type { WIRE_VARINT = 0, WIRE_FIXED_64 = 1, WIRE_BYTES = 2, WIRE_FIXED_32 = 5 };

enum { WIRE_VARINT_MAX = 10 }; /* bytes of an integer: seven bits in each, the lowest first */

/* Puts an integer at `to`, of WIRE_VARINT_MAX bytes at most; where it ends. */
static inline uint8_t *wire_encode(uint8_t *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

/* How many bytes that takes. */
static inline size_t wire_encoded_size(uint64_t value)
{
    return (size_t)(63 - __builtin_clzll(value | 1)) / 7 + 1;
}

#endif
