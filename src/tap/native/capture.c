/* The state of an unwinder belongs to a thread, but nothing tells us when a thread of the program ends, and thread-local
 * storage may be what the program's malloc is being called for.  So there is a pool, in which a thread finds its state by
 * its number, and takes it for as long as a capture goes on.  A state that another thread had, perhaps one that has ended, is
 * made anew.  A signal handler that interrupts a capture finds its thread's state taken, and uses another one. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "tap/engine/caller.h"
#include "heaptap/native.h"
#include "tap/inside/pages.h"
#include "tap/native/modules.h"
#include "tap/unwind/unwind.h"

enum { POOL_BITS = 6, PLACES = 1 << POOL_BITS };

struct place {
    _Atomic bool taken;
    _Atomic uint64_t owner;         /* 0: no owner yet */
    struct unwind_thread *unwinder; /* the owner's; NULL: there was no memory */
    void *memory;
};

/* Where all places are taken at once, there is a further pool; none is ever given back. */
static struct pool {
    struct place places[PLACES];
    _Atomic(struct pool *) next;
} pools;

static bool take(struct place *place)
{
    return !atomic_load_explicit(&place->taken, memory_order_relaxed) &&
           !atomic_exchange_explicit(&place->taken, true, memory_order_acquire);
}

static void give_back(struct place *place)
{
    atomic_store_explicit(&place->taken, false, memory_order_release);
}

static void make(struct place *place, uint64_t self)
{
    if (!place->memory)
        place->memory = pages_map(unwind_thread_size(HEAPTAP_NATIVE_FRAMES_MAX));
    place->unwinder =
        place->memory ? unwind_thread_init(place->memory, HEAPTAP_NATIVE_FRAMES_MAX) : NULL;
    atomic_store_explicit(&place->owner, place->unwinder ? self : 0, memory_order_relaxed);
}

static struct place *take_own(struct pool *pool, uint64_t self, uint64_t first)
{
    for (uint64_t i = 0; i < PLACES; i++) {
        struct place *place = &pool->places[(first + i) % PLACES];
        uint64_t owner = atomic_load_explicit(&place->owner, memory_order_relaxed);
        if (owner == 0)
            break;
        if (owner != self || !take(place))
            continue;
        if (atomic_load_explicit(&place->owner, memory_order_relaxed) == self)
            return place;
        give_back(place);
    }
    return NULL;
}

static struct place *take_any(struct pool *pool, uint64_t self, uint64_t first)
{
    for (uint64_t i = 0; i < PLACES; i++) {
        struct place *place = &pool->places[(first + i) % PLACES];
        if (!take(place))
            continue;
        make(place, self);
        if (place->unwinder)
            return place;
        give_back(place);
        return NULL;
    }
    return NULL;
}

static bool is_full(const struct pool *pool)
{
    for (unsigned i = 0; i < PLACES; i++)
        if (!atomic_load_explicit(&pool->places[i].taken, memory_order_relaxed))
            return false;
    return true;
}

static struct pool *next_pool(struct pool *pool)
{
    struct pool *next = atomic_load_explicit(&pool->next, memory_order_acquire);
    if (next || !is_full(pool))
        return next;
    struct pool *made = pages_map(sizeof *made);
    if (!made || atomic_compare_exchange_strong(&pool->next, &next, made))
        return made;
    pages_unmap(made, sizeof *made);
    return next;
}

/* An unwinder for this thread alone, until it is given back; NULL when there is no memory. */
static struct place *take_unwinder(void)
{
    const uint64_t golden = 0x9e3779b97f4a7c15;
    uint64_t self = (uint64_t)pthread_self(), first = self * golden >> (64 - POOL_BITS);
    int saved_errno = errno;
    struct place *place = NULL;
    for (struct pool *pool = &pools; pool && !place; pool = next_pool(pool)) {
        place = take_own(pool, self, first);
        if (!place)
            place = take_any(pool, self, first);
    }
    errno = saved_errno;
    return place;
}

/* The codes of a stack as a trace has them, the mark of a missing caller among them. */
static size_t put_codes(const struct unwind_stack *stack, uint64_t *frames, size_t max)
{
    uint32_t most = max < UINT32_MAX ? (uint32_t)max : UINT32_MAX;
    size_t count = unwind_stack_site_first(stack, frames, most);
    bool cut = stack->truncated || count < stack->length;
    if (!modules_codes_are_addresses())
        for (size_t i = 0; i < count; i++)
            frames[i] = modules_code(frames[i]);
    if (cut && count < max)
        count++;
    if (cut && count > 0)
        frames[count - 1] = HEAPTAP_CODE_TRUNCATED;
    return count;
}

__attribute__((noinline)) size_t heaptap_native_capture(void *context,
                                                        struct heaptap_thread *thread,
                                                        const void *hint, uint64_t *frames,
                                                        size_t max, int64_t *shared)
{
    struct unwind_start start = unwind_start_at_caller();
    struct unwind_stack stack;
    if (hint)
        start = unwind_start_above(hint);
    else if (thread)
        engine_caller(thread, &start);
    struct place *place = frames && max > 0 ? take_unwinder() : NULL;
    if (!place)
        return 0;
    unwind_capture(place->unwinder, &start, &stack);
    size_t count = put_codes(&stack, frames, max);
    give_back(place);
    return count;
}
