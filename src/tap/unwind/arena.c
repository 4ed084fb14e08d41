#include "tap/unwind/arena.h"

#include <errno.h>
#include <stdatomic.h>

#include "tap/inside/pages.h"

enum { BLOCK_BYTES = 256 << 10, LARGE_BYTES = 32 << 10 };

struct block {
    _Atomic size_t used; /* bytes from the start of the block; beyond its end once it is full */
};

static _Atomic(struct block *) current;

/* The program's own call of malloc goes on after us, with its errno. */
static void *map(size_t bytes)
{
    int saved_errno = errno;
    void *memory = pages_map(bytes);
    errno = saved_errno;
    return memory;
}

void *arena_take(size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes > LARGE_BYTES)
        return map(bytes);
    for (;;) {
        struct block *block = atomic_load_explicit(&current, memory_order_acquire);
        if (block) {
            size_t offset = atomic_fetch_add_explicit(&block->used, bytes, memory_order_relaxed);
            if (offset + bytes <= BLOCK_BYTES)
                return (char *)block + offset;
        }
        struct block *next = map(BLOCK_BYTES);
        if (!next)
            return NULL;
        atomic_init(&next->used, 64);
        if (!atomic_compare_exchange_strong(&current, &block, next))
            pages_unmap(next, BLOCK_BYTES);
    }
}
