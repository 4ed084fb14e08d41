#include "tap/holders/blocks.h"

#include "tap/holders/chunk.h"
#include "tap/inside/pages.h"

static void count_block(void *context, uint64_t address, uint64_t id)
{
    uint64_t *count = context;
    ++*count;
}

static void add_block(void *context, uint64_t address, uint64_t id)
{
    struct blocks *blocks = context;
    uint64_t words = chunk_usable_bytes(address) / 8;
    blocks->address[blocks->count] = address;
    blocks->words[blocks->count] = words < UINT32_MAX ? (uint32_t)words : UINT32_MAX;
    blocks->id[blocks->count++] = id;
}

/* Its sections, made if need be; NULL without memory. */
static uint32_t *make_region(struct blocks *blocks, uint64_t region)
{
    if (!blocks->regions[region])
        blocks->regions[region] = pages_map((BLOCKS_SECTIONS + 1) * sizeof(uint32_t));
    return blocks->regions[region];
}

static bool make_regions(struct blocks *blocks)
{
    for (uint32_t i = 0; i < blocks->count; i++) {
        uint64_t last = blocks->address[i] + blocks_bytes(blocks, i) - 1;
        for (uint64_t region = blocks->address[i] >> BLOCKS_REGION_BITS;
             region <= last >> BLOCKS_REGION_BITS; region++)
            if (region >= BLOCKS_REGIONS || !make_region(blocks, region))
                return false;
        if (last - blocks->low >= blocks->span)
            blocks->span = last + 1 - blocks->low;
    }
    return true;
}

static void fill_regions(struct blocks *blocks)
{
    uint32_t next = 0;
    uint64_t end = (blocks->low + blocks->span - 1) >> BLOCKS_REGION_BITS;
    for (uint64_t region = blocks->low >> BLOCKS_REGION_BITS; region <= end; region++)
        for (uint64_t section = 0; blocks->regions[region] && section <= BLOCKS_SECTIONS;
             section++) {
            uint64_t start = (region << BLOCKS_REGION_BITS) + (section << BLOCKS_SECTION_BITS);
            while (next < blocks->count && blocks->address[next] < start)
                next++;
            blocks->regions[region][section] = next;
        }
}

bool blocks_init(struct blocks *blocks, blocks_source *each, const void *from)
{
    uint64_t count = 0;
    *blocks = (struct blocks){0};
    each(count_block, &count, from);
    if (count >= NO_BLOCK)
        return false;
    blocks->address = pages_map((count + 1) * sizeof *blocks->address);
    blocks->words = pages_map((count + 1) * sizeof *blocks->words);
    blocks->id = pages_map((count + 1) * sizeof *blocks->id);
    blocks->regions = pages_map(BLOCKS_REGIONS * sizeof *blocks->regions);
    if (!blocks->address || !blocks->words || !blocks->id || !blocks->regions)
        return false;
    each(add_block, blocks, from);
    if (blocks->count == 0)
        return true;
    blocks->low = blocks->address[0];
    blocks->span = 1;
    if (!make_regions(blocks))
        return false;
    fill_regions(blocks);
    return true;
}

void blocks_identify(struct blocks *blocks, uint64_t address, uint64_t id)
{
    uint32_t block = blocks_find(blocks, address);
    if (block != NO_BLOCK && blocks->address[block] == address)
        blocks->id[block] = id;
}
