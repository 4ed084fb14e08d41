#include "tap/guest/blocks.h"

#include "tap/inside/pages.h"

enum { FIRST_ARENA_BYTES = 1 << 20, ARENA_BYTES = 4 << 20, ARENA_HEAD = 4096 };

/* At the beginning of each arena. */
struct blocks_arena {
    struct blocks_arena *next;
    size_t size_bytes;
};

/* The first ones are short, for small programs; large ones are spared the faults of each page. */
static bool add_arena(struct blocks *blocks)
{
    size_t size = blocks->arenas ? 2 * blocks->arenas->size_bytes : FIRST_ARENA_BYTES;
    size = size < ARENA_BYTES ? size : ARENA_BYTES;
    struct blocks_arena *arena = pages_map(size);
    if (!arena)
        return false;
    if (size == ARENA_BYTES)
        madvise(arena, size, MADV_HUGEPAGE);
    *arena = (struct blocks_arena){blocks->arenas, size};
    blocks->arenas = arena;
    blocks->arena = (char *)arena + ARENA_HEAD;
    blocks->arena_left = size - ARENA_HEAD;
    return true;
}

/* Zeroed memory that lives as long as the table. */
static void *cut_off(struct blocks *blocks, size_t size)
{
    if (blocks->arena_left < size && !add_arena(blocks))
        return NULL;
    void *memory = blocks->arena;
    blocks->arena += size;
    blocks->arena_left -= size;
    return memory;
}

bool blocks_init(struct blocks *blocks, unsigned shift, bool with_ids)
{
    *blocks = (struct blocks){.shift = shift, .with_ids = with_ids};
    blocks->top = pages_map(sizeof *blocks->top << TOP_BITS);
    return blocks->top != NULL;
}

void blocks_release(struct blocks *blocks)
{
    while (blocks->arenas) {
        struct blocks_arena *arena = blocks->arenas;
        blocks->arenas = arena->next;
        pages_unmap(arena, arena->size_bytes);
    }
    pages_unmap(blocks->top, sizeof *blocks->top << TOP_BITS);
    pages_unmap(blocks->moves, blocks->moves_capacity * sizeof *blocks->moves);
    *blocks = (struct blocks){0};
}

struct block_slot *blocks_make_slot(struct blocks *blocks, uint64_t address)
{
    uint64_t top = address >> (LEAF_BITS + MIDDLE_BITS);
    if (top >> TOP_BITS)
        return NULL;
    struct block_slot **middle = blocks->top[top];
    if (!middle)
        middle = blocks->top[top] = cut_off(blocks, sizeof *middle << MIDDLE_BITS);
    if (!middle)
        return NULL;
    struct block_slot **leaf = &middle[address >> LEAF_BITS & ((1u << MIDDLE_BITS) - 1)];
    size_t record = sizeof **leaf + (blocks->with_ids ? sizeof(uint64_t) : 0);
    if (!*leaf)
        *leaf = cut_off(blocks, record << (LEAF_BITS - blocks->shift));
    return blocks_slot(blocks, address);
}

bool blocks_add_move(struct blocks *blocks, uint64_t to, const struct block_slot *slot, uint64_t id)
{
    if (blocks->moves_used == blocks->moves_capacity) {
        size_t capacity = blocks->moves_capacity ? 2 * blocks->moves_capacity : 1024;
        struct block_move *moves = pages_map(capacity * sizeof *moves);
        if (!moves)
            return false;
        for (size_t i = 0; i < blocks->moves_used; i++)
            moves[i] = blocks->moves[i];
        pages_unmap(blocks->moves, blocks->moves_capacity * sizeof *moves);
        blocks->moves = moves;
        blocks->moves_capacity = capacity;
    }
    blocks->moves[blocks->moves_used++] = (struct block_move){to, id, *slot};
    return true;
}

struct block_slot *blocks_next(const struct blocks *blocks, uint64_t *address, uint64_t high)
{
    const uint64_t step = (uint64_t)1 << blocks->shift, leaf_bytes = (uint64_t)1 << LEAF_BITS;
    uint64_t at = (*address + step - 1) & ~(step - 1);
    while (at < high) {
        struct block_slot *slot = blocks_slot(blocks, at);
        uint64_t leaf_end = (at | (leaf_bytes - 1)) + 1;
        uint64_t end = leaf_end < high ? leaf_end : high;
        for (; slot && at < end; at += step, slot++)
            if (slot->note) {
                *address = at;
                return slot;
            }
        at = leaf_end;
    }
    *address = high;
    return NULL;
}
