/* The hooks in Python's allocators.
 *
 * Python has three of them.  PyMem_ and PyObject_ are called by whoever holds the interpreter's
 * lock, and small blocks of both come from the same pools.  PyMem_Raw may be called without the
 * lock (raw.c); blocks of the other two that are too large for the pools are passed on to it.
 *
 * A block is booked not when it is allocated but at the next event that has to be looked at, or at
 * its end, since its type is known only then (types.h); till then it is `pending`: its size, its
 * line and its stack are in hand, and no table was touched for it.  Where a collection comes
 * between, which can run any Python code, the object may still not be made at the next event; then
 * the block is booked without its type, and is one of the `late` ones.
 *
 * There are two sets of hooks.  Where every block is looked at, each goes through here.  Where
 * blocks are drawn, a block costs a subtraction, and its end the look at one byte, before anything
 * else is done.
 *
 * When the interpreter takes itself apart, it frees what the program had kept; what is live then is
 * what the program retained, so the recording is over by then. */
#include "guest/python/hooks.h"

#include <stdint.h>

#include "guest/python/interpreter.h"
#include "guest/python/places.h"
#include "guest/python/raw.h"
#include "guest/python/types.h"
#include "guest/python/watch.h"
#include "guest/state.h"

#define UNLIKELY(condition) __builtin_expect((condition), 0)

enum {
    POOLS_MAX_BYTES = 512, /* larger blocks are passed on to the raw allocator */
    LATE_MAX = 8,
    LATE_LOOKS = 256,
};

struct awaited {
    char *block; /* NULL: none */
    size_t bytes;
};

enum subinterpreters { SUB_NONE, SUB_MET, SUB_TOLD };

struct late {
    struct awaited it;
    uint32_t looks; /* taken at it since */
};

static struct {
    struct heaptap_guest heap; /* of both allocators */
    struct awaited pending;    /* allocated and not booked yet */
    uint32_t pending_location;
    bool pending_is_object; /* has, or will have, a type */
    uint8_t late_count;
    struct late late[LATE_MAX]; /* booked, but not typed yet */
    bool exact;                 /* every block is looked at */
    bool stacks;                /* whole stacks are wanted */
    bool over;                  /* nothing more is recorded */
    uint8_t subinterpreters;    /* atomic; enum subinterpreters */
    struct heaptap_guest_thread calls;
    struct places places;
    struct python_allocator next[PYTHON_DOMAINS]; /* what the hooks stand in front of */
    struct python_allocator hooks[PYTHON_DOMAINS];
} state;

static inline bool is_object(const struct python_allocator *next)
{
    return next == &state.next[PYTHON_OBJ];
}

/* ---- Booking ----------------------------------------------------------------------------------
 */

static inline void book(uint32_t type)
{
    struct heaptap_guest_block block = {
        .address = (uint64_t)(uintptr_t)state.pending.block,
        .bytes = state.pending.bytes,
        .type = type,
        .location = state.pending_location,
    };
    state.pending.block = NULL;
    heaptap_guest_allocated(&state.heap, &state.calls, &block);
}

static inline uint32_t type_of_pending(void)
{
    return state.pending_is_object ? types_of(&state.heap, state.pending.block, state.pending.bytes)
                                   : types_internal(&state.heap);
}

/* Types the late ones that have been made meanwhile, or the one that ends.  Of what is never made,
 * there is no more to be known after a while. */
static __attribute__((noinline)) void look_at_late(const char *ending)
{
    for (uint8_t i = 0; i < state.late_count; i++) {
        struct late *late = &state.late[i];
        if (ending && late->it.block != ending)
            continue;
        if (!ending && late->looks++ < LATE_LOOKS &&
            types_is_unmade(late->it.block, late->it.bytes))
            continue;
        heaptap_guest_settype(&state.heap, late->it.block,
                              types_of(&state.heap, late->it.block, late->it.bytes));
        *late = state.late[--state.late_count];
        i--;
    }
}

static inline void settle(void)
{
    if (!state.pending.block)
        return;
    uint32_t type = type_of_pending();
    if (UNLIKELY(state.pending_is_object && type == types_internal(&state.heap) &&
                 state.late_count < LATE_MAX &&
                 types_is_unmade(state.pending.block, state.pending.bytes)))
        state.late[state.late_count++] = (struct late){state.pending, 0};
    book(type);
}

static __attribute__((noinline)) void tell_of_subinterpreters(void)
{
    __atomic_store_n(&state.subinterpreters, SUB_TOLD, __ATOMIC_RELAXED);
    heaptap_guest_note(&state.heap, "a subinterpreter ran: what it allocated is not in the report");
}

/* Whether this is not to be recorded, as it is a subinterpreter's. */
static inline bool is_elsewhere(void)
{
    if (!python_is_elsewhere())
        return false;
    if (__atomic_load_n(&state.subinterpreters, __ATOMIC_RELAXED) == SUB_NONE)
        __atomic_store_n(&state.subinterpreters, SUB_MET, __ATOMIC_RELAXED);
    return true;
}

