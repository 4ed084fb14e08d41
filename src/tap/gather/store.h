/* Arrays that grow in a traced process: in chunks, each twice as large as the one before, that
 * never move.  So an item can be read by others while some thread adds further ones. */
#ifndef TAP_GATHER_STORE_H
#define TAP_GATHER_STORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tap/gather/kept.h"

struct growing_file;

struct store {
    _Atomic(char *) chunks[STORE_CHUNKS];
    struct growing_file *file; /* NULL: in memory that ends with the process */
    _Atomic uint64_t *offsets; /* of the chunks in the file; or NULL */
    atomic_flag growing;
};

static inline unsigned store_chunk_of(uint32_t index, uint32_t *within)
{
    uint64_t place = (uint64_t)index + (1 << STORE_FIRST_BITS);
    unsigned chunk = 63 - (unsigned)__builtin_clzll(place) - STORE_FIRST_BITS;
    *within = (uint32_t)(place - (UINT64_C(1) << (chunk + STORE_FIRST_BITS)));
    return chunk;
}

static inline size_t store_chunk_bytes(unsigned chunk, size_t item_bytes)
{
    return item_bytes << (chunk + STORE_FIRST_BITS);
}

/* The item at `index`, which has been reached. */
static inline void *store_at(const struct store *store, uint32_t index, size_t item_bytes)
{
    uint32_t within;
    unsigned chunk = store_chunk_of(index, &within);
    return atomic_load_explicit(&store->chunks[chunk], memory_order_relaxed) + within * item_bytes;
}

/* The same, where its chunk may not have been made yet; NULL then. */
static inline void *store_peek(const struct store *store, uint32_t index, size_t item_bytes)
{
    uint32_t within;
    unsigned chunk = store_chunk_of(index, &within);
    char *items = chunk < STORE_CHUNKS
                      ? atomic_load_explicit(&store->chunks[chunk], memory_order_acquire)
                      : NULL;
    return items ? items + within * item_bytes : NULL;
}

/* Makes a chunk; NULL when there is no memory. */
char *store_grow(struct store *store, unsigned chunk, size_t item_bytes);

/* Makes the item at `index`, zeroed at first, by any thread; NULL when there is no memory. */
static inline void *store_reach(struct store *store, uint32_t index, size_t item_bytes)
{
    uint32_t within;
    unsigned chunk = store_chunk_of(index, &within);
    if (chunk >= STORE_CHUNKS)
        return NULL;
    char *items = atomic_load_explicit(&store->chunks[chunk], memory_order_acquire);
    if (!items)
        items = store_grow(store, chunk, item_bytes);
    return items ? items + within * item_bytes : NULL;
}

void store_release(struct store *store, size_t item_bytes);

#endif
