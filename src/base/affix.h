/* How texts begin and end. */
#ifndef BASE_AFFIX_H
#define BASE_AFFIX_H

#include <stdbool.h>
#include <string.h>

static inline bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static inline bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

/* Is it a place in a module in place of a name, as "postgres+0x5f32a0" is? */
static inline bool ends_with_offset(const char *text)
{
    const char *plus = strrchr(text, '+');
    return plus && begins_with(plus, "+0x") && plus[3] &&
           plus[3 + strspn(plus + 3, "0123456789abcdef")] == 0;
}

#endif
