/* A recording has no magic.  It is blocks of LZ4, each with a 1 and its length before it; unpacked, it begins with the
 * length of the first event, and its kind, which is 0. */
#include "format/import/bytehound.h"

#include <string.h>

enum {
    HEAD_BYTES = 5,
    BLOCK_MOST = 1 << 20,
    START_BYTES = 8,
    EVENT_LEAST = 64, /* of the first event: its figures alone have so many */
    EVENT_MOST = 1 << 20
};

static uint32_t word(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* A length of LZ4's: the rest of one that four bits are too few for comes in bytes.  False where the bytes end. */
static bool take_length(const uint8_t **at, const uint8_t *end, size_t *length)
{
    uint8_t more = 255;
    if (*length < 15)
        return true;
    for (; more == 255; *length += more) {
        if (*at == end)
            return false;
        more = *(*at)++;
    }
    return true;
}

/* Unpacks the first bytes of a block. */
static bool unpack_start(const uint8_t *at, const uint8_t *end, uint8_t start[START_BYTES])
{
    size_t got = 0;
    while (got < START_BYTES && at < end) {
        size_t literals = *at >> 4, matched = *at & 15;
        at++;
        if (!take_length(&at, end, &literals) || literals > (size_t)(end - at))
            return false;
        for (size_t i = 0; i < literals && got < START_BYTES; i++)
            start[got++] = at[i];
        at += literals;
        if (got == START_BYTES || end - at < 2)
            break;
        size_t back = at[0] | (size_t)at[1] << 8;
        at += 2;
        if (back == 0 || back > got || !take_length(&at, end, &matched))
            return false;
        for (size_t i = 0; i < matched + 4 && got < START_BYTES; i++, got++)
            start[got] = start[got - back];
    }
    return got == START_BYTES;
}

bool bytehound_looks_like_one(const uint8_t *bytes, size_t size)
{
    uint8_t start[START_BYTES];
    if (size < HEAD_BYTES || bytes[0] != 1)
        return false;
    size_t length = word(bytes + 1), there = size - HEAD_BYTES;
    if (length < START_BYTES || length > BLOCK_MOST)
        return false;
    return unpack_start(bytes + HEAD_BYTES, bytes + HEAD_BYTES + (length < there ? length : there),
                        start) &&
           word(start) >= EVENT_LEAST && word(start) <= EVENT_MOST && word(start + 4) == 0;
}
