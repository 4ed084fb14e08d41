#include "agent/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

void words_add(struct words *words, const char *format, ...)
{
    char *word = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (!ARRAY_RESERVE(&words->items, &words->capacity, words->count + 2) ||
        vasprintf(&word, format, arguments) < 0) {
        words->failed = true;
    } else {
        words->items[words->count++] = word;
        words->items[words->count] = NULL;
    }
    va_end(arguments);
}

void words_release(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (struct words){0};
}
