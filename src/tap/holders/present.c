#include "tap/holders/present.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>

#include "tap/inside/kernel.h"

void present_open(struct present *present)
{
    uint64_t page = getauxval(AT_PAGESZ);
    present->fd = kernel_open("/proc/self/pagemap", O_RDONLY, 0);
    present->page_bits = page ? (unsigned)__builtin_ctzll(page) : 12;
    present->window = UINT64_MAX;
}

void present_look_at(struct present *present, const struct mapping *mapping)
{
    if (mapping->is_shared || present->shared_end)
        present->window = UINT64_MAX;
    present->shared_start = mapping->is_shared ? mapping->start : 0;
    present->shared_end = mapping->is_shared ? mapping->end : 0;
}

/* The kernel reads the signals that are to be held before it looks at what is to be done with them, and knows nothing of this kind. */
static bool can_be_read(uint64_t address)
{
    const long nothing = ~0L;
    return kernel_errno(kernel_call(SYS_rt_sigprocmask, nothing, (long)address, 0,
                                    KERNEL_SIGNALS_BYTES, 0, 0)) != EFAULT;
}

/* The part of the window that lies in the shared mapping. */
static void move_in_shared(struct present *present, uint64_t window)
{
    const uint64_t in_memory = UINT64_C(1) << 63;
    unsigned char resident[PRESENT_WINDOW];
    uint64_t window_start = window * PRESENT_WINDOW << present->page_bits;
    uint64_t window_end = (window + 1) * PRESENT_WINDOW << present->page_bits;
    uint64_t start = window_start > present->shared_start ? window_start : present->shared_start;
    uint64_t end = window_end < present->shared_end ? window_end : present->shared_end;
    memset(present->entries, 0, sizeof present->entries);
    if (start >= end || kernel_failed(kernel_call(SYS_mincore, (long)start, (long)(end - start),
                                                  (long)resident, 0, 0, 0)))
        return;
    uint64_t page_bytes = UINT64_C(1) << present->page_bits;
    const unsigned char *at = resident;
    for (uint64_t page = start; page < end; page += page_bytes, at++)
        if (*at & 1 && can_be_read(page))
            present->entries[(page - window_start) >> present->page_bits] = in_memory;
}

void present_move(struct present *present, uint64_t window)
{
    present->window = window;
    if (present->shared_end) {
        move_in_shared(present, window);
        return;
    }
    long got = kernel_read_at(present->fd, present->entries, sizeof present->entries,
                              window * sizeof present->entries);
    if (got < 0)
        got = 0;
    memset((char *)present->entries + got, 0, sizeof present->entries - (size_t)got);
}
