/* Protocol buffers, read field by field, with the byte at which each stands. */
#ifndef PPROF_READ_WIRE_H
#define PPROF_READ_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "heaptap/status.h"
#include "spec/protobuf_wire.h"

/* A message, or the content of a packed list; all is borrowed. */
struct wire {
    const uint8_t *at, *end;
    const uint8_t *file; /* first byte of the file: what offsets count from */
};

struct wire_field {
    uint32_t number;
    enum wire_type type;
    uint64_t value;      /* WIRE_VARINT and the fixed ones */
    struct wire content; /* WIRE_BYTES */
    uint64_t offset;     /* of its first byte in the file */
};

static inline uint64_t wire_offset(const struct wire *wire)
{
    return (uint64_t)(wire->at - wire->file);
}

/* The slow path of wire_varint: two bytes or more, or too few. */
enum heaptap_status wire_long_varint(struct wire *wire, uint64_t *value,
                                     struct heaptap_error *error);

/* The next integer of a packed list, which has not ended. */
static inline enum heaptap_status wire_varint(struct wire *wire, uint64_t *value,
                                              struct heaptap_error *error)
{
    if (__builtin_expect(wire->at < wire->end && *wire->at < 0x80, 1)) {
        *value = *wire->at++;
        return HEAPTAP_OK;
    }
    if (__builtin_expect(wire->end - wire->at >= 2 && wire->at[1] < 0x80, 1)) {
        *value = (uint64_t)(wire->at[0] & 0x7f) | (uint64_t)wire->at[1] << 7;
        wire->at += 2;
        return HEAPTAP_OK;
    }
    return wire_long_varint(wire, value, error);
}

/* The integer that a zigzag varint stands for. */
static inline int64_t wire_signed(uint64_t value)
{
    return (int64_t)(value >> 1 ^ -(value & 1));
}

/* The number, type and offset of the next field, whose content follows. */
enum heaptap_status wire_tag(struct wire *wire, struct wire_field *field,
                             struct heaptap_error *error);

/* The next field of a message; HEAPTAP_END after the last one. */
enum heaptap_status wire_next(struct wire *wire, struct wire_field *field,
                              struct heaptap_error *error);

#endif
