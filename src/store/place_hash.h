/* 128-bit hashes of places: of their names, so that equal places of different recordings have equal hashes.  What is hashed is
 * put together as text first. */
#ifndef STORE_PLACE_HASH_H
#define STORE_PLACE_HASH_H

#include <xxhash.h>

#include "base/text.h"
#include "heaptap/trace.h"

/* With the 0 at its end: what follows cannot be taken for more of it. */
static inline void place_put_name(struct text *text, const char *name)
{
    text_put(text, name, strlen(name) + 1);
}

static inline void place_put_lines(struct text *text, const struct heaptap_location *lines,
                                   size_t count)
{
    for (size_t i = 0; i < count; i++) {
        place_put_name(text, lines[i].function);
        place_put_name(text, lines[i].file);
        text_put(text, (const char *)&lines[i].line, sizeof lines[i].line);
    }
}

static inline XXH128_canonical_t place_hash(const struct text *text)
{
    XXH128_canonical_t hash;
    XXH128_canonicalFromHash(&hash, XXH3_128bits(text->bytes, text->size));
    return hash;
}

#endif
