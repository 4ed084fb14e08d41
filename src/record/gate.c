#include "record/gate.h"

#include <stddef.h>
#include <sys/mman.h>

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
    uint32_t *page =
        mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return false;
    *page = *gate;
    if (madvise(page, PAGE_BYTES, MADV_WIPEONFORK) == 0)
        gate = page;
    else
        munmap(page, PAGE_BYTES); /* such a child goes on recording its parent's blocks */
    return true;
}
