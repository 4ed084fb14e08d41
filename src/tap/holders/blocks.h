/* The live blocks by address, and which of them a word points into. */
#ifndef TAP_HOLDERS_BLOCKS_H
#define TAP_HOLDERS_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "tap/holders/snapshot_options.h"

#define NO_BLOCK UINT32_MAX
#define NO_ID UINT64_MAX

/* The address space is divided into regions, these into sections. */
enum {
    BLOCKS_SECTION_BITS = 12,
    BLOCKS_REGION_BITS = 26,
    BLOCKS_ADDRESS_BITS = 47,
    BLOCKS_REGIONS = 1 << (BLOCKS_ADDRESS_BITS - BLOCKS_REGION_BITS),
    BLOCKS_SECTIONS = 1 << (BLOCKS_REGION_BITS - BLOCKS_SECTION_BITS),
};

struct blocks {
    uint64_t *address;
    uint32_t *words; /* of 8 bytes, UINT32_MAX at most: what of it may be used, by glibc's header */
    uint64_t *id;    /* NO_ID: the trace doesn't have it */
    uint32_t count;
    uint64_t low, span; /* no block has memory outside of [low, low + span) */
    uint32_t **
        regions; /* by address: the first block that begins in each section or after; one more at the end; NULL where no
                            block has memory */
};

/* Tells all blocks in the order of their addresses, twice alike. */
typedef void blocks_source(holders_tell_block *tell, void *context, const void *from);

/* False without memory, or where there are more than fit. */
bool blocks_init(struct blocks *blocks, blocks_source *each, const void *from);

/* The id of a block that begins at an address; where none does, nothing is done. */
void blocks_identify(struct blocks *blocks, uint64_t address, uint64_t id);

static inline uint64_t blocks_bytes(const struct blocks *blocks, uint32_t block)
{
    return (uint64_t)blocks->words[block] * 8;
}

/* The block that an address is in; NO_BLOCK for none. */
static inline uint32_t blocks_find(const struct blocks *blocks, uint64_t address)
{
    if (__builtin_expect(address - blocks->low >= blocks->span, 1))
        return NO_BLOCK;
    const uint32_t *sections = blocks->regions[address >> BLOCKS_REGION_BITS];
    if (!sections)
        return NO_BLOCK;
    const uint32_t *section = &sections[address >> BLOCKS_SECTION_BITS & (BLOCKS_SECTIONS - 1)];
    uint32_t low = section[0], high = section[1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (blocks->address[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address - blocks->address[low - 1] < blocks_bytes(blocks, low - 1) ? low - 1
                                                                                         : NO_BLOCK;
}

#endif
