/* The ids of live blocks, by address: for exact recording, where every block has one.
 *
 * Beside every 16 bytes of the address space stands one word: the id, and one more, of the block
 * that begins there, or 0.  The words are reserved by the 64 MB of address space at a time, and
 * take memory as they are touched: half of what small blocks take, next to nothing for large ones.
 * Neighbours in the heap are neighbours here, so the processor's caches fare with it as they do
 * with the program.
 *
 * A word is written by the thread that makes the block and by the one that ends it, and between
 * the two the program itself has passed the pointer on; so plain loads and stores will do, and
 * nothing is ever searched, moved or contended for.  A program that frees a block twice at once is
 * not correct, but harmless: the end may be told twice.
 *
 * Blocks at other addresses (small ones of some malloc libraries are aligned to 8, and addresses
 * of more than 47 bits exist) are kept in the engine's table. */
#ifndef RECORD_SHADOW_H
#define RECORD_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SHADOW_GRANULE_BITS = 4,
    SHADOW_REGION_BITS = 26,
    SHADOW_ADDRESS_BITS = 47,
    SHADOW_REGIONS = 1 << (SHADOW_ADDRESS_BITS - SHADOW_REGION_BITS),
    SHADOW_REGION_WORDS = 1 << (SHADOW_REGION_BITS - SHADOW_GRANULE_BITS),
};

extern uint64_t **shadow_regions; /* atomic pointers; a region's is NULL until it has a block */

/* To be called once, before the others; false if there is no memory. */
bool shadow_init(void);

/* Forgets all blocks.  No other thread may be running. */
void shadow_clear(void);

/* The word of `address`, or NULL: it has none yet, or never will. */
static inline uint64_t *shadow_word(uint64_t address)
{
    const uint64_t outside =
        ~(((UINT64_C(1) << SHADOW_ADDRESS_BITS) - 1) & ~((UINT64_C(1) << SHADOW_GRANULE_BITS) - 1));
    if (__builtin_expect(address & outside, 0))
        return NULL;
    uint64_t *words =
        __atomic_load_n(&shadow_regions[address >> SHADOW_REGION_BITS], __ATOMIC_ACQUIRE);
    uint64_t mask = SHADOW_REGION_WORDS - 1;
    return words ? &words[(address >> SHADOW_GRANULE_BITS) & mask] : NULL;
}

/* The same, made if need be; NULL for an address that has no word, or for want of memory. */
uint64_t *shadow_make_word(uint64_t address);

/* Whether `address` is one of those that have no word. */
static inline bool shadow_is_odd(uint64_t address)
{
    return address >> SHADOW_ADDRESS_BITS || address % (1 << SHADOW_GRANULE_BITS);
}

/* For those: puts a word in and returns whether there was memory; takes it away, 0 if there is
 * none.
 */
bool shadow_put_odd(uint64_t address, uint64_t word);
uint64_t shadow_take_odd(uint64_t address);

/* Takes the word of `address` away: 0 if no block is known to begin there. */
static inline uint64_t shadow_take(uint64_t address)
{
    uint64_t *place = shadow_word(address);
    if (__builtin_expect(!place, 0))
        return shadow_take_odd(address);
    uint64_t word = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (word)
        __atomic_store_n(place, 0, __ATOMIC_RELAXED);
    return word;
}

#endif
