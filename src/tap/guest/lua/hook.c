/* The allocator that stands before Lua's.
 *
 * A block that is not drawn costs a subtraction, its end one look at a byte, and either goes on to
 * Lua's allocator by a jump.  All others jump to a piece of assembly, which has a look at the
 * registers as the interpreter left them (recipes.c says what for). */
#include "tap/guest/lua/entry.h"
#include "tap/guest/lua/heap.h"
#include "tap/guest/lua/holders.h"
#include "tap/guest/state.h"
#include "tap/inside/pages.h"

void *hook_seen(struct lua_heap *heap, void *block, size_t old_size, size_t new_size);
void *hook_body(struct lua_heap *heap, void *block, size_t old_size, size_t new_size,
                const struct entry_frame *entry);

#if defined(__x86_64__)
ENTRY("hook_seen", "hook_body");
#else
void *hook_seen(struct lua_heap *heap, void *block, size_t old_size, size_t new_size)
{
    return hook_body(heap, block, old_size, new_size, NULL);
}
#endif

/* The type of a new block: Lua tells in the old size what it is for. */
static uint32_t type_of(const struct lua_heap *heap, size_t kind)
{
    return heap->types[kind < LUA_KINDS ? kind : 0];
}

static __attribute__((noinline)) void record(struct lua_heap *heap, void *block, size_t kind,
                                             size_t size, const struct entry_frame *entry)
{
    struct heaptap_guest_block it = {.address = (uint64_t)(uintptr_t)block,
                                     .bytes = size,
                                     .type = type_of(heap, kind),
                                     .location = HEAPTAP_GUEST_ASK};
    heap->entry = entry;
    heap->block = NULL;
    heap->makes_table = kind == KIND_TABLE || kind == KIND_STORAGE;
    heaptap_guest_allocated(&heap->guest, heap->current_calls ? &heap->current_calls->stack : NULL,
                            &it);
}

/* ---- The end of a state ----------------------------------------------------------- */

/* Is no function under way, as when the state is being closed? */
static bool is_idle(const struct lua_heap *heap)
{
    return !heap->main->ci->previous;
}

/* What ends while the state is idle may end because it is being closed: that is not told, so that
 * the report says what the program left.  If the state turns out to live on, it is told then. */
static __attribute__((noinline)) void put_off(struct lua_heap *heap, void *block)
{
    trace_closing();
    if (heap->idle_count == heap->idle_capacity) {
        size_t capacity = heap->idle_capacity ? 2 * heap->idle_capacity : 4096;
        void **ends = pages_map(capacity * sizeof *ends);
        if (!ends)
            return;
        for (size_t i = 0; i < heap->idle_count; i++)
            ends[i] = heap->idle_ends[i];
        pages_unmap(heap->idle_ends, heap->idle_capacity * sizeof *ends);
        heap->idle_ends = ends;
        heap->idle_capacity = capacity;
    }
    heap->idle_ends[heap->idle_count++] = block;
}

static __attribute__((noinline)) void tell_put_off(struct lua_heap *heap)
{
    for (size_t i = 0; i < heap->idle_count; i++)
        heaptap_guest_free(&heap->guest, heap->idle_ends[i]);
    heap->idle_count = 0;
    trace_goes_on();
}

static void end(struct lua_heap *heap, void *block)
{
    if (!heaptap_guest_may_know(&heap->guest, block))
        return;
    if (__builtin_expect(is_idle(heap), 0))
        put_off(heap, block);
    else
        heaptap_guest_free(&heap->guest, block);
}

/* ---- The hook --------------------------------------------------------------------- */

static __attribute__((noinline)) void *resize(struct lua_heap *heap, void *block, size_t old_size,
                                              size_t new_size, const struct entry_frame *entry)
{
    struct heaptap_guest_resize it;
    heap->entry = entry;
    heap->block = block;
    heap->makes_table = true;
    heaptap_guest_resize_begin(&heap->guest,
                               heap->current_calls ? &heap->current_calls->stack : NULL, &it, block,
                               new_size, heap->types[0], HEAPTAP_GUEST_ASK, NULL);
    if (places_may_watch(heap, block))
        places_forget(heap, block);
    void *resized = heap->real(heap->real_ud, block, old_size, new_size);
    if (resized)
        heaptap_guest_resize_commit(&heap->guest, &it, resized);
    else
        heaptap_guest_resize_undo(&heap->guest, &it);
    return resized;
}

__attribute__((used, visibility("hidden"))) void *hook_body(struct lua_heap *heap, void *block,
                                                            size_t old_size, size_t new_size,
                                                            const struct entry_frame *entry)
{
    if (__builtin_expect(heap->has_holders, 0))
        lua_holders_look(heap, block, old_size, new_size);
    if (__builtin_expect(heap->idle_count != 0, 0) && new_size)
        tell_put_off(heap);
    if (!block) {
        bool drawn = new_size && heaptap_guest_tick(&heap->guest, new_size);
        void *made = heap->real(heap->real_ud, NULL, old_size, new_size);
        if (__builtin_expect(drawn, 0))
            record(heap, made, old_size, new_size, entry);
        if (__builtin_expect(old_size == KIND_THREAD && made, 0) &&
            heaptap_guest_is_watched(&heap->guest))
            places_watch(heap, made);
        return made;
    }
    if (new_size)
        return resize(heap, block, old_size, new_size, entry);
    end(heap, block);
    if (__builtin_expect(places_may_watch(heap, block), 0))
        places_forget(heap, block);
    return heap->real(heap->real_ud, block, old_size, 0);
}

/* Its jumps are its only calls, so that nothing is pushed: what hook_seen finds on the stack and in
 * the registers is what the interpreter left there. */
void *hook_alloc(void *context, void *block, size_t old_size, size_t new_size)
{
    struct lua_heap *heap = context;
    if (block && heaptap_guest_may_know(&heap->guest, block))
        return hook_seen(heap, block, old_size, new_size);
    if (new_size) {
        if (heap->idle_count || old_size == KIND_THREAD || heap->guest.thread.countdown < new_size)
            return hook_seen(heap, block, old_size, new_size);
        heap->guest.thread.countdown -= new_size;
    }
    return heap->real(heap->real_ud, block, old_size, new_size);
}
