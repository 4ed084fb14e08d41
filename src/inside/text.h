/* Short texts built in the caller's buffer, and lines on standard error, without stdio. */
#ifndef INSIDE_TEXT_H
#define INSIDE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *start, *at, *end; /* `end` is the last byte, which holds the final 0 at the latest */
    bool cut;               /* something did not fit */
};

/* An empty text in `size` bytes, at least 1. */
void text_init(struct text *text, char *buffer, size_t size);
void text_add(struct text *text, const char *string);
void text_add_bytes(struct text *text, const char *bytes, size_t size);
void text_add_number(struct text *text, uint64_t number);
/* At least `digits` digits. */
void text_add_padded(struct text *text, uint64_t number, unsigned digits);
void text_add_hex(struct text *text, uint64_t number);

/* Says these strings, up to a NULL, as one line: to heaptap, if it listens (notes.h), else on standard
 * error, with "heaptap: " before them. */
void text_say(const char *first, ...) __attribute__((sentinel));

/* The name of an errno, such as "No such file or directory"; "error" for one it does not know. */
const char *text_of_errno(int code);

#endif
