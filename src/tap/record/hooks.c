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

SLOW void *slow_malloc(size_t size)
{
    struct unwind_start start = unwind_start_at_caller();
    struct outer_call call = outer_begin(OUTER_MALLOC);
    void *block = real.malloc(size);
    outer_end(&call, OUTER_MALLOC, block, size, &start);
    return block;
}

HOOK void *malloc(size_t size)
{
    if (recorder_tick(size))
        return slow_malloc(size);
    return real.malloc(size);
}

SLOW void *slow_calloc(size_t count, size_t size)
{
    struct unwind_start start = unwind_start_at_caller();
    struct outer_call call = outer_begin(OUTER_CALLOC);
    void *block = real.calloc(count, size);
    outer_end(&call, OUTER_CALLOC, block, count * size, &start);
    return block;
}

HOOK void *calloc(size_t count, size_t size)
{
    if (outer_tick(OUTER_CALLOC, count * size)) /* a product too large for size_t fails below */
        return slow_calloc(count, size);
    return real.calloc(count, size);
}

SLOW void *slow_aligned_alloc(size_t alignment, size_t size)
{
    struct unwind_start start = unwind_start_at_caller();
    struct outer_call call = outer_begin(OUTER_ALIGNED_ALLOC);
    void *block = real.aligned_alloc(alignment, size);
    outer_end(&call, OUTER_ALIGNED_ALLOC, block, size, &start);
    return block;
}

HOOK void *aligned_alloc(size_t alignment, size_t size)
{
    if (outer_tick(OUTER_ALIGNED_ALLOC, size))
        return slow_aligned_alloc(alignment, size);
    return real.aligned_alloc(alignment, size);
}

SLOW void *slow_memalign(size_t alignment, size_t size)
{
    struct unwind_start start = unwind_start_at_caller();
    struct outer_call call = outer_begin(OUTER_MEMALIGN);
    void *block = real.memalign(alignment, size);
    outer_end(&call, OUTER_MEMALIGN, block, size, &start);
    return block;
}

HOOK void *memalign(size_t alignment, size_t size)
{
    if (outer_tick(OUTER_MEMALIGN, size))
        return slow_memalign(alignment, size);
    return real.memalign(alignment, size);
}

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

SLOW void *slow_valloc(size_t size)
{
    struct unwind_start start = unwind_start_at_caller();
    struct outer_call call = outer_begin(OUTER_VALLOC);
    void *block = real.valloc(size);
    outer_end(&call, OUTER_VALLOC, block, size, &start);
    return block;
}

HOOK void *valloc(size_t size)
{
    if (outer_tick(OUTER_VALLOC, size))
        return slow_valloc(size);
    return real.valloc(size);
}

SLOW void *slow_pvalloc(size_t size)
{
    struct unwind_start start = unwind_start_at_caller();
    struct outer_call call = outer_begin(OUTER_PVALLOC);
    void *block = real.pvalloc(size);
    outer_end(&call, OUTER_PVALLOC, block, size, &start);
    return block;
}

HOOK void *pvalloc(size_t size)
{
    if (outer_tick(OUTER_PVALLOC, size))
        return slow_pvalloc(size);
    return real.pvalloc(size);
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