/* Something is to be recorded, the end of a block or, if NULL, something else: what went before is
 * booked first. */
static inline void begin(const char *ending)
{
    if (UNLIKELY(state.late_count))
        look_at_late(ending);
    if (UNLIKELY(__atomic_load_n(&state.subinterpreters, __ATOMIC_RELAXED) == SUB_MET))
        tell_of_subinterpreters();
    settle();
}

static inline uint32_t locate(void)
{
    return state.stacks ? places_walk(&state.places, &state.calls) : places_now(&state.places);
}

/* For the resizes that are recorded. */
static uint32_t locate_for_core(void *context, struct heaptap_guest *guest,
                                struct heaptap_guest_thread *self, const void *hint)
{
    return locate();
}

static inline void *await_type(const struct python_allocator *next, char *block, size_t bytes,
                               uint32_t location)
{
    if (UNLIKELY(!block))
        return NULL;
    state.pending = (struct awaited){block, bytes};
    state.pending_location = location;
    state.pending_is_object = is_object(next);
    if (state.pending_is_object)
        types_wipe(block, bytes);
    return block;
}

/* ---- An event that is looked at ---------------------------------------------------------------
 */

static void *malloc_seen(void *context, size_t bytes)
{
    const struct python_allocator *next = context;
    bool ours = !is_elsewhere();
    uint32_t location = ours ? begin(NULL), locate() : 0;
    raw_passed_on++;
    void *block = next->malloc(next->context, bytes);
    raw_passed_on--;
    return ours ? await_type(next, block, bytes, location) : block;
}

static void *calloc_seen(void *context, size_t count, size_t size)
{
    const struct python_allocator *next = context;
    bool ours = !is_elsewhere();
    uint32_t location = ours ? begin(NULL), locate() : 0;
    raw_passed_on++;
    void *block = next->calloc(next->context, count, size);
    raw_passed_on--;
    return ours ? await_type(next, block, count * size, location) : block;
}

static __attribute__((noinline)) void end_recording(void)
{
    state.over = true;
    state.heap.thread.countdown = UINT64_MAX;
    raw_end_recording();
}

static inline void end_seen(char *block)
{
    if (is_elsewhere())
        return;
    if (UNLIKELY(python.is_finalizing())) {
        end_recording();
        return;
    }
    begin(block);
    watch_ends(block);
    heaptap_guest_free(&state.heap, block);
}

static void *realloc_unseen(const struct python_allocator *next, void *block, size_t bytes)
{
    raw_passed_on++;
    void *new = next->realloc(next->context, block, bytes);
    raw_passed_on--;
    return new;
}

/* The type of what is resized: what it was, and of a block that is not known, what it is. */
static uint32_t type_of_resized(const struct python_allocator *next, const char *block)
{
    if (state.exact)
        return HEAPTAP_GUEST_SAME;
    return is_object(next) ? types_of(&state.heap, block, COLLECTED_TYPE_AT + 8)
                           : types_internal(&state.heap);
}

static void *resize_seen(const struct python_allocator *next, void *block, size_t bytes)
{
    struct heaptap_guest_resize resize;
    if (is_elsewhere())
        return realloc_unseen(next, block, bytes);
    begin(block);
    heaptap_guest_resize_begin(&state.heap, &state.calls, &resize, block, bytes,
                               type_of_resized(next, block), HEAPTAP_GUEST_ASK, NULL);
    raw_passed_on++;
    void *new = next->realloc(next->context, block, bytes);
    raw_passed_on--;
    if (new)
        heaptap_guest_resize_commit(&state.heap, &resize, new);
    else
        heaptap_guest_resize_undo(&state.heap, &resize);
    return new;
}

/* ---- Where every block is looked at -----------------------------------------------------------
 */

static void *exact_malloc(void *context, size_t bytes)
{
    const struct python_allocator *next = context;
    return heaptap_guest_tick(&state.heap, bytes) ? malloc_seen(context, bytes)
                                                  : next->malloc(next->context, bytes);
}

static void *exact_calloc(void *context, size_t count, size_t size)
{
    const struct python_allocator *next = context;
    return heaptap_guest_tick(&state.heap, count * size) ? calloc_seen(context, count, size)
                                                         : next->calloc(next->context, count, size);
}

static void exact_free(void *context, void *block)
{
    const struct python_allocator *next = context;
    if (block && !state.over)
        end_seen(block);
    raw_passed_on++;
    next->free(next->context, block);
    raw_passed_on--;
}

static void *exact_realloc(void *context, void *block, size_t bytes)
{
    const struct python_allocator *next = context;
    if (!block)
        return exact_malloc(context, bytes);
    return state.over ? next->realloc(next->context, block, bytes)
                      : resize_seen(next, block, bytes);
}

/* ---- Where blocks are drawn -------------------------------------------------------------------
 */

