/* Which pages have memory: those that nobody touched need no look, and looking would give them some. */
#ifndef TAP_HOLDERS_PRESENT_H
#define TAP_HOLDERS_PRESENT_H

#include <stdbool.h>
#include <stdint.h>

enum { PRESENT_WINDOW = 512 }; /* pages */

struct present {
    int fd;             /* of the kernel's map of pages; below 0: unknown, so all of them */
    unsigned page_bits; /* a page has 1 << page_bits bytes */
    uint64_t window;    /* number of the window that `entries` are of */
    uint64_t entries[PRESENT_WINDOW];
};

/* Of this process. */
void present_open(struct present *present);

/* The slow path of present_has. */
void present_move(struct present *present, uint64_t window);

/* Has the page at `address`? */
static inline bool present_has(struct present *present, uint64_t address)
{
    const uint64_t has_memory = UINT64_C(3) << 62; /* in memory, or in swap */
    uint64_t page = address >> present->page_bits;
    if (present->fd < 0)
        return true;
    if (page / PRESENT_WINDOW != present->window)
        present_move(present, page / PRESENT_WINDOW);
    return present->entries[page % PRESENT_WINDOW] & has_memory;
}

#endif
