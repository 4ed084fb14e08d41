/* The hooks where blocks are drawn.
 *
 * A block costs a subtraction.  That leaves its end, at which most hooks of this kind look whether
 * it was drawn; but a call more for each end is most of what such a hook costs.  So blocks that are
 * drawn are put where their end is seen anyway: what is too large for Python's pools is passed on
 * to the raw allocator, and its end too.  A small block that is drawn is asked for as if it were so
 * large.  Then blocks end as they do without us, and raw.c tells of those that were not in a pool.
 *
 * Whether the allocators that we stand in front of do as is said here is tried out when the first
 * block is drawn; those that PYTHONMALLOC or a debugging Python chose don't.  Then ends have a hook
 * as well, and look at one byte.  So they have where stacks are wanted, as what is kept of code
 * objects rests on seeing their ends (places.h). */
#include "tap/guest/python/announced.h"
#include "tap/guest/python/hooks.h"
#include "tap/guest/python/raw.h"
#include "tap/guest/python/seen.h"

static void try_outside(void);

static inline void look(void)
{
    if (UNLIKELY(!tap.outside_tried) && !python_is_elsewhere())
        try_outside();
}

/* ---- Allocation and resizing --------------------------------------------------------------- */

static __attribute__((noinline)) void *small_malloc_seen(const struct python_allocator *next,
                                                         size_t bytes)
{
    look();
    return seen_malloc(next, bytes);
}

static __attribute__((noinline)) void *large_malloc(const struct python_allocator *next,
                                                    size_t bytes)
{
    if (heaptap_guest_tick(&tap.heap, bytes)) {
        look();
        return seen_malloc(next, bytes);
    }
    raw_passed_on++;
    void *block = next->malloc(next->context, bytes);
    raw_passed_on--;
    return block;
}

static inline void *drawn_malloc(const struct python_allocator *next, size_t bytes)
{
    if (UNLIKELY(bytes > POOLS_MAX_BYTES))
        return large_malloc(next, bytes);
    if (UNLIKELY(heaptap_guest_tick(&tap.heap, bytes)))
        return small_malloc_seen(next, bytes);
    return next->malloc(next->context, bytes);
}

static __attribute__((noinline)) void *small_calloc_seen(const struct python_allocator *next,
                                                         size_t count, size_t size)
{
    look();
    return seen_calloc(next, count, size);
}

static __attribute__((noinline)) void *large_calloc(const struct python_allocator *next,
                                                    size_t count, size_t size)
{
    if (heaptap_guest_tick(&tap.heap, count * size)) {
        look();
        return seen_calloc(next, count, size);
    }
    raw_passed_on++;
    void *block = next->calloc(next->context, count, size);
    raw_passed_on--;
    return block;
}

static inline void *drawn_calloc(const struct python_allocator *next, size_t count, size_t size)
{
    size_t bytes = count * size; /* Python has made sure that it can't overflow */
    if (UNLIKELY(bytes > POOLS_MAX_BYTES))
        return large_calloc(next, count, size);
    if (UNLIKELY(heaptap_guest_tick(&tap.heap, bytes)))
        return small_calloc_seen(next, count, size);
    return next->calloc(next->context, count, size);
}

static inline void *drawn_realloc(const struct python_allocator *next, void *block, size_t bytes)
{
    if (!block)
        return drawn_malloc(next, bytes);
    if (!tap.over && (seen_may_end(block) || tap.heap.thread.countdown <= bytes)) {
        look();
        return seen_resize(next, block, bytes);
    }
    tap.heap.thread.countdown -= bytes + !bytes;
    return unseen_realloc(next, block, bytes);
}

/* ---- Ends ---------------------------------------------------------------------------------- */

static __attribute__((noinline)) void drawn_free_seen(const struct python_allocator *next,
                                                      void *block)
{
    if (block && !tap.over)
        seen_end(block);
    next->free(next->context, block);
}

static void drawn_free(void *context, void *block)
{
    const struct python_allocator *next = context;
    if (seen_may_end(block))
        drawn_free_seen(next, block);
    else
        next->free(next->context, block);
}

/* ---- Hooks that know what they stand in front of --------------------------------------------- */

static void *known_malloc(void *context, size_t bytes)
{
    return drawn_malloc(context, bytes);
}

static void *known_calloc(void *context, size_t count, size_t size)
{
    return drawn_calloc(context, count, size);
}

static void *known_realloc(void *context, void *block, size_t bytes)
{
    return drawn_realloc(context, block, bytes);
}

void drawn_hooks(int domain, struct python_allocator *hooks)
{
    *hooks = (struct python_allocator){&tap.next[domain], known_malloc, known_calloc, known_realloc,
                                       drawn_free};
}

/* ---- Hooks beside Python's own way to end a block, with which they share a context  */

static void *mem_malloc(void *context, size_t bytes)
{
    return drawn_malloc(&tap.next[PYTHON_MEM], bytes);
}

static void *mem_calloc(void *context, size_t count, size_t size)
{
    return drawn_calloc(&tap.next[PYTHON_MEM], count, size);
}

static void *mem_realloc(void *context, void *block, size_t bytes)
{
    return drawn_realloc(&tap.next[PYTHON_MEM], block, bytes);
}

static void *obj_malloc(void *context, size_t bytes)
{
    return drawn_malloc(&tap.next[PYTHON_OBJ], bytes);
}

static void *obj_calloc(void *context, size_t count, size_t size)
{
    return drawn_calloc(&tap.next[PYTHON_OBJ], count, size);
}

static void *obj_realloc(void *context, void *block, size_t bytes)
{
    return drawn_realloc(&tap.next[PYTHON_OBJ], block, bytes);
}

/* Whether this allocator passes on what is too large for the pools as it is, and nothing else, and
 * our hooks are those that are called. */
static bool passes_on(int domain)
{
    const struct python_allocator *next = &tap.next[domain];
    struct python_allocator now;
    python.get_allocator(domain, &now);
    if (now.malloc != tap.hooks[domain].malloc || now.context != tap.hooks[domain].context)
        return false;
    raw_passed_on++;
    raw_last_made = raw_last_ended = NULL;
    void *large = next->malloc(next->context, outside_of_pools(1));
    bool passed_on = large && raw_last_made == large;
    void *small = next->malloc(next->context, sizeof(void *));
    passed_on &= small && raw_last_made == large;
    next->free(next->context, small);
    passed_on &= raw_last_ended == NULL;
    next->free(next->context, large);
    passed_on &= raw_last_ended == large;
    raw_passed_on--;
    return passed_on;
}

static void put_beside(int domain, struct python_allocator hooks)
{
    hooks.context = tap.next[domain].context;
    hooks.free = tap.next[domain].free;
    tap.hooks[domain] = hooks;
    python.set_allocator(domain, &hooks);
}

static void try_outside(void)
{
    tap.outside_tried = true;
    if (tap.stacks || !passes_on(PYTHON_MEM) || !passes_on(PYTHON_OBJ))
        return;
    tap.outside = tap.places.checks_code = true;
    raw_checks_code();
    announced_checks_code();
    put_beside(PYTHON_MEM, (struct python_allocator){NULL, mem_malloc, mem_calloc, mem_realloc, 0});
    put_beside(PYTHON_OBJ, (struct python_allocator){NULL, obj_malloc, obj_calloc, obj_realloc, 0});
}
