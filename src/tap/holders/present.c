#include "tap/holders/present.h"

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

void present_move(struct present *present, uint64_t window)
{
    long got = kernel_read_at(present->fd, present->entries, sizeof present->entries,
                              window * sizeof present->entries);
    present->window = window;
    if (got < 0)
        got = 0;
    memset((char *)present->entries + got, 0, sizeof present->entries - (size_t)got);
}
