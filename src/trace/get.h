/* Taking little-endian numbers from bytes.  Callers read ahead into slack bytes and check for the
 * end afterwards. */
#ifndef TRACE_GET_H
#define TRACE_GET_H

#include <stdint.h>
#include <string.h>

#include "spec/trace_format.h"

static inline uint16_t get_16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t get_32(const uint8_t *at)
{
    return get_16(at) | (uint32_t)get_16(at + 2) << 16;
}

static inline uint64_t get_64(const uint8_t *at)
{
    return get_32(at) | (uint64_t)get_32(at + 4) << 32;
}

static inline double get_double(const uint8_t *at)
{
    uint64_t bits = get_64(at);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The 32-bit form is sign-extended, as OCaml's writers count on. */
static inline const uint8_t *get_vint(const uint8_t *at, int64_t *value)
{
    uint8_t first = *at++;
    switch (first) {
    case VINT_16:
        *value = get_16(at);
        return at + 2;
    case VINT_32:
        *value = (int32_t)get_32(at);
        return at + 4;
    case VINT_64:
        *value = (int64_t)get_64(at);
        return at + 8;
    default:
        *value = first;
        return at;
    }
}

#endif
