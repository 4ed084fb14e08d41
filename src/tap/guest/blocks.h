/* The live blocks of a heap at rate 1: for every address the row of the block and its birth, and
 * its id where a trace is written.
 *
 * A shadow of the heap: an address has its slot at a place that follows from the address alone, so
 * that neighbours in the heap are neighbours here, nothing is hashed, compared or moved, and a
 * nursery is swept by walking over its shadow.  Slots come in leaves, one for 64 KiB of addresses,
 * given memory by the kernel as they are touched. */
#ifndef TAP_GUEST_BLOCKS_H
#define TAP_GUEST_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LEAF_BITS = 16,   /* of address that a leaf stands for */
    MIDDLE_BITS = 16, /* 4 GiB of address have one table of leaves */
    TOP_BITS = 16,
    ROW_BITS = 22,
    SIZE_BITS = 40,
};

/* What a slot says of its block; 0 is no block. */
#define NOTE_PRESENT ((uint64_t)1 << 63)
#define NOTE_MINOR ((uint64_t)1 << 62)

static inline uint64_t note_make(uint32_t row, uint64_t bytes, bool minor)
{
    return NOTE_PRESENT | (minor ? NOTE_MINOR : 0) | (uint64_t)row << SIZE_BITS |
           (bytes & (((uint64_t)1 << SIZE_BITS) - 1));
}

static inline uint32_t note_row(uint64_t note)
{
    return (uint32_t)(note >> SIZE_BITS) & ((1u << ROW_BITS) - 1);
}

static inline uint64_t note_bytes(uint64_t note)
{
    return note & (((uint64_t)1 << SIZE_BITS) - 1);
}

struct block_slot {
    uint64_t note;
    uint64_t birth; /* by the heap's clock; BIRTH_RESIZED: of a block that came by a resize */
};

#define BIRTH_RESIZED ((uint64_t)1 << 63)

static inline uint64_t slot_birth(const struct block_slot *slot)
{
    return slot->birth & ~BIRTH_RESIZED;
}

/* A block that moves while a collection is under way. */
struct block_move {
    uint64_t to, id;
    struct block_slot slot;
};

struct blocks {
    struct block_slot ***top; /* NULL in places where nothing was yet */
    unsigned shift;           /* log2 of the alignment */
    bool with_ids;            /* behind its slots, a leaf has the ids of their blocks */
    char *arena;              /* leaves are cut off this */
    size_t arena_left;
    struct blocks_arena *arenas; /* all of them, to be given back */
    struct block_move *moves;
    size_t moves_used, moves_capacity;
};

bool blocks_init(struct blocks *blocks, unsigned shift, bool with_ids);
void blocks_release(struct blocks *blocks);

/* The slot of an address, made if need be; NULL when there is no memory or no such address. */
struct block_slot *blocks_make_slot(struct blocks *blocks, uint64_t address);

/* The slot, if the address has one yet. */
static inline struct block_slot *blocks_slot(const struct blocks *blocks, uint64_t address)
{
    uint64_t top = address >> (LEAF_BITS + MIDDLE_BITS);
    if (__builtin_expect(top >> TOP_BITS, 0))
        return NULL;
    struct block_slot **middle = blocks->top[top];
    struct block_slot *leaf =
        middle ? middle[address >> LEAF_BITS & ((1u << MIDDLE_BITS) - 1)] : NULL;
    return leaf ? &leaf[(address & ((1u << LEAF_BITS) - 1)) >> blocks->shift] : NULL;
}

/* The id of the block at an address that has a slot, in `blocks` with ids. */
static inline uint64_t *blocks_id(const struct blocks *blocks, uint64_t address)
{
    struct block_slot *leaf = blocks->top[address >> (LEAF_BITS + MIDDLE_BITS)]
                                         [address >> LEAF_BITS & ((1u << MIDDLE_BITS) - 1)];
    uint64_t *ids = (uint64_t *)(leaf + ((size_t)1 << (LEAF_BITS - blocks->shift)));
    return &ids[(address & ((1u << LEAF_BITS) - 1)) >> blocks->shift];
}

/* Keeps a move in `moves`; false when there is no memory. */
bool blocks_add_move(struct blocks *blocks, uint64_t to, const struct block_slot *slot,
                     uint64_t id);

/* The first slot in [*address, high) with a block, and its address; NULL at the end. */
struct block_slot *blocks_next(const struct blocks *blocks, uint64_t *address, uint64_t high);

#endif
