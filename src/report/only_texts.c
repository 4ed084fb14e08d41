#include "report/only_texts.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"

static uint64_t place_of(const char *key)
{
    return (uint64_t)(uintptr_t)key;
}

bool only_texts_add(struct only_texts *only, const char *key, const char *text)
{
    bool fresh;
    if (!ARRAY_RESERVE(&only->items, &only->capacity, only->count + 1))
        return false;
    uint32_t *number = map_put(&only->by_key, place_of(key), (uint32_t)only->count, &fresh);
    if (!number)
        return false;
    if (fresh)
        only->items[only->count++] = text;
    else
        only->items[*number] = NULL;
    return true;
}

void only_texts_release(struct only_texts *only)
{
    map_release(&only->by_key);
    free(only->items);
    *only = (struct only_texts){0};
}

const char *only_texts_find(const struct only_texts *only, const char *key)
{
    const uint32_t *number = key ? map_find(&only->by_key, place_of(key)) : NULL;
    return number ? only->items[*number] : NULL;
}
