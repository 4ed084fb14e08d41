/* How texts begin and end. */
#ifndef BASE_AFFIX_H
#define BASE_AFFIX_H

#include <stdbool.h>
#include <string.h>
#include <strings.h>

static inline bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static inline bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

/* The same, with capital letters, too. */
static inline bool ends_alike(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcasecmp(text + size - end_size, end) == 0;
}

/* Is it a place in a module in place of a name, as "postgres+0x5f32a0" is, and "postgres+0x5f32a0 (build 1a2b3c4d)"? */
static inline bool ends_with_offset(const char *text)
{
    static const char digits[] = "0123456789abcdef", build[] = " (build ";
    const char *plus = strrchr(text, '+');
    const char *end = plus && begins_with(plus, "+0x") ? plus + 3 + strspn(plus + 3, digits) : NULL;
    if (!end || end == plus + 3)
        return false;
    if (begins_with(end, build)) {
        end += strlen(build);
        end += strspn(end, digits);
        return strcmp(end, ")") == 0;
    }
    return *end == 0;
}

#endif
