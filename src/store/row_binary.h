/* ClickHouse's format RowBinary: the values of a row one after the other, numbers as they are in memory (little-endian). */
#ifndef STORE_ROW_BINARY_H
#define STORE_ROW_BINARY_H

#include "base/text.h"

static inline void binary_put_u64(struct text *text, uint64_t value)
{
    text_put(text, (const char *)&value, sizeof value);
}

static inline void binary_put_u32(struct text *text, uint32_t value)
{
    text_put(text, (const char *)&value, sizeof value);
}

static inline void binary_put_u16(struct text *text, uint16_t value)
{
    text_put(text, (const char *)&value, sizeof value);
}

static inline void binary_put_real(struct text *text, double value)
{
    text_put(text, (const char *)&value, sizeof value);
}

static inline void binary_put_float(struct text *text, float value)
{
    text_put(text, (const char *)&value, sizeof value);
}

/* How long a string or an array is: 7 bits a byte, the lowest first. */
static inline void binary_put_size(struct text *text, size_t size)
{
    for (; size > 127; size >>= 7)
        text_put_char(text, (char)(size | 128));
    text_put_char(text, (char)size);
}

static inline void binary_put_string(struct text *text, const char *string, size_t size)
{
    binary_put_size(text, size);
    text_put(text, string, size);
}

/* What is left to read; `failed` once it was too short. */
struct binary {
    const char *at;
    size_t left;
    bool failed;
};

static inline struct binary binary_of(const struct text *text)
{
    return (struct binary){text->bytes, text->size, text->failed};
}

/* Whether another row begins here. */
static inline bool binary_more(const struct binary *binary)
{
    return !binary->failed && binary->left > 0;
}

/* `size` bytes; NULL when there are not as many. */
static inline const char *binary_bytes(struct binary *binary, size_t size)
{
    const char *bytes = binary->at;
    if (binary->failed || size > binary->left) {
        binary->failed = true;
        return NULL;
    }
    binary->at += size;
    binary->left -= size;
    return bytes;
}

/* Leaves `to` as it is when there are not as many bytes. */
static inline void binary_copy(struct binary *binary, void *to, size_t size)
{
    const char *bytes = binary_bytes(binary, size);
    if (bytes)
        memcpy(to, bytes, size);
}

static inline uint64_t binary_u64(struct binary *binary)
{
    uint64_t value = 0;
    binary_copy(binary, &value, sizeof value);
    return value;
}

static inline double binary_real(struct binary *binary)
{
    double value = 0;
    binary_copy(binary, &value, sizeof value);
    return value;
}

static inline size_t binary_size(struct binary *binary)
{
    size_t size = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
        const char *byte = binary_bytes(binary, 1);
        if (!byte)
            return 0;
        size |= (size_t)(*byte & 127) << shift;
        if (!(*byte & 128))
            return size;
    }
    binary->failed = true;
    return 0;
}

#endif
