#include "answer/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

enum { CHUNK_BYTES = 3 * 1024 };

static void write_chunk(FILE *file, const uint8_t *bytes, size_t size)
{
    char text[CHUNK_BYTES / 3 * 4];
    size_t used = 0;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t three = (uint32_t)bytes[i] << 16 |
                         (i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (i + 2 < size ? bytes[i + 2] : 0);
        text[used++] = alphabet[three >> 18];
        text[used++] = alphabet[three >> 12 & 63];
        text[used++] = i + 1 < size ? alphabet[three >> 6 & 63] : '=';
        text[used++] = i + 2 < size ? alphabet[three & 63] : '=';
    }
    fwrite(text, 1, used, file);
}

void base64_write(FILE *file, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += CHUNK_BYTES)
        write_chunk(file, bytes + at, size - at < CHUNK_BYTES ? size - at : CHUNK_BYTES);
}