static __attribute__((noinline)) void *large_malloc(void *context, size_t bytes)
{
    const struct python_allocator *next = context;
    if (heaptap_guest_tick(&state.heap, bytes))
        return malloc_seen(context, bytes);
    raw_passed_on++;
    void *block = next->malloc(next->context, bytes);
    raw_passed_on--;
    return block;
}

static __attribute__((noinline)) void *drawn_malloc_seen(void *context, size_t bytes)
{
    return malloc_seen(context, bytes);
}

static void *drawn_malloc(void *context, size_t bytes)
{
    const struct python_allocator *next = context;
    if (UNLIKELY(bytes > POOLS_MAX_BYTES))
        return large_malloc(context, bytes);
    if (UNLIKELY(heaptap_guest_tick(&state.heap, bytes)))
        return drawn_malloc_seen(context, bytes);
    return next->malloc(next->context, bytes);
}

static __attribute__((noinline)) void *large_calloc(void *context, size_t count, size_t size)
{
    const struct python_allocator *next = context;
    if (heaptap_guest_tick(&state.heap, count * size))
        return calloc_seen(context, count, size);
    raw_passed_on++;
    void *block = next->calloc(next->context, count, size);
    raw_passed_on--;
    return block;
}

static __attribute__((noinline)) void *drawn_calloc_seen(void *context, size_t count, size_t size)
{
    return calloc_seen(context, count, size);
}

static void *drawn_calloc(void *context, size_t count, size_t size)
{
    const struct python_allocator *next = context;
    size_t bytes = count * size; /* Python has made sure that it can't overflow */
    if (UNLIKELY(bytes > POOLS_MAX_BYTES))
        return large_calloc(context, count, size);
    if (UNLIKELY(heaptap_guest_tick(&state.heap, bytes)))
        return drawn_calloc_seen(context, count, size);
    return next->calloc(next->context, count, size);
}

static __attribute__((noinline)) void drawn_free_seen(void *context, void *block)
{
    const struct python_allocator *next = context;
    if (block && !state.over)
        end_seen(block);
    next->free(next->context, block);
}

static void drawn_free(void *context, void *block)
{
    const struct python_allocator *next = context;
    if (UNLIKELY(heaptap_guest_may_know(&state.heap, block) || block == state.pending.block))
        drawn_free_seen(context, block);
    else
        next->free(next->context, block);
}

static void *drawn_realloc(void *context, void *block, size_t bytes)
{
    const struct python_allocator *next = context;
    if (!block)
        return drawn_malloc(context, bytes);
    bool known = heaptap_guest_may_know(&state.heap, block) || block == state.pending.block;
    if (!state.over && (known || state.heap.thread.countdown <= bytes))
        return resize_seen(next, block, bytes);
    state.heap.thread.countdown -= bytes + !bytes;
    return realloc_unseen(next, block, bytes);
}

/* ---- Life -------------------------------------------------------------------------------------
 */

static void put_in(int domain)
{
    python.get_allocator(domain, &state.next[domain]);
    struct python_allocator *hooks = &state.hooks[domain];
    *hooks = state.exact ? (struct python_allocator){&state.next[domain], exact_malloc,
                                                     exact_calloc, exact_realloc, exact_free}
                         : (struct python_allocator){&state.next[domain], drawn_malloc,
                                                     drawn_calloc, drawn_realloc, drawn_free};
    python.set_allocator(domain, hooks);
}

static void forked(void *context, struct heaptap_guest *guest)
{
    state.pending.block = NULL;
    state.late_count = 0;
    watch_again();
}

void hooks_install(void)
{
    const struct heaptap_guest_options options = {
        .locate = locate_for_core, .forked = forked, .alignment = 16};
    if (!heaptap_guest_start_if_requested(&state.heap, "Python", &options))
        return;
    state.exact = state.heap.state->every;
    state.stacks = heaptap_guest_wants_stacks(&state.heap);
    state.places.guest = &state.heap;
    put_in(PYTHON_MEM);
    put_in(PYTHON_OBJ);
    raw_install();
}

void hooks_put_in_again(void)
{
    struct python_allocator now;
    if (!heaptap_guest_is_watched(&state.heap) || python.thread_state())
        return;
    python.get_allocator(PYTHON_OBJ, &now);
    if (now.malloc == state.hooks[PYTHON_OBJ].malloc)
        return;
    put_in(PYTHON_MEM);
    put_in(PYTHON_OBJ);
    raw_put_in_again();
    heaptap_guest_note(&state.heap,
                       "PYTHONMALLOC, PYTHONDEVMODE or -X dev chose other allocators: what was "
                       "allocated before is missing, and sizes are without their additions");
}

void hooks_finish(void)
{
    if (heaptap_guest_is_watched(&state.heap) && !state.over && raw_lock_is_free_or_ours())
        begin(NULL);
}

void hooks_watch(const char *block, bool watch)
{
    if (!state.exact)
        drawn_watch(state.heap.state, (uint64_t)(uintptr_t)block, watch);
}

void hooks_code_ends(const char *code)
{
    places_forget_code(&state.places, code);
    raw_code_ends(code);
}
