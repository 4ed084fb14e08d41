/* The statistical engine: what Gc.Memprof is to OCaml, for C.
 *
 * A program that allocates (a malloc, an arena, the heap of an interpreter) reports its blocks to
 * the engine.  Every word that it allocates is one trial that succeeds with the probability `rate`.
 * A block in which at least one word was drawn is sampled: the engine takes its call stack, and calls
 * a tracker, five callbacks, for the block and, as long as the tracker keeps it, for its later events.
 * Blocks that are not sampled cost a subtraction when they are allocated and a look at one byte
 * when they end.
 *
 *     static struct heaptap_engine engine;
 *     static __thread struct heaptap_thread self;          // zeroed: a thread not met yet
 *
 *     heaptap_engine_init(&engine, NULL, NULL);
 *     heaptap_engine_start(&engine, &self, 1e-4, 64, &tracker, &error);
 *
 *     // each allocation
 *     struct heaptap_block block = {.address = (uintptr_t)p, .words = n + 1, .size = n};
 *     heaptap_thread_allocate(&engine, &self, &block);
 *     // each end of a block, before its memory can be given to somebody else
 *     heaptap_thread_free(&engine, &self, (uintptr_t)p);
 *
 * A word is the embedder's unit: 8 bytes in a heap of words, 1 byte if sizes should be exact.
 *
 * From libc, the engine uses only memory mapping and copying, the clock, getpid and getauxval.
 * It takes no lock, calls no malloc and preserves errno.  Its hooks may be called from inside
 * malloc, and from a signal handler that interrupts one of them.  All functions may be called by
 * all threads at once, unless they say otherwise; a `struct heaptap_thread` is used by one thread
 * at a time. */
#ifndef HEAPTAP_ENGINE_H
#define HEAPTAP_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heaptap/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct heaptap_thread;

/* ---- The tracker ---------------------------------------------------------------------------- */

/* A sampled block, as it was when it was allocated. */
struct heaptap_sample {
    uint64_t n_samples;    /* how many of its words were drawn, at least 1 */
    uint64_t size;         /* as the embedder gave it */
    uint64_t tag;          /* as the embedder gave it */
    bool unmarshalled;     /* as the embedder gave it */
    const uint64_t *stack; /* codes, allocation site first; borrowed for the call */
    uint32_t stack_length; /* at most the callstack size; 0 where there is no way to take a stack */
    int64_t stack_shared;  /* outermost frames equal to those of the stack taken before on this
                              thread, as the capture function said; -1 where nobody knows */
};

/* The callbacks for sampled blocks.  The word that an allocation or promotion callback
 * returns is kept for the block and handed to its next callback.  NULL ends the tracking of that
 * block: no further callback is called for it.  A callback that is a NULL pointer does nothing and returns
 * NULL.
 *
 * While a thread is in a callback, its own allocations are not sampled, and what it does to tracked
 * blocks is reported after the callback has returned: one thread never enters a callback twice.
 * Several threads can be in callbacks at once.  An allocation callback is run by the thread that
 * allocated, the others by any. For one block the order is always allocation, promotion,
 * deallocation.
 *
 * `thread` is the thread that runs the callback. */
struct heaptap_tracker {
    void *(*alloc_minor)(void *context, struct heaptap_thread *thread,
                         const struct heaptap_sample *sample);
    void *(*alloc_major)(void *context, struct heaptap_thread *thread,
                         const struct heaptap_sample *sample);
    void *(*promote)(void *context, struct heaptap_thread *thread, void *minor);
    void (*dealloc_minor)(void *context, struct heaptap_thread *thread, void *minor);
    void (*dealloc_major)(void *context, struct heaptap_thread *thread, void *major);
    void *context;
};

/* Tracks nothing; no stack is taken for it. */
HEAPTAP_API extern const struct heaptap_tracker heaptap_null_tracker;

/* ---- Storage: owned by the embedder, but private to heaptap --------------------------------- */

enum { HEAPTAP_FILTER_BITS = 13, HEAPTAP_FILTER_SLOTS = 1 << HEAPTAP_FILTER_BITS };

/* One heap.  Zeroed storage is an engine that is not initialised: its hooks may be called and do
 * nothing. */
struct heaptap_engine {
    uint8_t filter[HEAPTAP_FILTER_SLOTS]; /* how many tracked addresses fall on each slot */
    struct heaptap_engine_state *state;
};

