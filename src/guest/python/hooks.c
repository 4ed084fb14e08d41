/* The hooks in Python's allocators.
 *
 * Python has three of them.  PyMem_ and PyObject_ are called by whoever holds the interpreter's
 * lock, and small blocks of both come from the same pools.  PyMem_Raw may be called without the
 * lock (raw.c); blocks of the other two that are too large for the pools are passed on to it.
 *
 * A block is booked not when it is allocated but at the next event that has to be looked at, or at
 * its end, since its type is known only then (types.h); till then it is `pending`: its size, its
 * line and its stack are in hand, and no table was touched for it.
 *
 * Below rate 1 most blocks are not looked at: a block allocated costs a subtraction, one that ends
 * the look at one byte, before anything else is done. */
#include "guest/python/hooks.h"

#include <stdint.h>

#include "guest/python/interpreter.h"
#include "guest/python/places.h"
#include "guest/python/raw.h"
#include "guest/python/types.h"
#include "guest/python/watch.h"

/* Larger blocks are passed on to the raw allocator. */
enum { POOLS_MAX_BYTES = 512 };

static struct {
    struct heaptap_guest heap; /* of both allocators */
    char *pending;             /* allocated and not booked yet; NULL: none */
    size_t pending_bytes;
    uint32_t pending_location;
    bool pending_is_object; /* has, or will have, a type */
    bool exact;             /* every block is looked at */
    bool stacks;            /* whole stacks are wanted */
    bool met;               /* the interpreter ran while the hooks were in */
    struct heaptap_guest_thread calls;
    struct places places;
    struct python_allocator next[PYTHON_DOMAINS]; /* what the hooks stand in front of */
} state;

static bool is_object(const struct python_allocator *next)
{
    return next == &state.next[PYTHON_OBJ];
}

/* ---- Booking ----------------------------------------------------------------------------------
 */

static void book(uint32_t type)
{
    struct heaptap_guest_block block = {
        .address = (uint64_t)(uintptr_t)state.pending,
        .bytes = state.pending_bytes,
        .type = type,
        .location = state.pending_location,
    };
    state.pending = NULL;
    heaptap_guest_allocated(&state.heap, &state.calls, &block);
}

static uint32_t type_of_pending(void)
{
    return state.pending_is_object ? types_of(&state.heap, state.pending, state.pending_bytes)
                                   : types_internal(&state.heap);
}

static inline void settle(void)
{
    if (state.pending)
        book(type_of_pending());
}

/* The same at the end of another block, if it has its type already: a collection can come between
 * an allocation and the making of the object. */
static inline void settle_if_made(void)
{
    if (!state.pending)
        return;
    uint32_t type = type_of_pending();
    if (!state.pending_is_object || type != types_internal(&state.heap))
        book(type);
}

static inline uint32_t locate(void)
{
    return state.stacks ? places_walk(&state.places, &state.calls) : places_now(&state.places);
}

/* For the resizes that are looked at. */
static uint32_t locate_for_core(void *context, struct heaptap_guest *guest,
                                struct heaptap_guest_thread *self, const void *hint)
{
    return locate();
}

/* ---- Allocation ---------------------------------------------------------------------------------
 */

static inline void await_type(const struct python_allocator *next, char *block, size_t bytes,
                              uint32_t location)
{
    if (!block)
        return;
    state.pending = block;
    state.pending_bytes = bytes;
    state.pending_location = location;
    state.pending_is_object = is_object(next);
    if (state.pending_is_object)
        types_wipe(block, bytes);
}

static __attribute__((noinline)) void *malloc_looked_at(const struct python_allocator *next,
                                                        size_t bytes)
{
    settle();
    uint32_t location = locate();
    raw_passed_on++;
    void *block = next->malloc(next->context, bytes);
    raw_passed_on--;
    await_type(next, block, bytes, location);
    return block;
}

static __attribute__((noinline)) void *malloc_passed_on(const struct python_allocator *next,
                                                        size_t bytes)
{
    raw_passed_on++;
    void *block = next->malloc(next->context, bytes);
    raw_passed_on--;
    return block;
}

static void *hook_malloc(void *context, size_t bytes)
{
    const struct python_allocator *next = context;
    if (__builtin_expect(heaptap_guest_tick(&state.heap, bytes), 0))
        return malloc_looked_at(next, bytes);
    if (__builtin_expect(bytes > POOLS_MAX_BYTES, 0))
        return malloc_passed_on(next, bytes);
    return next->malloc(next->context, bytes);
}

