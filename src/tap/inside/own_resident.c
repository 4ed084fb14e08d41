/* The kernel is asked piece by piece.  What is mapped of a view of a file comes before what isn't yet: at that a range ends. */
#include "tap/inside/own_resident.h"

#include <sys/auxv.h>

#include "tap/inside/kernel.h"
#include "tap/inside/own_pages.h"
#include "tap/inside/text.h"

enum { PAGES_AT_ONCE = 1024 };

/* Those of `count` pages at `start` that are in memory; -1 where not all of them are mapped. */
static long resident_of(uint64_t start, uint64_t count, uint64_t page_bytes)
{
    uint8_t is_in[PAGES_AT_ONCE];
    long resident = 0;
    if (kernel_failed(kernel_call(SYS_mincore, (long)start, (long)(count * page_bytes), (long)is_in,
                                  0, 0, 0)))
        return -1;
    for (uint64_t i = 0; i < count; i++)
        resident += is_in[i] & 1;
    return resident;
}

static uint64_t resident_of_range(uint64_t start, uint64_t bytes)
{
    const uint64_t page_bytes = getauxval(AT_PAGESZ);
    uint64_t left = (bytes + page_bytes - 1) / page_bytes, pages = 0, most = PAGES_AT_ONCE;
    while (left > 0 && most > 0) {
        uint64_t count = left < most ? left : most;
        long resident = resident_of(start, count, page_bytes);
        if (resident < 0) {
            most = count / 2;
            continue;
        }
        pages += (uint64_t)resident;
        start += count * page_bytes;
        left -= count;
    }
    return pages * page_bytes;
}

uint64_t own_resident_bytes(void)
{
    const struct own_pages *own = &heaptap_own_pages;
    uint32_t count = own->ranges ? atomic_load(&own->count) : 0;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count && i < own->most; i++)
        sum += resident_of_range(atomic_load_explicit(&own->ranges[i].start, memory_order_relaxed),
                                 atomic_load_explicit(&own->ranges[i].bytes, memory_order_relaxed));
    return sum;
}

struct heaptap_metadata own_resident_property(const char *name, char bytes[OWN_RESIDENT_TEXT_BYTES])
{
    struct text text;
    text_init(&text, bytes, OWN_RESIDENT_TEXT_BYTES);
    text_add_number(&text, own_resident_bytes());
    return (struct heaptap_metadata){.kind = HEAPTAP_PROPERTY, .name = name, .value = bytes};
}
