#include "tap/record/shadow.h"

#include <stddef.h>

#include "tap/engine/live_table.h"
#include "tap/inside/pages.h"

/* Part of the address space. */
struct region {
    uint64_t number; /* in shadow.regions */
    struct region *next;
    _Alignas(64) uint64_t words[]; /* as many as the region has granules */
};

/* Where regions lie, if that is free: in the order of what they are of, far from that.  Among the
 * program's own blocks they would spread these over twice as many regions. */
#define FIRST_PLACE (UINT64_C(1) << 42)

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

static size_t region_bytes(void)
{
    return sizeof(struct region) + (sizeof(uint64_t) << (SHADOW_REGION_BITS - shadow.granule_bits));
}

static struct region *map_region(uint64_t number)
{
    const uint64_t huge_page = UINT64_C(2) << 20,
                   apart = region_bytes() / huge_page * huge_page + huge_page;
    return pages_map_near(FIRST_PLACE + number * apart, region_bytes());
}

void shadow_clear(void)
{
    while (regions) {
        struct region *region = regions;
        regions = region->next;
        shadow.regions[region->number] = NULL;
        pages_unmap(region, region_bytes());
    }
    live_table_unmap(&odd);
    shadow.has_odd = false;
}

void shadow_end(void)
{
    shadow_clear();
    pages_unmap(shadow.regions, SHADOW_REGIONS * sizeof *shadow.regions);
    shadow.regions = NULL;
}

static void tell_region(uint64_t number, const uint64_t *words,
                        void (*tell)(void *context, uint64_t address, uint64_t id), void *context)
{
    const uint64_t count = UINT64_C(1) << (SHADOW_REGION_BITS - shadow.granule_bits);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t half = shadow.granule_bits > SHADOW_ALIGN_BITS ? words[i] & 1 : 0;
        if (words[i])
            tell(context,
                 (number << SHADOW_REGION_BITS) + (i << shadow.granule_bits) +
                     (half << SHADOW_ALIGN_BITS),
                 shadow_word_of(words[i]) - 1);
    }
}

void shadow_each(void (*tell)(void *context, uint64_t address, uint64_t id), void *context)
{
    for (uint64_t number = 0; number < SHADOW_REGIONS; number++)
        if (shadow.regions[number])
            tell_region(number, shadow.regions[number], tell, context);
}

uint64_t *shadow_make_place(uint64_t address)
{
    uint64_t number = address >> SHADOW_REGION_BITS, *none = NULL;
    if (shadow_is_odd(address))
        return NULL;
    struct region *region = map_region(number);
    if (!region)
        return NULL;
    region->number = number;
    if (!__atomic_compare_exchange_n(&shadow.regions[number], &none, region->words, false,
                                     __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
        pages_unmap(region, region_bytes());
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
