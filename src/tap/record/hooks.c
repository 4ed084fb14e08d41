/* malloc and its family.
 *
 * An allocation counts its bytes down and, if nothing is due, jumps to the real function.  Else it
 * jumps to its slow path, whose caller is therefore the program, as the stack wants it.  What is
 * due need not be a sample: a thread comes by at its first allocation and every 64 KiB.
 *
 * A block's end is told before the real function gets it: afterwards the address may be another
 * thread's block. Where realloc fails, the end is taken back.
 *
 * Blocks of the arena (real.h) are in the filter for ever, so the test for them costs nothing. */
#include "tap/record/hook.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tap/record/give_way.h"
#include "tap/record/inner.h"
#include "tap/record/real.h"
#include "tap/record/recorder.h"

void *reallocarray(void *block, size_t count, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **block, size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size);
void *valloc(size_t size);
void *pvalloc(size_t size);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void free(void *block);
void cfree(void *block);
void free_sized(void *block, size_t size);
void free_aligned_sized(void *block, size_t alignment, size_t size);
size_t malloc_usable_size(void *block);

uint8_t outer_leads_on[OUTER_FUNCTIONS];

/* ---- Allocations -------------------------------------------------------------------- */

/* A function that gives a block of so many `bytes`, on its straight way to libc's unless `is_due`: then its caller is recorded. */
#define GIVING_HOOK(name, outer, is_due, bytes, parameters, arguments)                             \
    SLOW void *slow_##name parameters                                                              \
    {                                                                                              \
        struct unwind_start start = unwind_start_at_caller();                                      \
        struct outer_call call = outer_begin(outer);                                               \
        void *block = real.name arguments;                                                         \
        outer_end(&call, outer, block, bytes, &start);                                             \
        return block;                                                                              \
    }                                                                                              \
                                                                                                   \
    HOOK void *name parameters                                                                     \
    {                                                                                              \
        if (is_due)                                                                                \
            return slow_##name arguments;                                                          \
        return real.name arguments;                                                                \
    }

GIVING_HOOK(malloc, OUTER_MALLOC, recorder_tick(size), size, (size_t size), (size))
/* A product too large for size_t fails in libc's. */
GIVING_HOOK(calloc, OUTER_CALLOC, outer_tick(OUTER_CALLOC, count *size), count *size,
            (size_t count, size_t size), (count, size))
GIVING_HOOK(aligned_alloc, OUTER_ALIGNED_ALLOC, outer_tick(OUTER_ALIGNED_ALLOC, size), size,
            (size_t alignment, size_t size), (alignment, size))
GIVING_HOOK(memalign, OUTER_MEMALIGN, outer_tick(OUTER_MEMALIGN, size), size,
            (size_t alignment, size_t size), (alignment, size))
GIVING_HOOK(valloc, OUTER_VALLOC, outer_tick(OUTER_VALLOC, size), size, (size_t size), (size))
GIVING_HOOK(pvalloc, OUTER_PVALLOC, outer_tick(OUTER_PVALLOC, size), size, (size_t size), (size))

/* The one whose result is no block. */
SLOW int slow_posix_memalign(void **block, size_t alignment, size_t size)
{
    struct unwind_start start = unwind_start_at_caller();
    struct outer_call call = outer_begin(OUTER_POSIX_MEMALIGN);
    int code = real.posix_memalign(block, alignment, size);
    outer_end(&call, OUTER_POSIX_MEMALIGN, code ? NULL : *block, size, &start);
    return code;
}

HOOK int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (outer_tick(OUTER_POSIX_MEMALIGN, size))
        return slow_posix_memalign(block, alignment, size);
    return real.posix_memalign(block, alignment, size);
}

/* ---- Ends --------------------------------------------------------------------------- */

/* Never let two frees share a byte of one slot for long: arena blocks fill theirs. */
void real_arena_given(uint64_t address)
{
    uint8_t *slot = &recorder.engine.filter[heaptap_filter_slot(address)];
    __atomic_store_n(slot, UINT8_MAX, __ATOMIC_RELAXED);
}

SLOW void slow_free(void *block)
{
    if (real_is_arena(block))
        return;
    recorder_freed(block);
    real.free(block);
}

HOOK void free(void *block)
{
    if (heaptap_engine_may_track(&recorder.engine, (uint64_t)block))
        slow_free(block);
    else
        real.free(block);
}

HOOK void cfree(void *block)
{
    free(block);
}

HOOK void free_sized(void *block, size_t size)
{
    (void)size;
    free(block);
}

HOOK void free_aligned_sized(void *block, size_t alignment, size_t size)
{
    (void)alignment;
    (void)size;
    free(block);
}

/* ---- Realloc ------------------------------------------------------------------------ */

static void *leave_arena(void *block, size_t size)
{
    void *moved = real.malloc(size);
    size_t old = real_arena_size(block);
    if (moved)
        memcpy(moved, block, old < size ? old : size);
    return moved;
}

/* The old block has ended if there is a new one, or if nothing was asked for, which frees. */
static void settle_old(struct recorder_forgotten *forgotten, void *old, void *now, size_t size)
{
    if (now || (old && size == 0))
        recorder_forget_keep(forgotten);
    else
        recorder_forget_undo(forgotten);
}

static __attribute__((always_inline)) inline bool is_quick(const void *block, size_t size,
                                                           bool *is_due)
{
    bool tracked = heaptap_engine_may_track(&recorder.engine, (uint64_t)block);
    *is_due = outer_tick(OUTER_REALLOC, size);
    return !tracked && !*is_due;
}

/* What a realloc does in the slow paths, which have its caller. */
static __attribute__((always_inline)) inline void *move(void *block, size_t size, bool is_due,
                                                        const struct unwind_start *start)
{
    struct recorder_forgotten forgotten = {0};
    bool is_arena = real_is_arena(block);
    if (!is_arena)
        recorder_forget(block, &forgotten);
    record_self.moving = true;
    struct outer_call call = outer_begin(OUTER_REALLOC);
    void *now = is_arena ? leave_arena(block, size) : real.realloc(block, size);
    settle_old(&forgotten, block, now, size);
    record_self.moving = false;
    if (__builtin_expect(!now && size > 0, 0) && give_way(size))
        now = is_arena ? leave_arena(block, size) : real.realloc(block, size);
    if (is_due && now)
        outer_end(&call, OUTER_REALLOC, now, size, start);
    return now;
}

SLOW void *slow_realloc(void *block, size_t size, bool is_due)
{
    struct unwind_start start = unwind_start_at_caller();
    return move(block, size, is_due, &start);
}

HOOK void *realloc(void *block, size_t size)
{
    bool is_due;
    if (is_quick(block, size, &is_due))
        return real.realloc(block, size);
    return slow_realloc(block, size, is_due);
}

SLOW void *slow_reallocarray(void *block, size_t count, size_t size, bool is_due)
{
    struct unwind_start start = unwind_start_at_caller();
    return move(block, count * size, is_due, &start);
}

/* By realloc, as libc's own calls that by its name, and would come by its hook. */
HOOK void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;
    bool is_due;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    if (is_quick(block, bytes, &is_due))
        return real.realloc(block, bytes);
    return slow_reallocarray(block, count, size, is_due);
}

/* ---- What is not changed ------------------------------------------------------------ */

HOOK size_t malloc_usable_size(void *block)
{
    if (real_is_arena(block))
        return real_arena_size(block);
    return real.malloc_usable_size(block);
}
