/* Which pages have memory: those that nobody touched need no look, and looking would give them some.
 *
 * The kernel's map of pages has those that this process has in its own table, into which a copy of a process gets those of shared
 * mappings only as it touches them: of these, pages count that the kernel has in memory, and that can be read, as those behind
 * the end of a file can't. */
#ifndef TAP_HOLDERS_PRESENT_H
#define TAP_HOLDERS_PRESENT_H

#include <stdbool.h>
#include <stdint.h>

#include "tap/holders/maps.h"

enum { PRESENT_WINDOW = 512 }; /* pages */

struct present {
    int fd;             /* of the kernel's map of pages; below 0: unknown, so all of them */
    unsigned page_bits; /* a page has 1 << page_bits bytes */
    uint64_t window;    /* number of the window that `entries` are of */
    uint64_t entries[PRESENT_WINDOW];
    uint64_t shared_start, shared_end; /* the mapping that is looked at, if it is shared; 0 */
};

/* Of this process. */
void present_open(struct present *present);

/* What is asked next is of this mapping, all of it. */
void present_look_at(struct present *present, const struct mapping *mapping);

/* The slow path of present_has. */
void present_move(struct present *present, uint64_t window);

/* Has the page at `address`? */
static inline bool present_has(struct present *present, uint64_t address)
{
    const uint64_t has_memory = UINT64_C(3) << 62; /* in memory, or in swap */
    uint64_t page = address >> present->page_bits;
    if (present->fd < 0 && !present->shared_end)
        return true;
    if (page / PRESENT_WINDOW != present->window)
        present_move(present, page / PRESENT_WINDOW);
    return present->entries[page % PRESENT_WINDOW] & has_memory;
}

#endif
