/* Recording the heap of an interpreter, from within: what each line of the *guest* program
 * allocates.
 *
 * An interpreter reports its blocks to heaptap, each with the line of the guest program and the
 * type of the value.  The user chooses the output: `heaptap memtracer` requests, by environment
 * variables, a table of lines and types, call trees, or a trace.  If nothing is requested, nothing
 * is started, and a hook costs a subtraction or a look at one byte.
 *
 *     static struct heaptap_guest heap;             // zeroed: a heap that is not watched
 *     static struct heaptap_guest_thread self;      // zeroed: a call stack, empty
 *
 *     heaptap_guest_start_if_requested(&heap, "Lox", &(struct heaptap_guest_options){
 *         .locate = where_am_i, .context = vm});
 *     uint32_t list_type = heaptap_guest_type(&heap, "LoxArray");
 *
 *     // each allocation
 *     heaptap_guest_alloc(&heap, &self, p, n, list_type, HEAPTAP_GUEST_ASK);
 *     // each end, before the memory is given back
 *     heaptap_guest_free(&heap, p);
 *
 * One `struct heaptap_guest` is one heap: the memory that one collector or allocator manages and one
 * lock of the interpreter protects.  Its functions are called by one thread at a time, under
 * that lock.  A process can have any number of heaps; they share one report.
 *
 * Every count is exact at rate 1.  Below that, blocks are sampled as in heaptap/engine.h, and the
 * report has estimates.
 *
 * From libc, this uses only memory mapping, files, getenv, the clock and pthread_atfork; no malloc
 * and no stdio.  errno is preserved.  It never makes the host fail: what can't be recorded is
 * counted as dropped.  docs/embedding.md is the guide for authors of interpreters; examples/lox is
 * a complete interpreter. */
#ifndef HEAPTAP_GUEST_H
#define HEAPTAP_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heaptap/engine.h"
#include "heaptap/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Storage: owned by the embedder, but private to heaptap --------------------------------- */

struct heaptap_guest_state;

/* The filter has a count for every 32 bytes of memory, modulo its size, so it takes a 32nd of the
 * heap's room in the processor's caches. */
struct heaptap_guest {
    struct heaptap_thread thread; /* its countdown says when the next block has to be looked at */
    uint8_t *filter;              /* how many known blocks fall on each slot; NULL: not watched */
    uint64_t filter_mask;
    struct heaptap_guest_state *state; /* NULL: not watched */
};

static inline uint64_t heaptap_guest_slot(const struct heaptap_guest *guest, uint64_t address)
{
    return (address >> 5) & guest->filter_mask;
}

/* The call stack of one thread or coroutine of the guest program: the locations of the calls under
 * way, outermost first.  The place of the allocation itself is not on it.  Zeroed storage is an
 * empty stack. */
struct heaptap_guest_thread {
    uint32_t depth;    /* calls under way */
    uint32_t resolved; /* how many of these, outermost first, have their node in `nodes` */
    uint32_t capacity; /* of both arrays */
    uint32_t excess;   /* calls under way for which there was no memory */
    uint32_t *locations;
    uint32_t *nodes;                   /* in the report's tree of stacks */
    const struct heaptap_guest *owner; /* of the nodes */
};

/* ---- Starting -------------------------------------------------------------------------------- */

/* The location that stands for "ask the locate function, if it matters". */
#define HEAPTAP_GUEST_ASK UINT32_MAX
/* The location and the type for unknown ones.  Rows of these are `(no location)` and
 * `(untyped)`. */
#define HEAPTAP_GUEST_UNKNOWN 0u
/* For a resize: the block keeps its type. */
#define HEAPTAP_GUEST_SAME UINT32_MAX

/* Returns the location of the allocation that is being recorded.  If heaptap_guest_wants_stacks is
 * true, an embedder that doesn't push and pop also makes `self` equal to the stack of calls:
 * heaptap_guest_cut, then heaptap_guest_push for each call that is new.  `hint` and `self` are what
 * the hook was given; either can be NULL.  Runs inside the allocation, before anything is recorded:
 * it may make locations and types, but must not call a hook of this heap. */
typedef uint32_t heaptap_guest_locate(void *context, struct heaptap_guest *guest,
                                      struct heaptap_guest_thread *self, const void *hint);

/* Called in the child of a fork, where the heap is watched from the beginning again: `guest` has
 * forgotten every block, as if it had just been started; locations and types keep their numbers.  Where that can't be done,
 * the heap is not watched from here on. */
typedef void heaptap_guest_forked(void *context, struct heaptap_guest *guest);

