#include "unwind/arena.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>

enum { BLOCK_BYTES = 256 << 10, LARGE_BYTES = 32 << 10 };

struct block {
    _Atomic size_t used; /* bytes from the start of the block; beyond its end once it is full */
};

static _Atomic(struct block *) current;

static void *map(size_t bytes)
{
    int saved_errno = errno;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = saved_errno;
    return memory == MAP_FAILED ? NULL : memory;
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
            munmap(next, BLOCK_BYTES);
    }
}
