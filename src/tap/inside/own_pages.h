/* Pages that are heaptap's in a program that is not: a snapshot of what holds the program's blocks leaves them out, and what of them is in
 * memory is told (tap/inside/own_resident.h).  They are noted from own_pages_note on. */
#ifndef TAP_INSIDE_OWN_PAGES_H
#define TAP_INSIDE_OWN_PAGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* Of a snapshot, where none may be missed; and where they are only told: the program may have hardly any room. */
enum { OWN_PAGES_MOST = 1 << 16, OWN_PAGES_TOLD = 1 << 12 };

struct own_range {
    _Atomic uint64_t start, bytes; /* 0 bytes: free */
};

/* Of the process: one copy, whichever libraries have it. */
struct own_pages {
    struct own_range *ranges; /* NULL: nothing is noted */
    uint32_t most;            /* places */
    _Atomic uint32_t count;   /* of them in use, free ones among them */
};
extern struct own_pages heaptap_own_pages;
__attribute__((weak, visibility("hidden"))) struct own_pages heaptap_own_pages;

/* As many places as that.  False where there is no memory. */
static inline bool own_pages_note(uint32_t most)
{
    if (heaptap_own_pages.ranges)
        return true;
    void *ranges = mmap(NULL, most * sizeof(struct own_range), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (ranges == MAP_FAILED)
        return false;
    heaptap_own_pages.most = most;
    heaptap_own_pages.ranges = ranges;
    return true;
}

static inline void own_pages_put(struct own_range *range, uint64_t start, uint64_t bytes)
{
    atomic_store_explicit(&range->start, start, memory_order_relaxed);
    atomic_store_explicit(&range->bytes, bytes, memory_order_relaxed);
}

static inline void own_pages_add(const void *start, size_t bytes)
{
    struct own_pages *own = &heaptap_own_pages;
    if (!own->ranges)
        return;
    uint32_t at = atomic_fetch_add(&own->count, 1);
    if (at < own->most)
        own_pages_put(&own->ranges[at], (uint64_t)start, bytes);
    else
        atomic_fetch_sub(&own->count, 1);
}

static inline void own_pages_remove(const void *start)
{
    struct own_pages *own = &heaptap_own_pages;
    uint32_t count = own->ranges ? atomic_load(&own->count) : 0;
    for (uint32_t i = count < own->most ? count : own->most; i-- > 0;)
        if (atomic_load_explicit(&own->ranges[i].start, memory_order_relaxed) == (uint64_t)start) {
            own_pages_put(&own->ranges[i], 0, 0);
            uint32_t last = i + 1;
            atomic_compare_exchange_strong(&own->count, &last, i);
            return;
        }
}

#endif
