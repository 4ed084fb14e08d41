/* What the engine keeps: for the heap as a whole, for each thread, for each tracked block.  The
 * reasons are in the essay of engine.c. */
#ifndef TAP_ENGINE_STATE_H
#define TAP_ENGINE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "tap/engine/live_table.h"
#include "tap/engine/sampler.h"
#include "heaptap/engine.h"
#include "tap/inside/unwind_start.h"

/* ---- A tracked block ------------------------------------------------------------------------ */

/* What has happened to a block and is, or is not yet, told to the tracker. */
enum {
    TRACKED_PROMOTED = 1,
    TRACKED_ENDED = 2,
    TRACKED_DROPPED = 4, /* by stop, or for want of memory: no callback any more */
    TRACKED_QUEUED = 8,  /* somebody has this record to run: in a queue, or running now */
};

/* How far the telling has got; written only by whoever has it queued. */
enum {
    TOLD_ALLOC = 1,
    TOLD_PROMOTE = 2,
    TOLD_NO_MORE = 4, /* the tracker wants to hear no more of this block */
};

struct heaptap_tracked {
    uint32_t events;  /* atomic; TRACKED_* */
    uint8_t told;     /* TOLD_* */
    bool minor;       /* was allocated in the nursery */
    uint64_t epoch;   /* profile under which it was sampled */
    uint64_t address; /* atomic; under which the table has it; written by whoever has claimed it */
    void *
        metadata; /* what the tracker last returned; before TOLD_ALLOC, its struct pending_sample */
    struct heaptap_tracked
        *next; /* in a queue, on the shared stack, or on a list of free records */
    struct heaptap_tracked
        *next_moved; /* in a collecting thread's list; between batches of free records */
};

/* An allocation that is to be told, in the stack arena of its thread. */
struct pending_sample {
    struct heaptap_sample sample;
    uint64_t frames[]; /* what sample.stack points to */
};

/* ---- A profile ------------------------------------------------------------------------------ */

/* From start to stop. */
struct profile {
    double rate;
    int64_t callstack_size;
    struct heaptap_tracker tracker;
};

/* The engine's state word: the number of the profile times 4, and what it does. */
enum {
    ENGINE_STOPPED = 0,
    ENGINE_STARTING = 1,
    ENGINE_SAMPLING = 2,
    ENGINE_STOPPING = 3,
    ENGINE_PHASES = 4
};

/* ---- A thread ------------------------------------------------------------------------------- */

/* Memory for the stacks of allocations that are not yet told; freed all at once when none is left.
 */
struct stack_chunk {
    struct stack_chunk *next; /* the one that was filled before */
    size_t size_bytes, used_bytes;
};

struct thread_counts {
    uint64_t sampled_blocks, samples, dropped_blocks, dropped_samples;
    uint64_t records_taken, records_given; /* tracked is the difference */
    uint64_t alloc_minor, alloc_major, promote, dealloc_minor, dealloc_major;
};

/* Mapped at a thread's first visit, never unmapped before the engine is released, used again by
 * later threads. */
struct heaptap_thread_state {
    struct heaptap_thread_state *next; /* in the engine's list; written once */
    uint32_t in_use;                   /* atomic */

    uint32_t depth;  /* 0: not in the engine; else in a hook, a callback, or so often suspended */
    bool borrowed;   /* by a retired thread, for one visit */
    bool collecting; /* between gc_begin and gc_end */
    bool sampling;   /* under `profile` */
    int saved_errno; /* while depth > 0 */
    uint64_t word;   /* the engine's state word when last looked at */
    uint64_t epoch;  /* of `profile`; 0: there is none */
    struct profile profile;     /* a copy, so that no other thread changes it */
    uint32_t halvings;          /* of its rate, as far as `sampler` knows them */
    struct unwind_start caller; /* of the hook, while it samples a block; pc 0 else */

    uint64_t remaining; /* while in the engine: words to the next sample.  Outside: those that the
                           thread's countdown doesn't hold */
    struct heaptap_tracked *queue, *queue_last; /* allocations to be told, in order */
    struct heaptap_tracked *moved; /* claimed blocks that have a new address from gc_end on */
    struct heaptap_tracked *spare; /* free records */
    uint32_t spare_count;
    struct stack_chunk *stacks;
    struct thread_counts counts;
    struct sampler sampler;
};

/* The `state` of a heaptap_thread that is retired. */
#define THREAD_RETIRED ((struct heaptap_thread_state *)1)

enum {
    COUNTDOWN_SAMPLING = 65536, /* words after which a thread looks whether another one stopped */
    COUNTDOWN_IDLE = 4096,      /* ... or started */
};
/* While a thread is in the engine no allocation of its own brings it there. */
#define COUNTDOWN_OFF ((uint64_t)1 << 63)

/* ---- The heap ------------------------------------------------------------------------------- */

/* Records come from chunks of this kind. */
struct record_chunk {
    struct record_chunk *next;
    size_t size_bytes;
    struct heaptap_tracked records[];
};

