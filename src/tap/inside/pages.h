/* The only source of memory of what runs in traced processes, which must not call malloc: it may have been called from there. */
#ifndef TAP_INSIDE_PAGES_H
#define TAP_INSIDE_PAGES_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "tap/inside/confined.h"
#include "tap/inside/own_pages.h"

/* The same as pages_map, at `place` if nothing is there; 0: anywhere. */
static inline void *pages_map_near(uint64_t place, size_t size_bytes)
{
    if (__builtin_expect(confined_on(), 0)) {
        errno = ENOMEM;
        return confined_pages(size_bytes);
    }
    void *pages = mmap((void *)(uintptr_t)place, size_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    own_pages_add(pages, size_bytes);
    return pages;
}

/* Zeroed pages, given memory by the kernel as they are touched; NULL, with errno set, if there is no room. */
static inline void *pages_map(size_t size_bytes)
{
    return pages_map_near(0, size_bytes);
}

/* Gives back what pages_map gave, of the same size; NULL is nothing. */
static inline void pages_unmap(void *pages, size_t size_bytes)
{
    if (!pages || confined_on())
        return;
    own_pages_remove(pages);
    munmap(pages, size_bytes);
}

#endif