/* One thread, or one coroutine, of the program that allocates.  Zeroed storage is a thread that the
 * engine has not met; it is met at its first allocation.  For a malloc this is an initial-exec
 * thread-local variable. */
struct heaptap_thread {
    uint64_t countdown; /* words that can be allocated before the engine must look */
    struct heaptap_thread_state *state;
};

/* ---- Control -------------------------------------------------------------------------------- */

/* Takes the stack of the allocation that is being sampled: writes at most `max` codes to `frames`,
 * allocation site first, and returns how many.  Sets `*shared`, which is -1 before, where it knows
 * how many of the outermost frames equal those that it last gave for this thread.  `hint` is from
 * the block.  Runs inside the allocation: what it allocates is not sampled. */
typedef size_t heaptap_capture(void *context, struct heaptap_thread *thread, const void *hint,
                               uint64_t *frames, size_t max, int64_t *shared);

struct heaptap_engine_options {
    heaptap_capture *capture; /* NULL: only stacks given with a block are known */
    void *capture_context;
    bool postpone;   /* callbacks wait for heaptap_thread_run_pending: for safe points */
    bool tell_first; /* a promise that no allocation callback ends the block that it is told about,
                        which makes tracking it cheaper */
    uint64_t max_tracked;      /* samples beyond so many tracked blocks are dropped; 0 for 2^26.  A
                                  thread may keep 256 of them to itself */
    uint64_t expected_tracked; /* tracked blocks at a time to make room for; 0: few */
    uint64_t seed;             /* of the sampler, to repeat a run; 0: differs from run to run */
};