struct heaptap_engine_state {
    struct heaptap_engine_options options;
    uint64_t word; /* atomic; state word */
    struct profile
        profile;           /* written in the phase STARTING; read as a sequence lock under `word` */
    uint32_t halvings;     /* atomic; how often the profile's rate was halved (rate.c) */
    uint64_t seed, serial; /* of the generators: the seed, and how many were seeded */
    struct live_table table;
    struct heaptap_tracked *shared;       /* atomic; a stack of records that any thread may run */
    struct heaptap_tracked *spare;        /* atomic; a stack of free records */
    struct record_chunk *chunks;          /* atomic */
    uint64_t records;                     /* atomic; made so far, at most options.max_tracked */
    struct heaptap_thread_state *threads; /* atomic; all that were ever made */
    uint64_t strays; /* atomic; samples that could not be counted or drawn, as their thread has no
                        state */
    uint64_t lost_blocks; /* atomic */
};

static inline uint64_t engine_word(const struct heaptap_engine_state *state)
{
    return __atomic_load_n(&state->word, __ATOMIC_ACQUIRE);
}

/* Copies what others may be writing or reading at the same time, eight bytes at a time; whether the
 * pieces belong together is the caller's to find out. */
static inline void copy_pieces(void *to, const void *from, size_t size_bytes)
{
    typedef uint64_t __attribute__((may_alias)) piece;
    for (size_t i = 0; i < size_bytes / sizeof(piece); i++)
        __atomic_store_n((piece *)to + i,
                         __atomic_load_n((const piece *)from + i, __ATOMIC_RELAXED),
                         __ATOMIC_RELAXED);
}

/* Counters have one writer and may be read by others. */
static inline void count_add(uint64_t *counter, uint64_t n)
{
    __atomic_store_n(counter, __atomic_load_n(counter, __ATOMIC_RELAXED) + n, __ATOMIC_RELAXED);
}

/* ---- threads.c: coming into the engine and leaving it --------------------------------------- */

/* Gives it back. */
void engine_give_back_state(struct heaptap_engine *engine, struct heaptap_thread_state *self);

/* Whether the thread is in the engine: in a callback, or suspended. */
bool engine_is_inside(const struct heaptap_thread *thread);

/* Enters the engine.  NULL where the thread is in it already, the engine is not initialised, or
 * there is no memory. From here to engine_leave, sampling is off for the thread, and its state
 * knows the profile of the moment. */
struct heaptap_thread_state *engine_enter(struct heaptap_engine *engine,
                                          struct heaptap_thread *thread);

/* Looks at the engine's state word again: after it changed, the profile is copied anew, allocations
 * queued under another one are dropped, and the gap is drawn. */
void engine_refresh(struct heaptap_engine *engine, struct heaptap_thread_state *self);

/* Takes over the rate of the moment, and draws a gap for it.  May be called whenever that does not
 * depend on what the gap was. */
void engine_take_rate(const struct heaptap_engine_state *state, struct heaptap_thread_state *self);

/* Runs what may run now and arms the countdown again. */
void engine_leave(struct heaptap_engine *engine, struct heaptap_thread *thread,
                  struct heaptap_thread_state *self);

/* ---- tracked.c: records and their events ---------------------------------------------------- */

struct heaptap_tracked *tracked_new(struct heaptap_engine_state *state,
                                    struct heaptap_thread_state *self);
void tracked_free(struct heaptap_engine_state *state, struct heaptap_thread_state *self,
                  struct heaptap_tracked *tracked);

/* Gives all of a thread's free records to the others. */
void tracked_share_spares(struct heaptap_engine_state *state, struct heaptap_thread_state *self);

/* Notes `event` on a record that the caller has claimed.  True if the caller now has it queued, and
 * must run or queue it; false if somebody else has, who will see the event. */
bool tracked_post(struct heaptap_tracked *tracked, uint32_t event);

/* Leaves a queued record to whichever thread runs callbacks next. */
void tracked_share(struct heaptap_engine_state *state, struct heaptap_tracked *tracked);

/* Appends a record whose allocation is to be told to the thread's own queue. */
void tracked_queue(struct heaptap_thread_state *self, struct heaptap_tracked *tracked);

/* Tells the allocation of a block that is not in the table yet; false if the tracker wants no more
 * of it. */
bool tracked_tell_new(struct heaptap_thread *thread, struct heaptap_thread_state *self,
                      struct heaptap_tracked *tracked);

/* Tells the tracker all that is to be told of a queued record, and unqueues or frees it.  True if
 * it is freed. */
bool tracked_run(struct heaptap_engine *engine, struct heaptap_thread *thread,
                 struct heaptap_thread_state *self, struct heaptap_tracked *tracked);

/* The same for all that is on the shared stack, or in the thread's own queue, in order. */
void tracked_run_shared(struct heaptap_engine *engine, struct heaptap_thread *thread,
                        struct heaptap_thread_state *self);
void tracked_run_queue(struct heaptap_engine *engine, struct heaptap_thread *thread,
                       struct heaptap_thread_state *self);

/* Ends the tracking of all blocks in the thread's own queue without a callback. */
void tracked_discard_queue(struct heaptap_engine *engine, struct heaptap_thread_state *self);

/* Room for an allocation with up to `frames` frames; NULL if there is no memory. */
struct pending_sample *pending_reserve(struct heaptap_thread_state *self, size_t frames);
/* Keeps what was reserved last, with this many frames. */
void pending_keep(struct heaptap_thread_state *self, size_t frames);
/* Forgets all. */
void pending_reset(struct heaptap_thread_state *self);

/* ---- filter.c ------------------------------------------------------------------------------- */

void filter_add(struct heaptap_engine *engine, uint64_t address);
void filter_remove(struct heaptap_engine *engine, uint64_t address);

#endif
