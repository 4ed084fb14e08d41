#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_CAPACITY = 256, DIGITS_MAX = 20 };

void text_release(struct text *text)
{
    free(text->bytes);
    *text = (struct text){0};
}

char *text_take(struct text *text)
{
    text_put_char(text, 0);
    if (text->failed)
        text_release(text);
    char *taken = text->bytes;
    *text = (struct text){0};
    return taken;
}

bool text_grow(struct text *text, size_t more)
{
    size_t capacity = text->capacity ? text->capacity * 2 : FIRST_CAPACITY;
    if (capacity < text->size + more)
        capacity = text->size + more;
    char *bytes = realloc(text->bytes, capacity);
    if (!bytes) {
        text->failed = true;
        return false;
    }
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void text_put_uint(struct text *text, uint64_t value, unsigned digits)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    char buffer[DIGITS_MAX], *end = buffer + DIGITS_MAX, *at = end;
    while (value >= 100) {
        at -= 2;
        memcpy(at, pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        at -= 2;
        memcpy(at, pairs + value * 2, 2);
    } else {
        *--at = (char)('0' + value);
    }
    while (end - at < (int)digits)
        *--at = '0';
    text_put(text, at, (size_t)(end - at));
}

void text_put_int(struct text *text, int64_t value, unsigned digits)
{
    if (value < 0) {
        text_put_char(text, '-');
        text_put_uint(text, -(uint64_t)value, digits > 0 ? digits - 1 : 0);
    } else {
        text_put_uint(text, (uint64_t)value, digits);
    }
}

char *text_format(const char *format, ...)
{
    va_list arguments;
    char *text;
    va_start(arguments, format);
    int size = vasprintf(&text, format, arguments);
    va_end(arguments);
    return size < 0 ? NULL : text;
}
