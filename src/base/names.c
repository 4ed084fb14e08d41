#include "base/names.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/array.h"

#define NONE UINT32_MAX

const char names_empty[] = "";

enum { CHUNK_BYTES = 64 << 10 };

struct name {
    const char *text; /* in a chunk */
    size_t size;      /* without the final 0 */
    uint32_t next;    /* another text of the same hash, or NONE */
};

struct names_chunk {
    struct names_chunk *next;
    size_t used, size; /* bytes of `text` */
    char text[];
};

void names_release(struct names *names)
{
    while (names->chunks) {
        struct names_chunk *next = names->chunks->next;
        free(names->chunks);
        names->chunks = next;
    }
    free(names->entries);
    map_release(&names->by_hash);
    *names = (struct names){0};
}

static char *chunk_take(struct names *names, size_t size)
{
    struct names_chunk *chunk = names->chunks;
    if (!chunk || chunk->size - chunk->used < size) {
        size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
        chunk = malloc(sizeof *chunk + room);
        if (!chunk)
            return NULL;
        *chunk = (struct names_chunk){names->chunks, 0, room};
        names->chunks = chunk;
    }
    chunk->used += size;
    return chunk->text + chunk->used - size;
}

void *names_alloc(struct names *names, size_t size)
{
    size_t align = _Alignof(max_align_t);
    char *room = size < SIZE_MAX / 2 ? chunk_take(names, size + align - 1) : NULL;
    return room ? room + (-(uintptr_t)room & (align - 1)) : NULL;
}

static const char *add(struct names *names, const char *text, size_t size, uint32_t next)
{
    if (names->count >= NONE || !ARRAY_RESERVE(&names->entries, &names->capacity, names->count + 1))
        return NULL;
    char *copy = chunk_take(names, size + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, size);
    copy[size] = 0;
    names->entries[names->count++] = (struct name){copy, size, next};
    return copy;
}

const char *names_intern(struct names *names, const char *text, size_t size)
{
    bool fresh;
    if (size == 0)
        return names_empty;
    uint32_t *first = map_put(&names->by_hash, XXH3_64bits(text, size), NONE, &fresh);
    if (!first)
        return NULL;
    for (uint32_t i = *first; i != NONE; i = names->entries[i].next)
        if (names->entries[i].size == size && memcmp(names->entries[i].text, text, size) == 0)
            return names->entries[i].text;
    const char *copy = add(names, text, size, *first);
    if (copy)
        *first = (uint32_t)names->count - 1;
    return copy;
}

const char *names_copy(struct names *names, const char *text)
{
    return text ? names_intern(names, text, strlen(text)) : NULL;
}