/* NULL options are those of a zeroed struct. */
HEAPTAP_API enum heaptap_status heaptap_engine_init(struct heaptap_engine *engine,
                                                    const struct heaptap_engine_options *options,
                                                    struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Gives the memory back and zeroes `engine`, without a callback.  No thread may be in a hook.
 * Threads that the engine has met must be zeroed before they are used again. */
HEAPTAP_API void heaptap_engine_release(struct heaptap_engine *engine);

enum { HEAPTAP_CALLSTACK_MAX = 65536 };

/* Starts sampling with `rate` samples per word.  `callstack_size` is the number of innermost frames
 * to be taken at each sample; more than HEAPTAP_CALLSTACK_MAX counts as that many.  The tracker is
 * copied.
 *
 * Sampling begins with the next allocation of `thread` and of each thread that the engine has not
 * met; any other thread notices within its next 65536 words, or at once after heaptap_thread_rearm.
 *
 * HEAPTAP_BAD_ARGUMENT for a rate outside [0, 1] or a negative size; HEAPTAP_BAD_STATE when started
 * already, in a callback, or when the engine is not initialised. */
HEAPTAP_API enum heaptap_status
heaptap_engine_start(struct heaptap_engine *engine, struct heaptap_thread *thread, double rate,
                     int64_t callstack_size, const struct heaptap_tracker *tracker,
                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Stops sampling.  Runs the callbacks that were postponed, then drops all that is tracked without a
 * callback. Allocation callbacks postponed by other threads are dropped, as only those threads
 * could run them.  When it returns, another thread can still be in a callback that it had begun
 * before. HEAPTAP_BAD_STATE when not started, in a callback, or while suspended. */
HEAPTAP_API enum heaptap_status heaptap_engine_stop(struct heaptap_engine *engine,
                                                    struct heaptap_thread *thread,
                                                    struct heaptap_error *error) HEAPTAP_MUST_CHECK;

HEAPTAP_API bool heaptap_engine_started(const struct heaptap_engine *engine);

/* The rate of the running profile, or of the last one; 0 before the first. */
HEAPTAP_API double heaptap_engine_rate(const struct heaptap_engine *engine);
HEAPTAP_API int64_t heaptap_engine_callstack_size(const struct heaptap_engine *engine);

/* Call this in a fork's child on its only thread, before that allocates.  Draws a new seed, so that
 * parent and child don't sample alike, and forgets the threads that exist only in the parent, with
 * the allocation callbacks that they had postponed.  What is tracked stays tracked: the child has
 * these blocks too. */
HEAPTAP_API void heaptap_engine_after_fork_child(struct heaptap_engine *engine,
                                                 struct heaptap_thread *thread);

/* Sums over all threads since the engine was initialised. */
struct heaptap_engine_counts {
    uint64_t sampled_blocks; /* blocks with a sample in them, dropped ones and all */
    uint64_t samples;        /* the sum of their n_samples */
    uint64_t dropped_blocks; /* of these not reported, for lack of memory or at max_tracked */
    uint64_t dropped_samples;
    uint64_t lost_blocks; /* told, or tracked and moved, and then lost for want of memory */
    uint64_t tracked;     /* blocks that are tracked now */
    uint64_t alloc_minor; /* callbacks that were run */
    uint64_t alloc_major;
    uint64_t promote;
    uint64_t dealloc_minor;
    uint64_t dealloc_major;
};

/* Exact while no other thread is in a hook. */
HEAPTAP_API void heaptap_engine_read_counts(const struct heaptap_engine *engine,
                                            struct heaptap_engine_counts *counts);

/* ---- Allocation ----------------------------------------------------------------------------- */

/* A block that was just allocated and that nobody else knows yet. */
struct heaptap_block {
    uint64_t address;      /* 0 where the allocation failed: nothing is sampled then */
    uint64_t words;        /* how many trials it is, with its header if headers are to be counted */
    uint64_t size;         /* passed to the tracker; in Gc.Memprof: words without the header */
    uint64_t tag;          /* passed to the tracker: a type, a site, whatever the embedder needs */
    bool minor;            /* allocated in the nursery */
    bool unmarshalled;     /* passed to the tracker */
    const uint64_t *stack; /* allocation site first, where the embedder has it; borrowed */
    size_t stack_length;
    const void *hint; /* else: passed to the capture function */
};

/* Counts the allocation of `words`.  True when the engine must see the block: give it to
 * heaptap_thread_allocated once it is allocated.  Where that allocation fails, nothing needs to be
 * done. */
static inline bool heaptap_thread_tick(struct heaptap_thread *thread, uint64_t words)
{
    uint64_t left;
    if (__builtin_expect(__builtin_sub_overflow(thread->countdown, words, &left), 0))
        return true;
    thread->countdown = left;
    return false;
}

/* For a block for which heaptap_thread_tick(thread, block->words) was true. */
HEAPTAP_API void heaptap_thread_allocated(struct heaptap_engine *engine,
                                          struct heaptap_thread *thread,
                                          const struct heaptap_block *block);

/* Both in one. */
static inline void heaptap_thread_allocate(struct heaptap_engine *engine,
                                           struct heaptap_thread *thread,
                                           const struct heaptap_block *block)
{
    if (heaptap_thread_tick(thread, block->words))
        heaptap_thread_allocated(engine, thread, block);
}

/* ---- The end of a block --------------------------------------------------------------------- */

static inline uint32_t heaptap_filter_slot(uint64_t address)
{
    return (uint32_t)((address * 0x9E3779B97F4A7C15u) >> (64 - HEAPTAP_FILTER_BITS));
}

/* Whether the block at `address` can be tracked.  Never false for one that is. */
static inline bool heaptap_engine_may_track(const struct heaptap_engine *engine, uint64_t address)
{
    return __builtin_expect(
        __atomic_load_n(&engine->filter[heaptap_filter_slot(address)], __ATOMIC_RELAXED) != 0, 0);
}

HEAPTAP_API void heaptap_thread_freed(struct heaptap_engine *engine, struct heaptap_thread *thread,
                                      uint64_t address);

/* The block at `address` ends; any thread may have allocated it.  Call this before its memory is
 * given back: afterwards the address can belong to another block.  An address that is not tracked is ignored; a
 * tracked block whose end is never reported ends when its address is sampled again. */
static inline void heaptap_thread_free(struct heaptap_engine *engine, struct heaptap_thread *thread,
                                       uint64_t address)
{
    if (heaptap_engine_may_track(engine, address))
        heaptap_thread_freed(engine, thread, address);
}

/* For realloc, whose old block ends only if the call succeeds, when its address can already belong to
 * another block: forget it before the call, then keep or undo that.
 *
 *     struct heaptap_forgotten forgotten;
 *     heaptap_thread_forget(&engine, &self, (uintptr_t)old, &forgotten);
 *     void *moved = realloc(old, size);
 *     if (moved)
 *         heaptap_thread_forget_keep(&engine, &self, &forgotten);    // then allocate `moved`
 *     else
 *         heaptap_thread_forget_undo(&engine, &self, &forgotten);
 *
 * One of the two must follow each forget. */
struct heaptap_forgotten {
    struct heaptap_tracked *tracked; /* NULL: nothing was tracked there */
    void *slot;
    uint64_t address;
};

HEAPTAP_API bool heaptap_thread_forget_slow(struct heaptap_engine *engine, uint64_t address,
                                            struct heaptap_forgotten *forgotten);

/* True if the block was tracked. */
static inline bool heaptap_thread_forget(struct heaptap_engine *engine,
                                         struct heaptap_thread *thread, uint64_t address,
                                         struct heaptap_forgotten *forgotten)
{
    (void)thread;
    forgotten->tracked = NULL;
    return heaptap_engine_may_track(engine, address) &&
           heaptap_thread_forget_slow(engine, address, forgotten);
}

HEAPTAP_API void heaptap_thread_forget_keep(struct heaptap_engine *engine,
                                            struct heaptap_thread *thread,
                                            struct heaptap_forgotten *forgotten);
HEAPTAP_API void heaptap_thread_forget_undo(struct heaptap_engine *engine,
                                            struct heaptap_thread *thread,
                                            struct heaptap_forgotten *forgotten);

/* ---- Collectors ----------------------------------------------------------------------------- */

HEAPTAP_API void heaptap_thread_moved(struct heaptap_engine *engine, struct heaptap_thread *thread,
                                      uint64_t from, uint64_t to, bool promoted);

/* The block at `from` is now at `to`, which may be the same, and has left the nursery if
 * `promoted`.  Moves between heaptap_thread_gc_begin and _gc_end take effect at gc_end, so blocks
 * can move to addresses that others have yet to leave. */
static inline void heaptap_thread_move(struct heaptap_engine *engine, struct heaptap_thread *thread,
                                       uint64_t from, uint64_t to, bool promoted)
{
    if (heaptap_engine_may_track(engine, from))
        heaptap_thread_moved(engine, thread, from, to, promoted);
}

/* A collection, on this thread.  Moves are gathered and callbacks wait until its end.  Where
 * several threads collect together, each has its own pair, and none ends before all have reported their
 * moves.  Not nested. */
HEAPTAP_API void heaptap_thread_gc_begin(struct heaptap_engine *engine,
                                         struct heaptap_thread *thread);
HEAPTAP_API void heaptap_thread_gc_end(struct heaptap_engine *engine,
                                       struct heaptap_thread *thread);

/* All blocks that are in [low, high) and did not move out end: the reset of a nursery, the release
 * of an arena. Takes time in proportion to the number of blocks that are tracked anywhere. */
HEAPTAP_API void heaptap_thread_region_reset(struct heaptap_engine *engine,
                                             struct heaptap_thread *thread, uint64_t low,
                                             uint64_t high);

/* ---- Callbacks later, threads --------------------------------------------------------------- */

/* Runs what is postponed, unless this thread is in a callback or suspended. */
HEAPTAP_API void heaptap_thread_run_pending(struct heaptap_engine *engine,
                                            struct heaptap_thread *thread);

/* Whether heaptap_thread_run_pending would have something to do. */
HEAPTAP_API bool heaptap_thread_has_pending(const struct heaptap_engine *engine,
                                            const struct heaptap_thread *thread);

/* Switches sampling and callbacks off for this thread, and on again; callbacks that fell due
 * between are then run.  Pairs nest. */
HEAPTAP_API void heaptap_thread_suspend(struct heaptap_engine *engine,
                                        struct heaptap_thread *thread);
HEAPTAP_API void heaptap_thread_resume(struct heaptap_engine *engine,
                                       struct heaptap_thread *thread);

/* Makes a thread notice a start at its next allocation.  Not while it allocates. */
HEAPTAP_API void heaptap_thread_rearm(struct heaptap_thread *thread);

/* The thread ends.  Allocation callbacks that it postponed are dropped and their blocks not
 * tracked; others pass to whichever thread next runs callbacks.  Afterwards the thread may still
 * free, and what it allocates is not sampled.  Not from a callback; calling it twice is harmless. A
 * thread whose storage goes away without this leaves a few pages unused, and nothing else. */
HEAPTAP_API void heaptap_thread_retire(struct heaptap_engine *engine,
                                       struct heaptap_thread *thread);

#ifdef __cplusplus
}
#endif
#endif
