#include "tap/record/gate.h"

#include <stddef.h>
#include <sys/mman.h>

#include "tap/inside/pages.h"

static uint32_t unmapped = GATE_OPEN;
uint32_t *gate = &unmapped;

void gate_close(void)
{
    __atomic_fetch_add(gate, 1, __ATOMIC_SEQ_CST);
}

void gate_open(void)
{
    __atomic_fetch_sub(gate, 1, __ATOMIC_SEQ_CST);
}

void gate_reset(void)
{
    unmapped = GATE_OPEN;
    gate = &unmapped;
}

/* A page that is empty in forked children, but not in those of vfork, which share it. */
bool gate_map(void)
{
    enum { PAGE_BYTES = 4096 };
    uint32_t *page = pages_map(PAGE_BYTES);
    if (!page)
        return false;
    *page = *gate;
    if (madvise(page, PAGE_BYTES, MADV_WIPEONFORK) == 0)
        gate = page;
    else
        pages_unmap(page, PAGE_BYTES); /* such a child goes on recording its parent's blocks */
    return true;
}
