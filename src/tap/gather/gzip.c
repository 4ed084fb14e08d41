#include "tap/gather/gzip.h"

#include <string.h>

void gzip_begin(struct gzip *gzip, struct heaptap_sink sink)
{
    gzip->sink = sink;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t remainder = i;
        for (int bit = 0; bit < 8; bit++)
            remainder = remainder >> 1 ^ (remainder & 1 ? 0xedb88320u : 0);
        gzip->crc_table[i] = remainder;
    }
}

static void emit(struct gzip *gzip, const void *data, size_t size)
{
    if (gzip->code == 0)
        gzip->code = gzip->sink.write(gzip->sink.context, data, size);
}

static void put_32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

static void flush(struct gzip *gzip, bool last)
{
    static const uint8_t header[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff};
    struct deflate *deflate = &gzip->deflate;
    uint32_t crc = ~gzip->crc;
    for (uint32_t i = 0; i < gzip->used; i++)
        crc = crc >> 8 ^ gzip->crc_table[(crc ^ gzip->block[i]) & 255];
    gzip->crc = ~crc;
    gzip->size += gzip->used;
    deflate_block(deflate, gzip->block, gzip->used, last);
    if (!gzip->begun)
        emit(gzip, header, sizeof header);
    gzip->begun = true;
    if (last) {
        put_32(deflate->out + deflate->out_size, gzip->crc);
        put_32(deflate->out + deflate->out_size + 4, gzip->size);
    }
    emit(gzip, deflate->out, deflate->out_size + (last ? 8 : 0));
    gzip->used = 0;
}

void gzip_put(struct gzip *gzip, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        size_t room = DEFLATE_BLOCK_MOST - gzip->used, some = size < room ? size : room;
        memcpy(gzip->block + gzip->used, at, some);
        gzip->used += (uint32_t)some;
        at += some;
        size -= some;
        if (gzip->used == DEFLATE_BLOCK_MOST)
            flush(gzip, false);
    }
}

int gzip_end(struct gzip *gzip)
{
    flush(gzip, true);
    return gzip->code;
}
