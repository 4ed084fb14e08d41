/* Memory that lives as long as a symbolizer: locations, and strings kept once each. */
#ifndef SYMBOL_MEMORY_H
#define SYMBOL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol_chunk;

/* A string kept once.  Equal strings are the same struct. */
struct symbol_string {
    uint64_t hash;
    size_t length;
    const char *readable; /* of a linker's name: how it is shown; NULL until somebody asked */
    char text[];
};

struct symbol_memory {
    struct symbol_chunk *chunks;    /* the newest first; allocation goes on in it */
    struct symbol_string **strings; /* open addressing, a power of two of slots, at most 3/4 full */
    size_t slots;
    size_t string_count;
};

/* A zeroed struct is ready for use. */
void symbol_memory_release(struct symbol_memory *memory);

/* `size` bytes, not cleared, aligned for any struct; NULL when memory is short. */
void *symbol_memory_alloc(struct symbol_memory *memory, size_t size);

/* The one copy of these bytes; NULL when memory is short. */
struct symbol_string *symbol_memory_string(struct symbol_memory *memory, const char *text,
                                           size_t length);

/* Makes room for one more element of `size` bytes in the array `*items` of `count`, whose room is
 * `*capacity`.  False when memory is short; the array is then unchanged. */
bool symbol_array_grow(void *items, size_t count, size_t *capacity, size_t size);

#endif
