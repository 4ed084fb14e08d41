/* Putting text together without stdio. */
#ifndef GUEST_TEXT_H
#define GUEST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *to; /* always zero-terminated */
    size_t size, used;
    bool cut; /* something had no room */
};

static inline void text_init(struct text *text, char *to, size_t size)
{
    *text = (struct text){.to = to, .size = size};
    to[0] = 0;
}

static inline void text_add_bytes(struct text *text, const char *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (text->used + 1 >= text->size) {
            text->cut = true;
            break;
        }
        text->to[text->used++] = from[i];
    }
    text->to[text->used] = 0;
}

static inline void text_add(struct text *text, const char *from)
{
    text_add_bytes(text, from, __builtin_strlen(from));
}

static inline void text_add_number(struct text *text, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    text_add_bytes(text, digits + at, sizeof digits - at);
}

#endif
