/* What glibc's malloc keeps before each block: the size of its chunk, and in the lowest bits where that lies. */
#ifndef TAP_HOLDERS_CHUNK_H
#define TAP_HOLDERS_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CHUNK_BEFORE_IN_USE = 1,
    CHUNK_IS_MAPPED = 2, /* it has a mapping of its own */
    CHUNK_NOT_MAIN = 4,  /* it lies in a heap of another arena than the main one */
    CHUNK_FLAGS = 7,
    CHUNK_HEADER_BYTES = 16, /* the first half is the chunk's before, unless that is free */
    CHUNK_LEAST_BYTES = 32,
    CHUNK_HEAP_BITS = 26, /* heaps of other arenas begin at multiples of their greatest size */
};

/* Of a heap of another arena than the main one: where its header has its size. */
enum { CHUNK_HEAP_SIZE_OFFSET = 16 };

static inline uint64_t chunk_size_word(uint64_t block)
{
    return *(const uint64_t *)(block - 8);
}

/* What of the block the program may use; as little as a chunk has where its header can't be true. */
static inline uint64_t chunk_usable_bytes(uint64_t block)
{
    uint64_t word = chunk_size_word(block), size = word & ~(uint64_t)CHUNK_FLAGS;
    if (size < CHUNK_LEAST_BYTES || size >> 47)
        return CHUNK_LEAST_BYTES - 8;
    return word & CHUNK_IS_MAPPED ? size - CHUNK_HEADER_BYTES : size - 8;
}

#endif