struct heaptap_guest_options {
    heaptap_guest_locate *locate; /* NULL: HEAPTAP_GUEST_ASK is HEAPTAP_GUEST_UNKNOWN */
    heaptap_guest_forked *forked; /* NULL: nothing more to do there */
    void *context;                /* of both */
    const char *script;           /* shown in the report; NULL: not known */
    uint32_t alignment; /* of block addresses: 8 or 16; 0 for 8.  16 takes half the memory */
};

/* What was requested; read from the environment if it is not given. */
struct heaptap_guest_request {
    const char
        *directory;    /* HEAPTAP_GUEST_DIR: where results go; NULL: nothing is requested.  With a
                              trace, heaptap_guest_start takes NULL for a heap of which the trace is all that
                              is wanted; forks are not recorded then */
    const char *trace; /* HEAPTAP_GUEST_TRACE: a trace is written to this file; NULL: none */
    double rate;   /* HEAPTAP_GUEST_RATE: samples per 8-byte word, below 1; 1 or 0: every block */
    bool stacks;   /* HEAPTAP_GUEST_STACKS=1: whole call stacks are kept */
    bool fast;     /* HEAPTAP_GUEST_FAST=1: lines may be approximate where exact ones cost */
    uint64_t seed; /* HEAPTAP_GUEST_SEED; 0: differs from run to run */
};

/* Fills in what the environment requests.  False if it requests nothing.  The strings are the
 * environment's. */
HEAPTAP_API bool heaptap_guest_read_request(struct heaptap_guest_request *request);

/* Begins to watch a heap; `language` is "Lua", "Python", ...  `request` is copied.
 * HEAPTAP_BAD_STATE if it is watched already, HEAPTAP_BAD_ARGUMENT for a rate outside [0, 1],
 * HEAPTAP_SYSTEM if the directory can't be written to; if only the trace can't, the report has a note that says so. */
