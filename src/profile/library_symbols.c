#include "profile/library_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { OF_LIBRARY = 1, OF_PROGRAM = 2 };

void library_symbols_init(struct library_symbols *libraries, const struct frame_source *source)
{
    *libraries = (struct library_symbols){.program = library_program_of(source)};
}

void library_symbols_release(struct library_symbols *libraries)
{
    free(libraries->kinds);
    *libraries = (struct library_symbols){0};
}

static bool note(struct library_symbols *libraries, uint32_t symbol, enum library_kind kind)
{
    size_t before = libraries->capacity;
    if (!ARRAY_RESERVE(&libraries->kinds, &libraries->capacity, (size_t)symbol + 1))
        return false;
    memset(libraries->kinds + before, 0, libraries->capacity - before);
    libraries->kinds[symbol] |= kind == LIBRARY_NONE ? OF_PROGRAM : OF_LIBRARY;
    return true;
}

bool library_symbols_note(struct library_symbols *libraries, const struct frame_source *source,
                          uint32_t frame, const uint32_t *symbols, size_t count)
{
    size_t known;
    const struct heaptap_location *locations = frame_source_locations(source, frame, &known);
    const char *module = source->module ? source->module(source->context, frame) : NULL;
    bool done = true;
    for (size_t i = 0; done && i < count; i++)
        done = note(libraries, symbols[i],
                    library_kind_of(&libraries->program, module, i < known ? &locations[i] : NULL));
    return done;
}

bool library_symbols_have(const struct library_symbols *libraries, uint32_t symbol)
{
    return symbol < libraries->capacity && libraries->kinds[symbol] == OF_LIBRARY;
}
