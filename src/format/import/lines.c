#include "format/import/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "trace/whole.h"

enum { LINES_STEP = 64 << 10 };

void lines_init(struct lines *lines, struct input *input)
{
    *lines = (struct lines){.input = input};
}

void lines_release(struct lines *lines)
{
    free(lines->bytes);
    *lines = (struct lines){0};
}

enum heaptap_status lines_error(const struct lines *lines, struct heaptap_error *error,
                                const char *format, ...)
{
    char text[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_at(error, lines->offset, "line %llu: %.280s", (unsigned long long)lines->number,
                    text);
}

/* Reads some more; what is kept moves to the front of the buffer. */
static enum heaptap_status read_more(struct lines *lines, struct heaptap_error *error)
{
    size_t kept = lines->end - lines->begin, got = 0;
    if (kept > LINES_LONGEST)
        return error_at(error, lines->next_offset, "line %llu: it has more than %d bytes",
                        (unsigned long long)lines->number + 1, LINES_LONGEST);
    if (lines->begin > 0)
        memmove(lines->bytes, lines->bytes + lines->begin, kept);
    lines->begin = 0;
    lines->end = kept;
    if (!ARRAY_RESERVE(&lines->bytes, &lines->capacity, kept + LINES_STEP + 1))
        return error_no_memory(error);
    enum heaptap_status status =
        input_read(lines->input, lines->bytes + kept, LINES_STEP, &got, error);
    lines->end += status == HEAPTAP_OK ? got : 0;
    lines->at_end = status == HEAPTAP_OK && got == 0;
    return status == HEAPTAP_OK && lines->are_kept
               ? whole_check_size(lines->input, lines->next_offset + lines->end, error)
               : status;
}

/* Where the first line end at or after `from` bytes into the line stands; reads as far as it takes.
 * The length of what is there where the file ends first. */
static enum heaptap_status find_end(struct lines *lines, size_t from, size_t *length,
                                    struct heaptap_error *error)
{
    enum heaptap_status status = HEAPTAP_OK;
    for (;;) {
        size_t there = lines->end - lines->begin;
        char *line = lines->bytes + lines->begin;
        char *found = from < there ? memchr(line + from, '\n', there - from) : NULL;
        *length = found ? (size_t)(found - line) : there;
        if (found || lines->at_end || status != HEAPTAP_OK)
            return status;
        from = from > there ? from : there;
        status = read_more(lines, error);
    }
}

/* Gives the `length` bytes at the beginning of the buffer, and drops the line end behind them. */
static void give(struct lines *lines, size_t length, char **text, size_t *size)
{
    bool has_end = lines->begin + length < lines->end;
    *text = lines->bytes + lines->begin;
    *size = length;
    lines->is_cut = !has_end;
    lines->begin += length + has_end;
    lines->next_offset += length + has_end;
    (*text)[length] = 0;
}

enum heaptap_status lines_next(struct lines *lines, char **text, size_t *size,
                               struct heaptap_error *error)
{
    size_t length = 0;
    if (!ARRAY_RESERVE(&lines->bytes, &lines->capacity, LINES_STEP + 1))
        return error_no_memory(error);
    enum heaptap_status status = find_end(lines, 0, &length, error);
    if (status == HEAPTAP_OK && length == 0 && lines->at_end && lines->begin == lines->end)
        status = HEAPTAP_END;
    if (status != HEAPTAP_OK)
        return status;
    lines->number++;
    lines->offset = lines->next_offset;
    give(lines, length, text, size);
    return HEAPTAP_OK;
}

enum heaptap_status lines_extend(struct lines *lines, char **text, size_t *size, size_t needed,
                                 struct heaptap_error *error)
{
    size_t length;
    if (needed <= *size)
        return HEAPTAP_OK;
    size_t taken = (size_t)(lines->bytes + lines->begin - *text);
    if (taken > *size)
        (*text)[*size] = '\n';
    lines->begin -= taken;
    lines->next_offset -= taken;
    enum heaptap_status status = find_end(lines, needed, &length, error);
    if (status != HEAPTAP_OK)
        return status;
    give(lines, length, text, size);
    for (const char *at = *text;
         length >= needed && (at = memchr(at, '\n', (size_t)(*text + length - at))); at++)
        lines->number++;
    return HEAPTAP_OK;
}

static int digit_of(char character)
{
    if (character >= '0' && character <= '9')
        return character - '0';
    if (character >= 'a' && character <= 'f')
        return character - 'a' + 10;
    return character >= 'A' && character <= 'F' ? character - 'A' + 10 : 16;
}

static bool take_number(char **at, unsigned base, uint64_t *value)
{
    while (**at == ' ')
        ++*at;
    *value = 0;
    const char *first = *at;
    for (; (unsigned)digit_of(**at) < base; ++*at)
        if (__builtin_mul_overflow(*value, base, value) ||
            __builtin_add_overflow(*value, (uint64_t)digit_of(**at), value))
            return false;
    return *at > first;
}

bool lines_hex(char **at, uint64_t *value)
{
    return take_number(at, 16, value);
}

bool lines_decimal(char **at, uint64_t *value)
{
    return take_number(at, 10, value);
}

bool lines_take(char **at, const char *text)
{
    size_t size = strlen(text);
    bool found = strncmp(*at, text, size) == 0;
    *at += found ? size : 0;
    return found;
}
