#include "pprof/write/string_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"
#include "spec/pprof_fields.h"

void pprof_strings_release(struct pprof_strings *strings)
{
    map_release(&strings->numbers);
    free(strings->items);
    *strings = (struct pprof_strings){0};
}

uint64_t pprof_strings_number(struct pprof_strings *strings, const char *text)
{
    bool fresh;
    if (!text || !*text)
        return 0;
    uint32_t *number =
        map_put(&strings->numbers, (uint64_t)(uintptr_t)text, (uint32_t)strings->count + 1, &fresh);
    if (number && fresh && !ARRAY_RESERVE(&strings->items, &strings->capacity, strings->count + 1))
        number = NULL;
    if (!number) {
        strings->failed = true;
        return 0;
    }
    if (fresh)
        strings->items[strings->count++] = text;
    return *number;
}

void pprof_strings_put(struct pprof_strings *strings, struct protobuf *out, unsigned field,
                       const char *text)
{
    uint64_t number = pprof_strings_number(strings, text);
    if (number)
        protobuf_number(out, field, number);
}

static bool is_utf8(const char *text)
{
    uint32_t character = 0;
    while (*text && character != UTF8_BAD)
        text += utf8_decode(text, &character);
    return character != UTF8_BAD;
}

/* Strings of protocol buffers are UTF-8: what isn't becomes U+FFFD. */
static void put_text(struct pprof_strings *strings, struct protobuf *out, const char *text)
{
    struct text clean = {0};
    if (is_utf8(text)) {
        protobuf_bytes(out, PROFILE_STRING, text, strlen(text));
        return;
    }
    while (*text) {
        uint32_t character;
        int size = utf8_decode(text, &character);
        if (character == UTF8_BAD)
            text_put_string(&clean, "\xef\xbf\xbd");
        else
            text_put(&clean, text, (size_t)size);
        text += size;
    }
    strings->failed |= clean.failed;
    protobuf_bytes(out, PROFILE_STRING, clean.bytes, clean.size);
    text_release(&clean);
}

void pprof_strings_put_all(struct pprof_strings *strings, struct protobuf *out)
{
    put_text(strings, out, "");
    for (size_t i = 0; i < strings->count; i++)
        put_text(strings, out, strings->items[i]);
}
