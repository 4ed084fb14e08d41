/* A field's content is written where it will stay but for its length, which is one byte for most:
 * that byte is left free, and longer lengths move the content up.  Contents are small and nest
 * three deep at most, so little is moved. */
#include "pprof/write/protobuf.h"

#include <errno.h>
#include <string.h>

enum { FLUSH_BYTES = 64 << 10 };

void protobuf_init(struct protobuf *protobuf, struct heaptap_sink sink)
{
    *protobuf = (struct protobuf){.sink = sink};
}

void protobuf_pack(struct text *list, uint64_t value)
{
    if (!text_reserve(list, WIRE_VARINT_MAX))
        return;
    uint8_t *end = wire_encode((uint8_t *)list->bytes + list->size, value);
    list->size = (size_t)((char *)end - list->bytes);
}

void protobuf_item(struct protobuf *protobuf, uint64_t value)
{
    protobuf_pack(&protobuf->bytes, value);
}

static void flush(struct protobuf *protobuf)
{
    struct text *bytes = &protobuf->bytes;
    if (bytes->size > 0 && protobuf->code == 0)
        protobuf->code = protobuf->sink.write(protobuf->sink.context, bytes->bytes, bytes->size);
    bytes->size = 0;
}

static inline void flush_if_large(struct protobuf *protobuf)
{
    if (protobuf->depth == 0 && protobuf->bytes.size >= FLUSH_BYTES)
        flush(protobuf);
}

void protobuf_number(struct protobuf *protobuf, unsigned field, uint64_t value)
{
    protobuf_item(protobuf, field << 3 | WIRE_VARINT);
    protobuf_item(protobuf, value);
    flush_if_large(protobuf);
}

void protobuf_bytes(struct protobuf *protobuf, unsigned field, const void *data, size_t size)
{
    protobuf_item(protobuf, field << 3 | WIRE_BYTES);
    protobuf_item(protobuf, size);
    text_put(&protobuf->bytes, data, size);
    flush_if_large(protobuf);
}

void protobuf_begin(struct protobuf *protobuf, unsigned field)
{
    protobuf_item(protobuf, field << 3 | WIRE_BYTES);
    text_put_char(&protobuf->bytes, 0);
    protobuf->begun[protobuf->depth++] = protobuf->bytes.size;
}

void protobuf_end(struct protobuf *protobuf)
{
    struct text *bytes = &protobuf->bytes;
    uint8_t length[WIRE_VARINT_MAX];
    size_t begun = protobuf->begun[--protobuf->depth];
    if (bytes->failed || !text_reserve(bytes, WIRE_VARINT_MAX))
        return;
    size_t content = bytes->size - begun, size = (size_t)(wire_encode(length, content) - length);
    if (size > 1)
        memmove(bytes->bytes + begun + size - 1, bytes->bytes + begun, content);
    memcpy(bytes->bytes + begun - 1, length, size);
    bytes->size += size - 1;
    flush_if_large(protobuf);
}

uint8_t *protobuf_reserve(struct protobuf *protobuf, size_t size)
{
    struct text *bytes = &protobuf->bytes;
    return text_reserve(bytes, size) ? (uint8_t *)bytes->bytes + bytes->size : NULL;
}

void protobuf_put_up_to(struct protobuf *protobuf, const uint8_t *end)
{
    protobuf->bytes.size = (size_t)((const char *)end - protobuf->bytes.bytes);
    flush_if_large(protobuf);
}

int protobuf_finish(struct protobuf *protobuf)
{
    flush(protobuf);
    if (protobuf->bytes.failed && protobuf->code == 0)
        protobuf->code = ENOMEM;
    text_release(&protobuf->bytes);
    return protobuf->code;
}
