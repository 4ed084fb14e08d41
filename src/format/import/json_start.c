#include "format/import/json_start.h"

#include <string.h>

static bool is_object(const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (at < size && memchr(" \t\r\n", bytes[at], 4))
        at++;
    return at < size && bytes[at] == '{';
}

static bool is_before_value(const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (at < size && memchr(" \t\r\n", bytes[at], 4))
        at++;
    return at < size && bytes[at] == ':';
}

bool json_start_has_key(const uint8_t *bytes, size_t size, const char *key)
{
    size_t length = strlen(key);
    if (!is_object(bytes, size))
        return false;
    for (size_t i = 0; i + length + 2 <= size; i++)
        if (bytes[i] == '"' && bytes[i + length + 1] == '"' &&
            memcmp(bytes + i + 1, key, length) == 0 &&
            is_before_value(bytes + i + length + 2, size - i - length - 2))
            return true;
    return false;
}
