/* The ids of live blocks, by address: for exact recording, where every block has one.
 *
 * Beside every 32 bytes of the address space (16 where malloc isn't glibc's, whose smallest blocks
 * take 32) stands one word: the id, and one more, of the block that begins there, or 0; and in its
 * lowest bit, in which half of the 32 bytes.  The words are reserved by the 64 MB of address space
 * at a time, and take memory as they are touched: a quarter of what small blocks take, next to
 * nothing for large ones.  Neighbours in the heap are neighbours here, so the processor's caches
 * fare with it as they do with the program.
 *
 * A word is written by the thread that makes the block and by the one that ends it, and between
 * the two the program itself has passed the pointer on; so plain loads and stores will do, and
 * nothing is ever searched, moved or contended for.  A program that frees a block twice at once is
 * not correct, but harmless: the end may be told twice.
 *
 * Blocks at other addresses (small ones of some malloc libraries are aligned to 8, and addresses
 * of more than 47 bits exist) are kept in the engine's table; so is one whose word is another
 * block's (an operator new may be less generous than the malloc below it). */
#ifndef TAP_RECORD_SHADOW_H
#define TAP_RECORD_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SHADOW_ALIGN_BITS = 4,
    SHADOW_REGION_BITS = 26,
    SHADOW_ADDRESS_BITS = 47,
    SHADOW_REGIONS = 1 << (SHADOW_ADDRESS_BITS - SHADOW_REGION_BITS),
};

struct shadow {
    uint64_t **regions;    /* atomic pointers; a region's is NULL until it has a block */
    uint32_t granule_bits; /* 4 or 5 */
    bool has_odd;          /* atomic; some block is, or was, in the engine's table */
};
extern struct shadow shadow;

/* To be called once, before the others; false if there is no memory.  `sparse`: malloc's blocks
 * begin at least 32 bytes apart. */
bool shadow_init(bool sparse);

/* Tells all blocks that have a place, in the order of their addresses, each with its word less 1: its id.  No other thread may be
 * running. */
void shadow_each(void (*tell)(void *context, uint64_t address, uint64_t id), void *context);

/* Forgets all blocks.  No other thread may be running. */
void shadow_clear(void);

/* The same, and nothing is mapped any more: the others aren't called after it. */
void shadow_end(void);

/* What stands for a block's word, its id and 1, in the word of `address`; and the way back. */
static inline uint64_t shadow_held(uint64_t address, uint64_t word)
{
    return word << 1 | (address >> SHADOW_ALIGN_BITS & 1);
}

static inline uint64_t shadow_word_of(uint64_t held)
{
    return held >> 1;
}

/* Whether what a word holds, if anything, is of the block at `address`. */
static inline bool shadow_is_of(uint64_t held, uint64_t address)
{
    return ((held ^ address >> SHADOW_ALIGN_BITS) & 1) == 0;
}

/* The place of `address`'s word, or NULL: it has none yet, or never will. */
static inline uint64_t *shadow_place(uint64_t address)
{
    const uint64_t outside =
        ~(((UINT64_C(1) << SHADOW_ADDRESS_BITS) - 1) & ~((UINT64_C(1) << SHADOW_ALIGN_BITS) - 1));
    if (__builtin_expect(address & outside, 0))
        return NULL;
    uint64_t *words =
        __atomic_load_n(&shadow.regions[address >> SHADOW_REGION_BITS], __ATOMIC_ACQUIRE);
    uint64_t offset = address & ((UINT64_C(1) << SHADOW_REGION_BITS) - 1);
    return words ? &words[offset >> shadow.granule_bits] : NULL;
}

/* The same, made if need be; NULL for an address that has no word, or for want of memory. */
uint64_t *shadow_make_place(uint64_t address);

/* Whether `address` is one of those that have no word. */
static inline bool shadow_is_odd(uint64_t address)
{
    return address >> SHADOW_ADDRESS_BITS || address % (1 << SHADOW_ALIGN_BITS);
}

/* For those, and for blocks whose place is taken: puts a word in and returns whether there was
 * memory; takes it away, 0 if there is none. */
bool shadow_put_odd(uint64_t address, uint64_t word);
uint64_t shadow_take_odd(uint64_t address);

/* Puts a block's word in. */
static inline void shadow_put(uint64_t address, uint64_t word)
{
    uint64_t *place = shadow_place(address);
    uint64_t held = place ? __atomic_load_n(place, __ATOMIC_RELAXED) : 0;
    if (__builtin_expect(place && (!held || shadow_is_of(held, address)), 1))
        __atomic_store_n(place, shadow_held(address, word), __ATOMIC_RELAXED);
    else
        shadow_put_odd(address, word);
}

/* Takes the word of `address` away: 0 if no block is known to begin there. */
static inline uint64_t shadow_take(uint64_t address)
{
    uint64_t *place = shadow_place(address);
    uint64_t held = place ? __atomic_load_n(place, __ATOMIC_RELAXED) : 0;
    if (__builtin_expect(held && shadow_is_of(held, address), 1)) {
        __atomic_store_n(place, 0, __ATOMIC_RELAXED);
        return shadow_word_of(held);
    }
    return __atomic_load_n(&shadow.has_odd, __ATOMIC_RELAXED) ? shadow_take_odd(address) : 0;
}

#endif
