/* 128-bit hashes of places: of their names, so that equal places of different recordings have equal hashes. */
#ifndef STORE_PLACE_HASH_H
#define STORE_PLACE_HASH_H

#include <string.h>
#include <xxhash.h>

#include "heaptap/trace.h"

/* With the 0 at its end: what follows cannot be taken for more of it. */
static inline void place_hash_text(XXH3_state_t *state, const char *text)
{
    XXH3_128bits_update(state, text, strlen(text) + 1);
}

static inline void place_hash_lines(XXH3_state_t *state, const struct heaptap_location *lines,
                                    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        place_hash_text(state, lines[i].function);
        place_hash_text(state, lines[i].file);
        XXH3_128bits_update(state, &lines[i].line, sizeof lines[i].line);
    }
}

#endif
