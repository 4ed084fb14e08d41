#include "profile/sample_type.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"

/* Is the name `left`, an underscore and `right`? */
static bool is_joined(const char *name, const char *left, size_t left_size, const char *right)
{
    return strncmp(name, left, left_size) == 0 && name[left_size] == '_' &&
           strcmp(name + left_size + 1, right) == 0;
}

static long find_name(const char *word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], word) == 0)
            return (long)i;
    return SAMPLE_TYPE_UNKNOWN;
}

static long find_number(const char *word, size_t count)
{
    char *end;
    if (!*word || word[strspn(word, "0123456789")])
        return SAMPLE_TYPE_UNKNOWN;
    unsigned long number = strtoul(word, &end, 10);
    return number < count ? (long)number : SAMPLE_TYPE_UNKNOWN;
}

/* The name that has the word in the place of one of the two parts of `usual`. */
static long find_beside(const char *word, const char *const *names, size_t count, const char *usual)
{
    const char *middle = strchr(usual, '_');
    for (size_t i = 0; middle && i < count; i++)
        if (is_joined(names[i], usual, (size_t)(middle - usual), word) ||
            is_joined(names[i], word, strlen(word), middle + 1))
            return (long)i;
    return SAMPLE_TYPE_UNKNOWN;
}

static bool has_part(const char *name, const char *word)
{
    size_t size = strlen(word);
    for (const char *at = name; size > 0 && at; at = strchr(at, '_')) {
        at += *at == '_';
        if (strncmp(at, word, size) == 0 && (at[size] == '_' || at[size] == 0))
            return true;
    }
    return false;
}

static long find_part(const char *word, const char *const *names, size_t count)
{
    long found = SAMPLE_TYPE_UNKNOWN;
    for (size_t i = 0; i < count; i++)
        if (has_part(names[i], word))
            found = found == SAMPLE_TYPE_UNKNOWN ? (long)i : SAMPLE_TYPE_AMBIGUOUS;
    return found;
}

long sample_type_find(const char *word, const char *const *names, size_t count, size_t usual)
{
    static const char inuse[] = "inuse_";
    if (!word)
        return (long)usual;
    long found = find_name(word, names, count);
    if (found < 0)
        found = find_number(word, count);
    if (found < 0 && begins_with(word, inuse))
        found = find_name(word + strlen(inuse), names, count);
    if (found < 0)
        found = find_beside(word, names, count, names[usual]);
    return found < 0 ? find_part(word, names, count) : found;
}
