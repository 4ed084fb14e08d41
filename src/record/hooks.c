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
#include "record/hook.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "record/real.h"
#include "record/recorder.h"

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

/* ---- Allocations -------------------------------------------------------------------- */

SLOW void *slow_malloc(size_t size)
{
    struct unwind_start start = unwind_start_at_caller();
    void *block = real.malloc(size);
    recorder_allocated(block, size, &start);
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
    void *block = real.calloc(count, size);
    recorder_allocated(block, count * size, &start);
    return block;
}

HOOK void *calloc(size_t count, size_t size)
{
    if (recorder_tick(count * size)) /* a product too large for size_t fails below */
        return slow_calloc(count, size);
    return real.calloc(count, size);
}

SLOW void *slow_aligned_alloc(size_t alignment, size_t size)
{
    struct unwind_start start = unwind_start_at_caller();
    void *block = real.aligned_alloc(alignment, size);
    recorder_allocated(block, size, &start);
    return block;
}

HOOK void *aligned_alloc(size_t alignment, size_t size)
{
    if (recorder_tick(size))
        return slow_aligned_alloc(alignment, size);
    return real.aligned_alloc(alignment, size);
}

SLOW void *slow_memalign(size_t alignment, size_t size)
{
    struct unwind_start start = unwind_start_at_caller();
    void *block = real.memalign(alignment, size);
    recorder_allocated(block, size, &start);
    return block;
}

HOOK void *memalign(size_t alignment, size_t size)
{
    if (recorder_tick(size))
        return slow_memalign(alignment, size);
    return real.memalign(alignment, size);
}

SLOW int slow_posix_memalign(void **block, size_t alignment, size_t size)
{
    struct unwind_start start = unwind_start_at_caller();
    int code = real.posix_memalign(block, alignment, size);
    recorder_allocated(code ? NULL : *block, size, &start);
    return code;
}

HOOK int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (recorder_tick(size))
        return slow_posix_memalign(block, alignment, size);
    return real.posix_memalign(block, alignment, size);
}

SLOW void *slow_valloc(size_t size)
{
    struct unwind_start start = unwind_start_at_caller();
    void *block = real.valloc(size);
    recorder_allocated(block, size, &start);
    return block;
}

HOOK void *valloc(size_t size)
{
    if (recorder_tick(size))
        return slow_valloc(size);
    return real.valloc(size);
}

SLOW void *slow_pvalloc(size_t size)
{
    struct unwind_start start = unwind_start_at_caller();
    void *block = real.pvalloc(size);
    recorder_allocated(block, size, &start);
    return block;
}

HOOK void *pvalloc(size_t size)
{
    if (recorder_tick(size))
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

/* Tells of what a realloc did.  The old block has ended if there is a new one, or if nothing was
 * asked for, which frees. */
static void moved(struct recorder_forgotten *forgotten, void *old, void *now, size_t size,
                  bool is_due, const struct unwind_start *start)
{
    if (now || (old && size == 0))
        recorder_forget_keep(forgotten);
    else
        recorder_forget_undo(forgotten);
    if (is_due && now)
        recorder_allocated(now, size, start);
}

static __attribute__((always_inline)) inline bool is_quick(const void *block, size_t size,
                                                           bool *is_due)
{
    bool tracked = heaptap_engine_may_track(&recorder.engine, (uint64_t)block);
    *is_due = recorder_tick(size);
    return !tracked && !*is_due;
}

SLOW void *slow_realloc(void *block, size_t size, bool is_due)
{
    struct unwind_start start = unwind_start_at_caller();
    struct recorder_forgotten forgotten = {0};
    void *now;
    if (real_is_arena(block)) {
        now = leave_arena(block, size);
    } else {
        recorder_forget(block, &forgotten);
        now = real.realloc(block, size);
    }
    moved(&forgotten, block, now, size, is_due, &start);
    return now;
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
    struct recorder_forgotten forgotten = {0};
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    void *now;
    if (real_is_arena(block)) {
        now = leave_arena(block, bytes);
    } else {
        recorder_forget(block, &forgotten);
        now = real.realloc(block, bytes);
    }
    moved(&forgotten, block, now, bytes, is_due, &start);
    return now;
}

HOOK void *reallocarray(void *block, size_t count, size_t size)
{
    bool is_due;
    if (is_quick(block, count * size, &is_due))
        return real.reallocarray(block, count, size);
    return slow_reallocarray(block, count, size, is_due);
}

/* ---- What is not changed ------------------------------------------------------------ */

HOOK size_t malloc_usable_size(void *block)
{
    if (real_is_arena(block))
        return real_arena_size(block);
    return real.malloc_usable_size(block);
}
