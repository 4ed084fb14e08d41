/* What was found of places in files, so that no file is opened for the same place twice: the processes of one
 * recording map the same libraries, each at addresses of its own. */
#ifndef SYMBOL_KNOWN_CODE_H
#define SYMBOL_KNOWN_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "symbol/symbolizer.h"

/* A place in a file as a process maps it.  Two mappings of one file that begin at the same offset and are of one
 * size have the same code at the same distance from their starts. */
struct code_place {
    uint32_t file;         /* the caller's number */
    uint64_t map_offset;   /* of the mapping's start in the file, bytes */
    uint64_t map_size;     /* bytes */
    uint64_t from_address; /* from the mapping's start, bytes */
};

struct known_code {
    struct code_place place;
    struct symbol_answer answer; /* borrowed from whoever put it */
    uint32_t next;               /* the next of those with the same hash, or KNOWN_CODE_NONE */
};

#define KNOWN_CODE_NONE UINT32_MAX

/* Zeroed, nothing is known. */
struct known_codes {
    struct map by_hash; /* of a place -> index of the latest item with it */
    struct known_code *items;
    size_t count, capacity;
};

void known_codes_release(struct known_codes *known);

/* Borrowed until the next put; NULL where nothing was put for the place. */
const struct symbol_answer *known_codes_find(const struct known_codes *known,
                                             const struct code_place *place);

/* What is known already stays.  False when memory is short. */
bool known_codes_put(struct known_codes *known, const struct code_place *place,
                     struct symbol_answer answer);

#endif
