#include "pprof/read/wire.h"

#include "base/error.h"

enum { VARINT_BYTES_MAX = 10 };

enum heaptap_status wire_long_varint(struct wire *wire, uint64_t *value,
                                     struct heaptap_error *error)
{
    *value = 0;
    for (int i = 0; i < VARINT_BYTES_MAX; i++) {
        if (wire->at + i >= wire->end)
            return error_at(error, wire_offset(wire),
                            "a number is cut off by the end of its field");
        *value |= (uint64_t)(wire->at[i] & 0x7f) << (7 * i);
        if (wire->at[i] < 0x80) {
            wire->at += i + 1;
            return HEAPTAP_OK;
        }
    }
    return error_at(error, wire_offset(wire), "a number has more than ten bytes");
}

static enum heaptap_status take_fixed(struct wire *wire, struct wire_field *field, int size,
                                      struct heaptap_error *error)
{
    if (wire->end - wire->at < size)
        return error_at(error, wire_offset(wire), "a number is cut off by the end of its field");
    field->value = 0;
    for (int i = 0; i < size; i++)
        field->value |= (uint64_t)wire->at[i] << (8 * i);
    wire->at += size;
    return HEAPTAP_OK;
}

static enum heaptap_status take_bytes(struct wire *wire, struct wire_field *field,
                                      struct heaptap_error *error)
{
    uint64_t size;
    enum heaptap_status status = wire_varint(wire, &size, error);
    if (status != HEAPTAP_OK)
        return status;
    if (size > (uint64_t)(wire->end - wire->at))
        return error_at(error, field->offset,
                        "a field of %llu bytes begins here, of which %llu are there",
                        (unsigned long long)size, (unsigned long long)(wire->end - wire->at));
    field->content = (struct wire){wire->at, wire->at + size, wire->file};
    wire->at += size;
    return HEAPTAP_OK;
}

enum heaptap_status wire_tag(struct wire *wire, struct wire_field *field,
                             struct heaptap_error *error)
{
    uint64_t tag;
    field->offset = wire_offset(wire);
    enum heaptap_status status = wire_varint(wire, &tag, error);
    if (status != HEAPTAP_OK)
        return status;
    field->type = (enum wire_type)(tag & 7);
    field->number = tag >> 3 <= UINT32_MAX ? (uint32_t)(tag >> 3) : 0;
    if (field->number == 0)
        return error_at(error, field->offset, "no field has the number %llu",
                        (unsigned long long)(tag >> 3));
    if (field->type > WIRE_FIXED_32 || field->type == 3 || field->type == 4)
        return error_at(error, field->offset, "there is no wire type %u", (unsigned)(tag & 7));
    return HEAPTAP_OK;
}

enum heaptap_status wire_next(struct wire *wire, struct wire_field *field,
                              struct heaptap_error *error)
{
    if (wire->at >= wire->end)
        return HEAPTAP_END;
    enum heaptap_status status = wire_tag(wire, field, error);
    if (status != HEAPTAP_OK)
        return status;
    switch (field->type) {
    case WIRE_VARINT:
        return wire_varint(wire, &field->value, error);
    case WIRE_FIXED_64:
        return take_fixed(wire, field, 8, error);
    case WIRE_FIXED_32:
        return take_fixed(wire, field, 4, error);
    case WIRE_BYTES:
        break;
    }
    return take_bytes(wire, field, error);
}
