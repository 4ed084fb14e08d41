/* Hexadecimal digits. */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include <stddef.h>
#include <stdint.h>

/* Two lower-case digits a byte, and a 0. */
static inline void hex_put(char *text, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        *text++ = digits[bytes[i] >> 4];
        *text++ = digits[bytes[i] & 15];
    }
    *text = 0;
}

/* The value of a digit; -1 where it is none. */
static inline int hex_digit(char character)
{
    return character >= '0' && character <= '9'   ? character - '0'
           : character >= 'a' && character <= 'f' ? character - 'a' + 10
           : character >= 'A' && character <= 'F' ? character - 'A' + 10
                                                  : -1;
}

#endif
