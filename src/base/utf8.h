/* UTF-8, decoded strictly. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_BAD UINT32_MAX

/* The character at `text` (not at its final 0) and, as result, how many bytes it takes.  UTF8_BAD
 * and 1 where the bytes are no character of UTF-8: overlong forms, surrogates and anything above
 * U+10FFFF are none. */
int utf8_decode(const char *text, uint32_t *character);

/* Whether a byte is one of a character's other than its first. */
static inline bool utf8_continues(char byte)
{
    return (byte & 0xc0) == 0x80;
}

/* How many characters a text has. */
static inline size_t utf8_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += !utf8_continues(*text);
    return width;
}

/* `size`, or the least that it has to be less for the text's first bytes to end with a whole character; text[size] is read. */
static inline size_t utf8_cut(const char *text, size_t size)
{
    while (size > 0 && utf8_continues(text[size]))
        size--;
    return size;
}

#endif
