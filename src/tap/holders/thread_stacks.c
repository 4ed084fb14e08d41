#include "tap/holders/thread_stacks.h"

enum { MOST_BYTES = 1 << 16 };

bool thread_stacks_is_pointer(uint64_t at)
{
#ifdef __x86_64__
    const uint64_t *words = (const uint64_t *)at;
    return words[0] == at && words[2] == at;
#else
    return (void)at, false;
#endif
}

uint64_t thread_stacks_pointer(struct present *present, uint64_t stack, uint64_t end)
{
    uint64_t low = end - stack > MOST_BYTES ? end - MOST_BYTES : stack;
    for (uint64_t at = (end - 64) & ~UINT64_C(63); at >= low; at -= 64)
        if (present_has(present, at) && thread_stacks_is_pointer(at))
            return at;
    return 0;
}

uint32_t thread_stacks_id_offset(uint64_t pointer, uint64_t id)
{
#ifdef __x86_64__
    enum { HEADER_BYTES = 0x2c0, LEAST_DATA_BYTES = 0x500 }; /* in each glibc since 2.17 */
    for (uint32_t at = HEADER_BYTES; at < LEAST_DATA_BYTES; at += sizeof(uint32_t))
        if (*(const uint32_t *)(pointer + at) == id)
            return at;
#else
    (void)pointer, (void)id;
#endif
    return 0;
}
