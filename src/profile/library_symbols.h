/* Which symbols are a library's: those of which all code is (profile/library_program.h). */
#ifndef PROFILE_LIBRARY_SYMBOLS_H
#define PROFILE_LIBRARY_SYMBOLS_H

#include "profile/library_program.h"

struct library_symbols {
    struct library_program program;
    uint8_t *kinds; /* by symbol: bits of what its code is, 0 where none has been noted */
    size_t capacity;
};

/* The program's texts are borrowed from the source. */
void library_symbols_init(struct library_symbols *libraries, const struct frame_source *source);
void library_symbols_release(struct library_symbols *libraries);

/* Notes a frame of that program or another, which has these symbols, the outermost first.  False when there is no memory. */
bool library_symbols_note(struct library_symbols *libraries, const struct frame_source *source,
                          uint32_t frame, const uint32_t *symbols, size_t count);

bool library_symbols_have(const struct library_symbols *libraries, uint32_t symbol);

#endif
