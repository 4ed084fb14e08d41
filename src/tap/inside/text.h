/* Short texts built in the caller's buffer, without stdio. */
#ifndef TAP_INSIDE_TEXT_H
#define TAP_INSIDE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
    char *start, *at, *end; /* `end` is the last byte, which holds the final 0 at the latest */
    bool cut;               /* something did not fit */
};

/* An empty text in `size` bytes, at least 1. */
static inline void text_init(struct text *text, char *buffer, size_t size)
{
    *text = (struct text){buffer, buffer, buffer + size - 1, false};
    *buffer = 0;
}

static inline void text_add_bytes(struct text *text, const char *bytes, size_t size)
{
    size_t room = (size_t)(text->end - text->at);
    if (size > room) {
        size = room;
        text->cut = true;
    }
    memcpy(text->at, bytes, size);
    text->at += size;
    *text->at = 0;
}

static inline void text_add(struct text *text, const char *string)
{
    text_add_bytes(text, string, strlen(string));
}

/* In `base`, 16 at most, with zeros in front up to `digits` digits, 20 at most. */
static inline void text_add_digits(struct text *text, uint64_t number, unsigned base,
                                   unsigned digits)
{
    char places[20];
    size_t first = sizeof places;
    do {
        places[--first] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number > 0 || sizeof places - first < digits);
    text_add_bytes(text, places + first, sizeof places - first);
}

static inline void text_add_number(struct text *text, uint64_t number)
{
    text_add_digits(text, number, 10, 1);
}

static inline void text_add_hex(struct text *text, uint64_t number)
{
    text_add_digits(text, number, 16, 1);
}

#endif
