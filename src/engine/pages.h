/* The engine's only source of memory. */
#ifndef ENGINE_PAGES_H
#define ENGINE_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

/* Zeroed pages, given memory by the kernel as they are touched; NULL if there is no room. */
static inline void *pages_map(size_t size_bytes)
{
    void *pages = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

static inline void pages_unmap(void *pages, size_t size_bytes)
{
    if (pages)
        munmap(pages, size_bytes);
}

#endif
