/* UTF-8, decoded strictly. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdint.h>

#define UTF8_BAD UINT32_MAX

/* The character at `text` (not at its final 0) and, as result, how many bytes it takes.  UTF8_BAD
 * and 1 where the bytes are no character of UTF-8: overlong forms, surrogates and anything above
 * U+10FFFF are none. */
int utf8_decode(const char *text, uint32_t *character);

#endif
