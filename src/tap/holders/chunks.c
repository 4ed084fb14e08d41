/* Chunks go by the address of their headers here, blocks by that of what the program has, 16 bytes on.  A chunk is in use if the one
 * after it says so; the last one of a heap is what nobody has yet.
 *
 * The first chunk of an arena is malloc's own: a cache of freed blocks, for the thread that made the arena.  What is in it is not
 * held by it. */
#include "tap/holders/chunks.h"

#include "tap/holders/blocks.h"
#include "tap/holders/chunk.h"

enum { CHAIN_STEPS = 64 };

/* While they are told. */
struct walk {
    struct present *present;
    uint64_t page_bytes;
    holders_tell_block *tell;
    void *context;
};

static uint64_t word_at(uint64_t address)
{
    return *(const uint64_t *)address;
}

static uint64_t size_of(uint64_t chunk)
{
    return word_at(chunk + 8) & ~(uint64_t)CHUNK_FLAGS;
}

static bool is_chunk(const struct walk *walk, uint64_t chunk, uint64_t end)
{
    if (end - chunk < CHUNK_LEAST_BYTES || !present_has(walk->present, chunk + 8))
        return false;
    uint64_t size = size_of(chunk);
    return size >= CHUNK_LEAST_BYTES && size % 16 == 0 && size <= end - chunk;
}

/* Whether chunks follow each other from there on: to the end, or some of them. */
static bool is_chain(const struct walk *walk, uint64_t chunk, uint64_t end)
{
    for (int i = 0; i < CHAIN_STEPS && chunk < end; i++) {
        if (!is_chunk(walk, chunk, end))
            return false;
        chunk += size_of(chunk);
    }
    return true;
}

/* The first chunk from `from` on; `end` for none. */
static uint64_t find_chunk(const struct walk *walk, uint64_t from, uint64_t end)
{
    uint64_t page = ~(walk->page_bytes - 1);
    while (from < end && !is_chain(walk, from, end))
        from = present_has(walk->present, from) ? from + 16 : (from & page) + walk->page_bytes;
    return from < end ? from : end;
}

/* From a chunk on.  Where something else lies in between, such as what a program got by sbrk, it goes on behind. */
static void tell_heap(struct walk *walk, uint64_t chunk, uint64_t end)
{
    while (chunk < end) {
        if (!is_chunk(walk, chunk, end)) {
            chunk = find_chunk(walk, chunk + 16, end);
            continue;
        }
        uint64_t next = chunk + size_of(chunk);
        if (next < end && present_has(walk->present, next + 8) &&
            word_at(next + 8) & CHUNK_BEFORE_IN_USE)
            walk->tell(walk->context, chunk + CHUNK_HEADER_BYTES, NO_ID);
        chunk = next;
    }
}

/* Behind the cache. */
static void tell_arena(struct walk *walk, uint64_t from, uint64_t end)
{
    uint64_t first = find_chunk(walk, from, end);
    if (first < end)
        tell_heap(walk, first + size_of(first), end);
}

/* The first heap of an arena has what malloc knows of it, too, which its header points to. */
static void tell_other_heap(struct walk *walk, uint64_t start, uint64_t end)
{
    enum { HEADER_BYTES = 32, ARENA_BYTES = 2048, HEADER_MOST_BYTES = 64 };
    uint64_t arena = word_at(start);
    if (arena > start && arena <= start + HEADER_MOST_BYTES)
        tell_arena(walk, start + HEADER_BYTES + ARENA_BYTES, end);
    else
        tell_heap(walk, find_chunk(walk, start + HEADER_BYTES, end), end);
}

uint64_t chunks_heap_end(struct present *present, const struct mapping *mapping, uint64_t start)
{
    if (!mapping->is_writable || mapping->inode || start < mapping->start ||
        start % (UINT64_C(1) << CHUNK_HEAP_BITS) != 0 || !present_has(present, start))
        return 0;
    uint64_t size = word_at(start + CHUNK_HEAP_SIZE_OFFSET);
    bool is_size = size > 0 && size % 4096 == 0 && size <= mapping->end - start &&
                   size <= UINT64_C(1) << CHUNK_HEAP_BITS && word_at(start) % 16 == 0 &&
                   word_at(start) > 0;
    return is_size ? start + size : 0;
}

/* A block with a mapping of its own, which may have become one with its neighbours. */
static bool is_mapped_chunk(const struct walk *walk, uint64_t chunk, uint64_t end)
{
    if (!present_has(walk->present, chunk) || word_at(chunk) != 0)
        return false;
    uint64_t size = size_of(chunk);
    return (word_at(chunk + 8) & CHUNK_FLAGS) == CHUNK_IS_MAPPED && size >= walk->page_bytes &&
           size % walk->page_bytes == 0 && size <= end - chunk;
}

static void tell_mapping(struct walk *walk, const struct mapping *mapping)
{
    uint64_t at = mapping->start;
    while (at < mapping->end) {
        uint64_t heap_end = chunks_heap_end(walk->present, mapping, at);
        if (heap_end) {
            tell_other_heap(walk, at, heap_end);
            at = heap_end;
        } else if (is_mapped_chunk(walk, at, mapping->end)) {
            walk->tell(walk->context, at + CHUNK_HEADER_BYTES, NO_ID);
            at += size_of(at);
        } else {
            at += walk->page_bytes;
        }
    }
}

void chunks_each(holders_tell_block *tell, void *context, const void *from)
{
    const struct chunks *chunks = from;
    struct walk walk = {chunks->present, UINT64_C(1) << chunks->present->page_bits, tell, context};
    for (size_t i = 0; i < chunks->maps->count; i++) {
        const struct mapping *mapping = &chunks->maps->mappings[i];
        if (mapping->is_heap)
            tell_arena(&walk, mapping->start, mapping->end);
        else if (mapping->is_writable && !mapping->inode && !mapping->is_stack)
            tell_mapping(&walk, mapping);
    }
}
