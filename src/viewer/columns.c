#include "viewer/columns.h"

#include <endian.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

enum { CHUNK_BYTES = 3 * 1024 };

static void encode(FILE *file, const uint8_t *bytes, size_t size)
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

/* A value's eight or four bytes at a time, so that the machine's own order doesn't matter. */
struct chunk {
    uint8_t bytes[CHUNK_BYTES];
    size_t used;
};

static void put_bytes(struct json *json, struct chunk *chunk, const void *bytes, size_t size)
{
    memcpy(chunk->bytes + chunk->used, bytes, size);
    chunk->used += size;
    if (chunk->used == CHUNK_BYTES) {
        encode(json->file, chunk->bytes, chunk->used);
        chunk->used = 0;
    }
}

static void begin(struct json *json, struct chunk *chunk, const char *key)
{
    chunk->used = 0;
    json_key(json, key);
    json_begin_raw_string(json);
}

static void end(struct json *json, struct chunk *chunk)
{
    encode(json->file, chunk->bytes, chunk->used);
    json_end_raw_string(json);
}

void columns_write(FILE *file, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += CHUNK_BYTES)
        encode(file, bytes + at, size - at < CHUNK_BYTES ? size - at : CHUNK_BYTES);
}

void columns_put_bytes(struct json *json, const char *key, const uint8_t *bytes, size_t size)
{
    json_key(json, key);
    json_begin_raw_string(json);
    columns_write(json->file, bytes, size);
    json_end_raw_string(json);
}

void columns_put_u32(struct json *json, const char *key, const uint32_t *values, size_t count)
{
    struct chunk chunk;
    begin(json, &chunk, key);
    for (size_t i = 0; i < count; i++) {
        uint32_t value = htole32(values[i]);
        put_bytes(json, &chunk, &value, sizeof value);
    }
    end(json, &chunk);
}

void columns_put_f64(struct json *json, const char *key, const double *values, size_t count)
{
    struct chunk chunk;
    begin(json, &chunk, key);
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        memcpy(&value, &values[i], sizeof value);
        value = htole64(value);
        put_bytes(json, &chunk, &value, sizeof value);
    }
    end(json, &chunk);
}