static void *hook_calloc(void *context, size_t count, size_t size)
{
    const struct python_allocator *next = context;
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return next->calloc(next->context, count, size);
    bool look = heaptap_guest_tick(&state.heap, bytes);
    uint32_t location = 0;
    if (look) {
        settle();
        location = locate();
    }
    raw_passed_on++;
    void *block = next->calloc(next->context, count, size);
    raw_passed_on--;
    if (look)
        await_type(next, block, bytes, location);
    return block;
}

/* ---- The end
 * -------------------------------------------------------------------------------------- */

static __attribute__((noinline)) void free_looked_at(void *block)
{
    if (block == state.pending)
        settle();
    else if (state.exact)
        settle_if_made();
    watch_ends(block);
    heaptap_guest_free(&state.heap, block);
}

static void hook_free(void *context, void *block)
{
    const struct python_allocator *next = context;
    if (!block)
        return;
    if (heaptap_guest_may_know(&state.heap, block) || block == state.pending ||
        watch_may_end(block))
        free_looked_at(block);
    if (!state.exact) {
        next->free(next->context, block);
        return;
    }
    raw_passed_on++;
    next->free(next->context, block);
    raw_passed_on--;
}

/* ---- Resizing
 * ------------------------------------------------------------------------------------- */

/* The type of what is resized: what it was, and of a block that is not known, what it is. */
static uint32_t type_of_resized(const struct python_allocator *next, const char *block)
{
    if (state.exact)
        return HEAPTAP_GUEST_SAME;
    return is_object(next) ? types_of(&state.heap, block, COLLECTED_TYPE_AT + 8)
                           : types_internal(&state.heap);
}

static void *resize(const struct python_allocator *next, void *block, size_t bytes)
{
    struct heaptap_guest_resize resize;
    uint32_t type = HEAPTAP_GUEST_SAME;
    if (heaptap_guest_may_know(&state.heap, block) || state.heap.thread.countdown < bytes) {
        settle();
        type = type_of_resized(next, block);
    }
    heaptap_guest_resize_begin(&state.heap, &state.calls, &resize, block, bytes, type,
                               HEAPTAP_GUEST_ASK, NULL);
    raw_passed_on++;
    void *new = next->realloc(next->context, block, bytes);
    raw_passed_on--;
    if (new)
        heaptap_guest_resize_commit(&state.heap, &resize, new);
    else
        heaptap_guest_resize_undo(&state.heap, &resize);
    return new;
}

static void *hook_realloc(void *context, void *block, size_t bytes)
{
    const struct python_allocator *next = context;
    if (block)
        return resize(next, block, bytes);
    bool look = heaptap_guest_tick(&state.heap, bytes);
    uint32_t location = 0;
    if (look) {
        settle();
        location = locate();
    }
    raw_passed_on++;
    block = next->realloc(next->context, NULL, bytes);
    raw_passed_on--;
    if (look)
        await_type(next, block, bytes, location);
    return block;
}

/* ---- Life
 * ------------------------------------------------------------------------------------------- */

static void forked(void *context, struct heaptap_guest *guest)
{
    state.pending = NULL;
}

void hooks_install(void)
{
    const struct heaptap_guest_options options = {
        .locate = locate_for_core, .forked = forked, .alignment = 16};
    if (!heaptap_guest_start_if_requested(&state.heap, "Python", &options))
        return;
    state.exact = heaptap_guest_is_exact(&state.heap);
    state.stacks = heaptap_guest_wants_stacks(&state.heap);
    state.places.guest = &state.heap;
    for (int domain = PYTHON_MEM; domain <= PYTHON_OBJ; domain++) {
        python.get_allocator(domain, &state.next[domain]);
        struct python_allocator hooks = {&state.next[domain], hook_malloc, hook_calloc,
                                         hook_realloc, hook_free};
        python.set_allocator(domain, &hooks);
    }
    raw_install();
}

void hooks_finish(void)
{
    if (!heaptap_guest_is_watched(&state.heap))
        return;
    if (raw_lock_is_free_or_ours())
        settle();
}

void hooks_code_ends(const char *code)
{
    places_forget_code(&state.places, code);
    raw_code_ends(code);
}
