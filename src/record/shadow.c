#include "record/shadow.h"

#include <stddef.h>

#include "engine/live_table.h"
#include "inside/pages.h"

/* Part of the address space. */
struct region {
    uint64_t words[SHADOW_REGION_WORDS];
    uint64_t number; /* in shadow.regions */
    struct region *next;
};

struct shadow shadow = {.granule_bits = SHADOW_ALIGN_BITS};
static struct region *regions; /* atomic; all that were made */
static struct live_table odd;  /* blocks that have no place */

bool shadow_init(bool sparse)
{
    shadow.granule_bits = SHADOW_ALIGN_BITS + sparse;
    if (!shadow.regions)
        shadow.regions = pages_map(SHADOW_REGIONS * sizeof *shadow.regions);
    return shadow.regions != NULL;
}

void shadow_clear(void)
{
    while (regions) {
        struct region *region = regions;
        regions = region->next;
        shadow.regions[region->number] = NULL;
        pages_unmap(region, sizeof *region);
    }
    live_table_unmap(&odd);
    shadow.has_odd = false;
}

uint64_t *shadow_make_place(uint64_t address)
{
    uint64_t number = address >> SHADOW_REGION_BITS, *none = NULL;
    if (shadow_is_odd(address))
        return NULL;
    struct region *region = pages_map(sizeof *region);
    if (!region)
        return NULL;
    region->number = number;
    if (!__atomic_compare_exchange_n(&shadow.regions[number], &none, region->words, false,
                                     __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
        pages_unmap(region, sizeof *region);
        return shadow_place(address);
    }
    region->next = __atomic_load_n(&regions, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&regions, &region->next, region, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
    return shadow_place(address);
}

bool shadow_put_odd(uint64_t address, uint64_t word)
{
    __atomic_store_n(&shadow.has_odd, true, __ATOMIC_RELAXED);
    return live_table_insert(&odd, address, (struct heaptap_tracked *)(uintptr_t)word);
}

uint64_t shadow_take_odd(uint64_t address)
{
    struct slot slot;
    struct heaptap_tracked *value;
    if (address <= KEY_RESERVED || !live_table_claim(&odd, address, &slot, &value))
        return 0;
    live_table_release(&odd, &slot);
    return (uint64_t)(uintptr_t)value;
}
