/* What the adapter keeps for one Lua state: a main thread, its coroutines, and their heap. */
#ifndef TAP_GUEST_LUA_HEAP_H
#define TAP_GUEST_LUA_HEAP_H

#include "tap/guest/lua/api.h"
#include "heaptap/guest.h"

enum {
    LUA_KINDS = 11, /* of blocks, as Lua tells its allocator */
    KIND_STORAGE = 0,
    KIND_TABLE = 5,
    KIND_USERDATA = 7,
    KIND_THREAD = 8,
    RECIPES_MAX = 16,
    RECIPE_MARKS = 6,
    RECIPE_WORDS = 64, /* of the stack that are looked at */
    REGISTERS = 6,     /* rbx, rbp, r12 to r15 */
    SITES_BITS = 12,
    WATCHED_BITS = 14,
    REGISTRY = -1001000, /* its index, in Lua's interface */
    RESUMERS_MAX = 200,  /* Lua's own limit */
};

/* What the entry of the hook found: the registers that a function must preserve, and above them the
 * stack, beginning with the return address. */
struct entry_frame {
    uint64_t words[REGISTERS + RECIPE_WORDS];
};

/* Where the interpreter's program counter is when it calls the allocator in one particular way:
 * words of the entry frame that are always the same then, and the one that holds it. */
struct recipe {
    uint64_t marks[RECIPE_MARKS];
    uint8_t mark_at[RECIPE_MARKS];
    uint8_t mark_count;
    uint8_t pc_at;
    int8_t ahead; /* instructions by which it is beyond what Lua would have saved */
};

/* A place that was looked up before. */
struct lua_site {
    const uint32_t *pc;
    uint32_t location;
};

/* The calls of a coroutine that were seen last, outermost first. */
struct lua_calls {
    struct lua_State *of;
    struct heaptap_guest_thread stack;
    struct seen_call {
        struct call_info *call;
        uint32_t depth; /* of `stack` before it */
    } * seen;
    uint32_t count, capacity;
    struct lua_calls *next;
};

struct lua_heap {
    struct heaptap_guest guest; /* first: the hook begins with its countdown */
    lua_alloc *real;
    void *real_ud;
    struct lua_State *main, *current; /* coroutine, as last seen */
    struct lua_State *resumers[RESUMERS_MAX];
    uint32_t resumer_count;
    const struct entry_frame *entry;
    const void *block; /* that is being resized */
    bool makes_table;  /* a table, or storage that can be a table's */
    bool stacks;
    uint32_t types[LUA_KINDS];
    uint32_t resize_location;
    struct recipe recipes[RECIPES_MAX];
    uint32_t recipe_count;
    struct lua_calls *calls, *current_calls;
    void **idle_ends; /* blocks that ended while no function was under way, not yet told */
    size_t idle_count, idle_capacity;
    struct lua_site sites[1 << SITES_BITS];
    /* Blocks whose end matters to us: code that sites point into, and coroutines. */
    uintptr_t watched[1 << WATCHED_BITS];
    uint32_t watched_count;
    uint8_t watch_filter[4096];
    /* Of snapshots of what holds objects (holders.h). */
    bool has_holders; /* the last one is still to be taken */
    struct lua_table *registry;
    struct call_info *base_call; /* of the main thread: the outermost */
    lua_function *
        host; /* the C function that the main thread had under way when the state was attached; NULL: none */
    struct lua_heap *next_with_holders;
};

extern struct lua_api lua;

/* recipes.c: tries out where the program counter is; how many ways are known. */
uint32_t recipes_find(struct recipe *recipes);
/* Does nothing; being there, it makes Lua save the counter before each instruction. */
void recipes_no_hook(struct lua_State *L, struct lua_debug *debug);
/* The allocator of the state that is tried with. */
void *recipes_alloc(void *ud, void *block, size_t old_size, size_t new_size);
/* The program counter as Lua would have saved it; NULL where no recipe fits. */
const uint32_t *recipes_apply(struct recipe *recipes, uint32_t count,
                              const struct entry_frame *entry,
                              const struct lua_prototype *prototype);

/* places.c: the locate function of a heap. */
uint32_t places_locate(void *context, struct heaptap_guest *guest,
                       struct heaptap_guest_thread *self, const void *hint);
/* In the child of a fork, where the heap's filter is a new one. */
void places_watch_again(void *heap, struct heaptap_guest *guest);
/* Brings `current` and `resumers` up to date, where no block is being resized. */
void places_find_running(struct lua_heap *heap);
/* A block ends that is watched. */
void places_forget(struct lua_heap *heap, void *block);
/* A coroutine's block. */
void places_watch(struct lua_heap *heap, const void *block);

static inline bool places_may_watch(const struct lua_heap *heap, const void *block)
{
    return heap->watch_filter[(uintptr_t)block >> 4 & 4095];
}

/* hook.c */
void *hook_alloc(void *heap, void *block, size_t old_size, size_t new_size);

/* attach.c: watches a state if that is asked for. */
void lua_attach(struct lua_State *L);

/* Of the module that Lua's code is in. */
extern uintptr_t lua_text_low, lua_text_high;

#endif
