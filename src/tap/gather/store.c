/* What a file handed out can't be given back to it, so chunks are made one at a time. */
#include "tap/gather/store.h"

#include "tap/inside/growing_file.h"
#include "tap/inside/kernel.h"
#include "tap/inside/pages.h"

static char *make(struct store *store, unsigned chunk, size_t bytes)
{
    if (!store->file)
        return pages_map(bytes);
    char *items = growing_file_take(store->file, bytes);
    if (items)
        atomic_store_explicit(&store->offsets[chunk], growing_file_offset(store->file, items),
                              memory_order_release);
    return items;
}

char *store_grow(struct store *store, unsigned chunk, size_t item_bytes)
{
    while (atomic_flag_test_and_set_explicit(&store->growing, memory_order_acquire))
        kernel_yield();
    char *items = atomic_load_explicit(&store->chunks[chunk], memory_order_relaxed);
    if (!items) {
        items = make(store, chunk, store_chunk_bytes(chunk, item_bytes));
        atomic_store_explicit(&store->chunks[chunk], items, memory_order_release);
    }
    atomic_flag_clear_explicit(&store->growing, memory_order_release);
    return items;
}

void store_release(struct store *store, size_t item_bytes)
{
    for (unsigned i = 0; i < STORE_CHUNKS && !store->file; i++)
        if (store->chunks[i])
            pages_unmap(store->chunks[i], store_chunk_bytes(i, item_bytes));
}
