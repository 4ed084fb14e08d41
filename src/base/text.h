/* Text that grows at its end: for output too large to go through printf a piece at a time. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Zeroed, it is empty.  Once memory has run out, what is put is lost and `failed` stays. */
struct text {
    char *bytes; /* not ended by a 0 */
    size_t size;
    size_t capacity;
    bool failed;
};

void text_release(struct text *text);

/* What was put, ended by a 0, to be freed: it is no longer the text's.  NULL when memory has run out. */
char *text_take(struct text *text);

/* Makes room for `more` bytes at the end; false, with `failed` set, when there is no memory. */
bool text_grow(struct text *text, size_t more);

static inline bool text_reserve(struct text *text, size_t more)
{
    return __builtin_expect(more <= text->capacity - text->size, 1) || text_grow(text, more);
}

static inline void text_put(struct text *text, const char *bytes, size_t size)
{
    if (size > 0 && text_reserve(text, size)) {
        memcpy(text->bytes + text->size, bytes, size);
        text->size += size;
    }
}

static inline void text_put_char(struct text *text, char character)
{
    if (text_reserve(text, 1))
        text->bytes[text->size++] = character;
}

static inline void text_put_string(struct text *text, const char *string)
{
    text_put(text, string, strlen(string));
}

/* Decimal, with zeros in front up to `digits` digits (20 at most). */
void text_put_uint(struct text *text, uint64_t value, unsigned digits);

/* The same with a minus in front, which counts as a digit. */
void text_put_int(struct text *text, int64_t value, unsigned digits);

/* What printf would print, malloc'ed; NULL when there is no memory. */
__attribute__((format(printf, 1, 2))) char *text_format(const char *format, ...);

#endif
