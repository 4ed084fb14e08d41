/* A program that takes system calls away from itself (seccomp) is ended by the kernel if one of ours
 * comes after that.  From then on none is made: those by kernel_call fail, and pages come from
 * memory that was reserved before. */
#ifndef TAP_INSIDE_CONFINED_H
#define TAP_INSIDE_CONFINED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* Of the process: one copy, whichever libraries have it. */
struct confined {
    _Atomic bool on;
    uint8_t *pages; /* reserved; NULL: none */
    size_t bytes;
    _Atomic size_t used;
};
extern struct confined heaptap_confined;
__attribute__((weak, visibility("hidden"))) struct confined heaptap_confined;

static inline bool confined_on(void)
{
    return atomic_load_explicit(&heaptap_confined.on, memory_order_relaxed);
}

/* Reserves address space, as much as is to be had.  False if that is none. */
static inline bool confined_reserve(void)
{
    const size_t most = (size_t)1 << 30, least = (size_t)1 << 26;
    for (size_t bytes = most; bytes >= least && !heaptap_confined.pages; bytes /= 2) {
        void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (pages != MAP_FAILED) {
            heaptap_confined.pages = pages;
            heaptap_confined.bytes = bytes;
        }
    }
    return heaptap_confined.pages != NULL;
}

/* Zeros, of what was reserved; NULL if that is used up. */
static inline void *confined_pages(size_t bytes)
{
    enum { PAGE_BYTES = 1 << 16 }; /* at most */
    size_t size = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    size_t from = atomic_fetch_add(&heaptap_confined.used, size);
    return from + size <= heaptap_confined.bytes ? heaptap_confined.pages + from : NULL;
}

#endif
