/* Messages of a profile that are put together before they are written. */
#ifndef TAP_GATHER_SMALL_H
#define TAP_GATHER_SMALL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "spec/protobuf_wire.h"

enum { SMALL_BYTES = 256 };

/* A message, or a part of one, that is small and of which the length must be known first. */
struct small {
    size_t size;
    uint8_t bytes[SMALL_BYTES];
};

/* An item of a packed field, or the key of one. */
static inline void small_item(struct small *small, uint64_t value)
{
    small->size = (size_t)(wire_encode(small->bytes + small->size, value) - small->bytes);
}

/* Nothing for 0: that is what a reader assumes. */
static inline void small_number(struct small *small, unsigned field, uint64_t value)
{
    if (value == 0)
        return;
    small_item(small, field << 3 | WIRE_VARINT);
    small_item(small, value);
}

/* A message in a message. */
static inline void small_message(struct small *small, unsigned field, const struct small *inner)
{
    small_item(small, field << 3 | WIRE_BYTES);
    small_item(small, inner->size);
    memcpy(small->bytes + small->size, inner->bytes, inner->size);
    small->size += inner->size;
}

#endif
