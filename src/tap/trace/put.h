/* Appending little-endian numbers and strings to a packet.  The caller has made sure of the room.
 */
#ifndef TAP_TRACE_PUT_H
#define TAP_TRACE_PUT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "spec/trace_format.h"

static inline uint8_t *put_8(uint8_t *at, uint8_t value)
{
    *at = value;
    return at + 1;
}

/* Functions of their own: a shared one changes what the compiler inlines on the way of each event. */
#define PUT_NUMBER(bits)                                                                           \
    static inline uint8_t *put_##bits(uint8_t *at, uint##bits##_t value)                           \
    {                                                                                              \
        for (int i = 0; i < bits / 8; i++)                                                         \
            at[i] = (uint8_t)(value >> (8 * i));                                                   \
        return at + bits / 8;                                                                      \
    }

PUT_NUMBER(16)
PUT_NUMBER(32)
PUT_NUMBER(64)

static inline uint8_t *put_double(uint8_t *at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_64(at, bits);
}

enum { PUT_VINT_MAX_BYTES = 9 };

/* A number up to UINT16_MAX.  It takes one byte or three, unpredictably: so there is
 * no branch between these two, and four bytes are written. */
static inline __attribute__((always_inline)) uint8_t *put_vint_16(uint8_t *at, uint32_t number)
{
    const uint32_t is_large = number > VINT_SMALL_MAX;
    put_32(at, number << (8 * is_large) | (VINT_16 & -is_large));
    return at + 1 + 2 * is_large;
}

/* Most numbers are of that kind.
 *
 * Readers sign-extend the 32-bit form, so it serves only what survives that. */
static inline __attribute__((always_inline)) uint8_t *put_vint(uint8_t *at, int64_t value)
{
    if (__builtin_expect((uint64_t)value <= UINT16_MAX, 1))
        return put_vint_16(at, (uint32_t)value);
    if (value >= INT32_MIN && value <= INT32_MAX)
        return put_32(put_8(at, VINT_32), (uint32_t)value);
    return put_64(put_8(at, VINT_64), (uint64_t)value);
}

/* `size` bytes and the 0 that ends a string. */
static inline uint8_t *put_string(uint8_t *at, const char *text, size_t size)
{
    memcpy(at, text, size);
    at[size] = 0;
    return at + size + 1;
}

#endif
