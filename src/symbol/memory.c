#include "symbol/memory.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

enum { CHUNK_BYTES = 256 * 1024, FIRST_SLOTS = 1024 };

struct symbol_chunk {
    struct symbol_chunk *next;
    size_t used; /* bytes of `data` given away */
    size_t size;
    _Alignas(max_align_t) char data[];
};

void symbol_memory_release(struct symbol_memory *memory)
{
    while (memory->chunks) {
        struct symbol_chunk *next = memory->chunks->next;
        free(memory->chunks);
        memory->chunks = next;
    }
    free(memory->strings);
    *memory = (struct symbol_memory){0};
}

void *symbol_memory_alloc(struct symbol_memory *memory, size_t size)
{
    size_t align = _Alignof(max_align_t);
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + align - 1) & ~(align - 1);
    struct symbol_chunk *chunk = memory->chunks;
    if (!chunk || chunk->size - chunk->used < size) {
        size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
        chunk = malloc(sizeof *chunk + room);
        if (!chunk)
            return NULL;
        *chunk = (struct symbol_chunk){.next = memory->chunks, .size = room};
        memory->chunks = chunk;
    }
    void *data = chunk->data + chunk->used;
    chunk->used += size;
    return data;
}

static bool strings_grow(struct symbol_memory *memory)
{
    size_t slots = memory->slots ? memory->slots * 2 : FIRST_SLOTS;
    struct symbol_string **strings = calloc(slots, sizeof(struct symbol_string *));
    if (!strings)
        return false;
    for (size_t i = 0; i < memory->slots; i++) {
        struct symbol_string *string = memory->strings[i];
        if (!string)
            continue;
        size_t slot = string->hash & (slots - 1);
        while (strings[slot])
            slot = (slot + 1) & (slots - 1);
        strings[slot] = string;
    }
    free(memory->strings);
    memory->strings = strings;
    memory->slots = slots;
    return true;
}

struct symbol_string *symbol_memory_string(struct symbol_memory *memory, const char *text,
                                           size_t length)
{
    if (memory->string_count >= memory->slots / 4 * 3 && !strings_grow(memory))
        return NULL;
    uint64_t hash = XXH3_64bits(text, length);
    size_t slot = hash & (memory->slots - 1);
    for (struct symbol_string *string; (string = memory->strings[slot]);
         slot = (slot + 1) & (memory->slots - 1))
        if (string->hash == hash && string->length == length && !memcmp(string->text, text, length))
            return string;
    struct symbol_string *string = symbol_memory_alloc(memory, sizeof *string + length + 1);
    if (!string)
        return NULL;
    *string = (struct symbol_string){.hash = hash, .length = length};
    memcpy(string->text, text, length);
    string->text[length] = 0;
    memory->strings[slot] = string;
    memory->string_count++;
    return string;
}

bool symbol_array_grow(void *items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    size_t wanted = *capacity ? *capacity * 2 : 64;
    void *old, *grown;
    memcpy(&old, items, sizeof old);
    grown = reallocarray(old, wanted, size);
    if (!grown)
        return false;
    memcpy(items, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}