HEAPTAP_API enum heaptap_status heaptap_guest_start(struct heaptap_guest *guest,
                                                    const char *language,
                                                    const struct heaptap_guest_options *options,
                                                    const struct heaptap_guest_request *request,
                                                    struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* The usual way: starts if the environment requests it.  False if it doesn't, or if the heap could
 * not be started; the reason is then in the results' directory, and `heaptap memtracer` prints it.
 */
HEAPTAP_API bool heaptap_guest_start_if_requested(struct heaptap_guest *guest, const char *language,
                                                  const struct heaptap_guest_options *options);

/* Ends the watching: what is live stays live in the report.  The storage is zeroed and can be
 * started again, as another heap of the report.  A heap that is never stopped is reported as well,
 * however the process ends. */
HEAPTAP_API void heaptap_guest_stop(struct heaptap_guest *guest);

static inline bool heaptap_guest_is_watched(const struct heaptap_guest *guest)
{
    return guest->state != NULL;
}

/* For a watched heap: whether stacks are wanted, whether every block is recorded and not a sample,
 * whether lines may be approximate.  False for a heap that is not watched. */
HEAPTAP_API bool heaptap_guest_wants_stacks(const struct heaptap_guest *guest);
HEAPTAP_API bool heaptap_guest_is_exact(const struct heaptap_guest *guest);
HEAPTAP_API bool heaptap_guest_is_fast(const struct heaptap_guest *guest);

/* The name of the script, if it becomes known after the start; copied. */
HEAPTAP_API void heaptap_guest_set_script(struct heaptap_guest *guest, const char *script);

/* How much was allocated before the watching began, if the interpreter knows. */
HEAPTAP_API void heaptap_guest_set_before(struct heaptap_guest *guest, uint64_t blocks,
                                          uint64_t bytes);

/* A sentence that the user should read.  Copied; the last 32 are kept. */
HEAPTAP_API void heaptap_guest_note(struct heaptap_guest *guest, const char *sentence);

/* ---- Names ----------------------------------------------------------------------------------- */

/* The number of a location or of a type, the same for the same strings as long as the heap is
 * watched; HEAPTAP_GUEST_UNKNOWN if there is no memory, or the heap is not watched.  Strings are
 * copied, at most 4095 bytes of each.  `function` may be NULL.  About 50 ns: keep the numbers. */
HEAPTAP_API uint32_t heaptap_guest_location(struct heaptap_guest *guest, const char *file,
                                            const char *function, uint32_t line);
HEAPTAP_API uint32_t heaptap_guest_type(struct heaptap_guest *guest, const char *name);

/* ---- The call stack -------------------------------------------------------------------------- */

HEAPTAP_API void heaptap_guest_push_slow(struct heaptap_guest_thread *self, uint32_t location);

/* A call begins, made from `location`.  If the same location was at this depth before, this costs
 * only a comparison: a stack that is walked each time is not looked up each time. */
static inline void heaptap_guest_push(struct heaptap_guest_thread *self, uint32_t location)
{
    uint32_t depth = self->depth;
    if (__builtin_expect(depth >= self->capacity, 0)) {
        heaptap_guest_push_slow(self, location);
        return;
    }
    if (self->locations[depth] != location) {
        self->locations[depth] = location;
        if (self->resolved > depth)
            self->resolved = depth;
    }
    self->depth = depth + 1;
}

/* The innermost call ends. */
static inline void heaptap_guest_pop(struct heaptap_guest_thread *self)
{
    if (__builtin_expect(self->excess != 0, 0))
        self->excess--;
    else if (self->depth)
        self->depth--;
}

/* All calls but the `depth` outermost have ended: an exception was caught, or the stack is walked
 * again.  A depth beyond the stack's own changes nothing. */
static inline void heaptap_guest_cut(struct heaptap_guest_thread *self, uint32_t depth)
{
    if (depth < self->depth) {
        self->depth = depth;
        self->excess = 0;
    }
}

/* The thread or coroutine ends: frees its memory and zeroes it. */
HEAPTAP_API void heaptap_guest_thread_release(struct heaptap_guest_thread *self);

/* ---- Blocks ----------------------------------------------------------------------- */

/* A block that was just allocated. */
struct heaptap_guest_block {
    uint64_t address;  /* a multiple of the alignment; 0 if the allocation failed: nothing is
                          recorded then */
    uint64_t bytes;    /* below 2^40 */
    uint32_t type;     /* its number, or HEAPTAP_GUEST_UNKNOWN */
    uint32_t location; /* its number, HEAPTAP_GUEST_UNKNOWN or HEAPTAP_GUEST_ASK */
    bool minor;        /* allocated in a nursery */
    const void *hint;  /* for the locate function */
};

/* Counts an allocation of `bytes`.  True if the block has to be recorded: only then find out its
 * type and location, and call heaptap_guest_allocated.  An allocator's hook begins with this, so a
 * block that is not sampled costs a subtraction:
 *
 *     void *p = next_malloc(n);
 *     if (heaptap_guest_tick(&heap, n)) record(p, n);
 */
static inline bool heaptap_guest_tick(struct heaptap_guest *guest, uint64_t bytes)
{
    return heaptap_thread_tick(&guest->thread, bytes + !bytes);
}

/* For a block for which the tick was true.  `self` may be NULL: the stack is then empty.  A block
 * at an address that is known ends the one that was there. */
HEAPTAP_API void heaptap_guest_allocated(struct heaptap_guest *guest,
                                         struct heaptap_guest_thread *self,
                                         const struct heaptap_guest_block *block);

/* Both in one. */
static inline void heaptap_guest_alloc(struct heaptap_guest *guest,
                                       struct heaptap_guest_thread *self, const void *address,
                                       uint64_t bytes, uint32_t type, uint32_t location)
{
    if (heaptap_guest_tick(guest, bytes)) {
        struct heaptap_guest_block block = {
            (uint64_t)(uintptr_t)address, bytes, type, location, false, 0};
        heaptap_guest_allocated(guest, self, &block);
    }
}

/* The same in a nursery. */
static inline void heaptap_guest_alloc_minor(struct heaptap_guest *guest,
                                             struct heaptap_guest_thread *self, const void *address,
                                             uint64_t bytes, uint32_t type, uint32_t location)
{
    if (heaptap_guest_tick(guest, bytes)) {
        struct heaptap_guest_block block = {
            (uint64_t)(uintptr_t)address, bytes, type, location, true, 0};
        heaptap_guest_allocated(guest, self, &block);
    }
}

/* Whether the block at `address` may be known.  Never false for a known block. */
static inline bool heaptap_guest_may_know(const struct heaptap_guest *guest, const void *address)
{
    return guest->filter && guest->filter[heaptap_guest_slot(guest, (uint64_t)(uintptr_t)address)];
}

HEAPTAP_API void heaptap_guest_freed(struct heaptap_guest *guest, uint64_t address);

/* The block ends: it is freed, or a collector has found it dead.  Call this before the memory is
 * given back.  Unknown blocks (allocated before the watching began, or not sampled) are ignored. */
static inline void heaptap_guest_free(struct heaptap_guest *guest, const void *address)
{
    if (heaptap_guest_may_know(guest, address))
        heaptap_guest_freed(guest, (uint64_t)(uintptr_t)address);
}

/* ---- Resizing, in two parts ------------------------------------------------------- */

/* `begin` remembers the old block and the location before the resize, because afterwards the block's
 * address can be another's and the program's stack can have moved; `commit` counts it.
 *
 *     struct heaptap_guest_resize resize;
 *     heaptap_guest_resize_begin(&heap, &self, &resize, old, n, HEAPTAP_GUEST_SAME,
 *                                HEAPTAP_GUEST_ASK, NULL);
 *     void *moved = realloc(old, n);
 *     if (moved)
 *         heaptap_guest_resize_commit(&heap, &resize, moved);
 *     else
 *         heaptap_guest_resize_undo(&heap, &resize);
 *
 * A resize moves the block from its row to the row of the resizing line and its type, where its new
 * size counts as allocated bytes, and the block as one resize, not as an allocation.  A block that
 * was not known is known from then on.  An old address of NULL means an allocation.  Either commit
 * or undo must follow each begin; between them other blocks may be allocated. */
struct heaptap_guest_resize {
    bool active; /* there is something to commit or undo */
    bool drawn;  /* the new block is to be recorded */
    bool known;  /* the old one was */
    bool minor;
    uint32_t row;     /* of the new block */
    uint64_t address; /* of the old one */
    uint64_t bytes;   /* of the new one */
    uint64_t note[3]; /* what was known of the old one */
    struct heaptap_forgotten forgotten;
};

HEAPTAP_API void heaptap_guest_resize_begun(struct heaptap_guest *guest,
                                            struct heaptap_guest_thread *self,
                                            struct heaptap_guest_resize *resize, uint32_t type,
                                            uint32_t location, const void *hint);
HEAPTAP_API void heaptap_guest_resize_committed(struct heaptap_guest *guest,
                                                struct heaptap_guest_resize *resize,
                                                uint64_t address);
HEAPTAP_API void heaptap_guest_resize_undone(struct heaptap_guest *guest,
                                             struct heaptap_guest_resize *resize);

static inline void heaptap_guest_resize_begin(struct heaptap_guest *guest,
                                              struct heaptap_guest_thread *self,
                                              struct heaptap_guest_resize *resize,
                                              const void *address, uint64_t bytes, uint32_t type,
                                              uint32_t location, const void *hint)
{
    resize->drawn = heaptap_guest_tick(guest, bytes);
    resize->active = resize->drawn || heaptap_guest_may_know(guest, address);
    if (resize->active) {
        resize->address = (uint64_t)(uintptr_t)address;
        resize->bytes = bytes;
        heaptap_guest_resize_begun(guest, self, resize, type, location, hint);
    }
}

static inline void heaptap_guest_resize_commit(struct heaptap_guest *guest,
                                               struct heaptap_guest_resize *resize,
                                               const void *address)
{
    if (resize->active)
        heaptap_guest_resize_committed(guest, resize, (uint64_t)(uintptr_t)address);
}

static inline void heaptap_guest_resize_undo(struct heaptap_guest *guest,
                                             struct heaptap_guest_resize *resize)
{
    if (resize->active)
        heaptap_guest_resize_undone(guest, resize);
}

/* ---- Types that become known later ------------------------------------------------ */

HEAPTAP_API void heaptap_guest_retype(struct heaptap_guest *guest, uint64_t address, uint32_t type);

/* Gives the block another type: it counts as if it had been allocated with that one. */
static inline void heaptap_guest_settype(struct heaptap_guest *guest, const void *address,
                                         uint32_t type)
{
    if (heaptap_guest_may_know(guest, address))
        heaptap_guest_retype(guest, (uint64_t)(uintptr_t)address, type);
}

/* ---- Collectors ------------------------------------------------------------------- */

HEAPTAP_API void heaptap_guest_moved(struct heaptap_guest *guest, uint64_t from, uint64_t to,
                                     bool promoted);

/* The block at `from` is now at `to`, which may be the same, and has left the nursery if
 * `promoted`; that counts in the row in which it was allocated.  Moves between gc_begin and gc_end
 * take effect at gc_end, so blocks can move to addresses that others have yet to leave. */
static inline void heaptap_guest_move(struct heaptap_guest *guest, const void *from, const void *to,
                                      bool promoted)
{
    if (heaptap_guest_may_know(guest, from))
        heaptap_guest_moved(guest, (uint64_t)(uintptr_t)from, (uint64_t)(uintptr_t)to, promoted);
}

/* A collection.  Not nested. */
HEAPTAP_API void heaptap_guest_gc_begin(struct heaptap_guest *guest);
HEAPTAP_API void heaptap_guest_gc_end(struct heaptap_guest *guest);

/* All blocks in [low, high) that did not move out end: the reset of a nursery, the release of an
 * arena. */
HEAPTAP_API void heaptap_guest_region_reset(struct heaptap_guest *guest, const void *low,
                                            const void *high);

#ifdef __cplusplus
}
#endif
#endif
