/* The engine as a whole: its life, its profiles, its counts.
 *
 * 1. Data.  An engine stands for a heap.  It has a filter, which lies in the embedder's storage so
 * that the look at it is an indexed load, a table of tracked blocks by address (live_table.h), a
 * list of thread states, and a profile, which is what start was told.  A tracked block has a record
 * (state.h), which says what has happened to it and how much of that the tracker was told.
 *
 * 2. Who writes what.  A thread state is written by its thread alone.  The table, the filter, the
 * stacks of shared and of free records are changed by single atomic operations.  A record's events
 * are set by whoever has claimed the block in the table; its callbacks are run by whoever has it
 * queued (tracked.c).  There is no lock: a thread that is stopped anywhere, by a signal, a debugger
 * or a fork, holds up no other.
 *
 * 3. Profiles.  The state word has the number of the profile and its phase: STOPPED, STARTING,
 * SAMPLING, STOPPING.  Only a thread that has changed it from STOPPED to STARTING, or from SAMPLING
 * to STOPPING, by compare-and-swap goes on. Threads copy the profile when they see that the word
 * has changed, and look at the word at each visit.  The number grows as the phase STOPPED begins:
 * with that, all records of the old profile are void, wherever they are.  stop then sweeps them out
 * of the table; one that another thread puts there at that very moment stays, is not told of, and
 * goes with its block.
 *
 * 4. Noticing.  Only its own thread may write a countdown, as storage of threads
 * goes away without notice.  Therefore long gaps are served in pieces of 65536 words, and a thread
 * that does not sample comes by every 4096 words: it then sees a stop or a start.
 *
 * 5. Order of a block's life.  The allocation is in the table before the allocator returns the
 * block; the end is taken out of it before the allocator gets the block back.  So at no moment do
 * two blocks of one address meet in the table.
 *
 * 6. Callbacks.  Sampling is off for a thread that is in the engine (threads.c).  Callbacks are run
 * in the hook that they are due in; if the engine postpones, if a collection is under way, or if
 * the thread is in a callback already, they wait: allocations in a queue of the thread, since only
 * it may tell them, others on a stack shared by all. */
#include "tap/engine/state.h"

#include <string.h>

#include "base/coin.h"
#include "tap/inside/fail.h"
#include "tap/inside/pages.h"

const struct heaptap_tracker heaptap_null_tracker = {0};

/* ---- Life ----------------------------------------------------------------------------------- */

enum heaptap_status heaptap_engine_init(struct heaptap_engine *engine,
                                        const struct heaptap_engine_options *options,
                                        struct heaptap_error *error)
{
    if (!engine)
        return fail(error, HEAPTAP_BAD_ARGUMENT, "there is no engine");
    struct heaptap_engine_state *state = pages_map(sizeof *state);
    if (!state)
        return fail(error, HEAPTAP_NO_MEMORY, "no memory for the engine");
    if (options)
        state->options = *options;
    if (state->options.max_tracked == 0)
        state->options.max_tracked = (uint64_t)1 << 26;
    live_table_expect(&state->table, state->options.expected_tracked);
    live_table_limit(&state->table);
    state->seed = state->options.seed ? state->options.seed : seed_of_surroundings(0);
    state->word = ENGINE_PHASES + ENGINE_STOPPED; /* profiles are numbered from 1 */
    memset(engine->filter, 0, sizeof engine->filter);
    __atomic_store_n(&engine->state, state, __ATOMIC_RELEASE);
    return HEAPTAP_OK;
}

void heaptap_engine_release(struct heaptap_engine *engine)
{
    if (!engine)
        return;
    struct heaptap_engine_state *state = engine->state;
    memset(engine, 0, sizeof *engine);
    if (!state)
        return;
    while (state->threads) {
        struct heaptap_thread_state *next = state->threads->next;
        pending_reset(state->threads);
        if (state->threads->stacks)
            pages_unmap(state->threads->stacks, state->threads->stacks->size_bytes);
        pages_unmap(state->threads, sizeof *state->threads);
        state->threads = next;
    }
    while (state->chunks) {
        struct record_chunk *next = state->chunks->next;
        pages_unmap(state->chunks, state->chunks->size_bytes);
        state->chunks = next;
    }
    live_table_unmap(&state->table);
    pages_unmap(state, sizeof *state);
}

/* ---- Start and stop ------------------------------------------------------------------------- */

static bool change_word(struct heaptap_engine_state *state, uint64_t from, uint64_t to)
{
    return __atomic_compare_exchange_n(&state->word, &from, to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static uint64_t phase_of(uint64_t word)
{
    return word % ENGINE_PHASES;
}

static void write_profile(struct heaptap_engine_state *state, const struct profile *profile)
{
    __atomic_thread_fence(__ATOMIC_RELEASE);
    copy_pieces(&state->profile, profile, sizeof *profile);
}

enum heaptap_status heaptap_engine_start(struct heaptap_engine *engine,
                                         struct heaptap_thread *thread, double rate,
                                         int64_t callstack_size,
                                         const struct heaptap_tracker *tracker,
                                         struct heaptap_error *error)
{
    if (!engine || !thread)
        return fail(error, HEAPTAP_BAD_ARGUMENT, "there is no engine, or no thread");
    struct heaptap_engine_state *state = engine->state;
    if (!(rate >= 0 && rate <= 1))
        return fail(error, HEAPTAP_BAD_ARGUMENT, "the sampling rate must be between 0 and 1");
    if (callstack_size < 0)
        return fail(error, HEAPTAP_BAD_ARGUMENT, "the callstack size must not be negative");
    if (!tracker)
        return fail(error, HEAPTAP_BAD_ARGUMENT, "a tracker is needed, if only the null tracker");
    if (!state)
        return fail(error, HEAPTAP_BAD_STATE, "the engine is not initialised");
    if (engine_is_inside(thread))
        return fail(error, HEAPTAP_BAD_STATE,
                    "sampling cannot be started in a callback or while suspended");
    struct heaptap_thread_state *self = engine_enter(engine, thread);
    if (!self)
        return fail(error, HEAPTAP_NO_MEMORY, "no memory for the state of a thread");
    uint64_t word = engine_word(state);
    bool started =
        phase_of(word) == ENGINE_STOPPED && change_word(state, word, word + ENGINE_STARTING);
    if (started) {
        struct profile profile = {rate, callstack_size, *tracker};
        if (callstack_size > HEAPTAP_CALLSTACK_MAX)
            profile.callstack_size = HEAPTAP_CALLSTACK_MAX;
        write_profile(state, &profile);
        __atomic_store_n(&state->halvings, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&state->word, word + ENGINE_SAMPLING, __ATOMIC_RELEASE);
        engine_refresh(engine, self);
    }
    engine_leave(engine, thread, self);
    return started ? HEAPTAP_OK : fail(error, HEAPTAP_BAD_STATE, "sampling is started already");
}

/* Drops all that is tracked. */
static void sweep(struct heaptap_engine *engine, struct heaptap_thread *thread,
                  struct heaptap_thread_state *self)
{
    struct live_table *table = &engine->state->table;
    struct live_table_walk walk = {.low = 0, .high = UINT64_MAX};
    struct heaptap_tracked *tracked;
    struct slot slot;
    uint64_t address;
    while (live_table_claim_next(table, &walk, &slot, &address, &tracked)) {
        bool mine = tracked && tracked_post(tracked, TRACKED_DROPPED);
        filter_remove(engine, address);
        live_table_release(table, &slot);
        if (mine)
            tracked_run(engine, thread, self, tracked);
    }
}

enum heaptap_status heaptap_engine_stop(struct heaptap_engine *engine,
                                        struct heaptap_thread *thread, struct heaptap_error *error)
{
    if (!engine || !thread)
        return fail(error, HEAPTAP_BAD_ARGUMENT, "there is no engine, or no thread");
    struct heaptap_engine_state *state = engine->state;
    if (!state || phase_of(engine_word(state)) != ENGINE_SAMPLING)
        return fail(error, HEAPTAP_BAD_STATE, "sampling is not started");
    if (engine_is_inside(thread))
        return fail(error, HEAPTAP_BAD_STATE,
                    "sampling cannot be stopped in a callback or while suspended");
    struct heaptap_thread_state *self = engine_enter(engine, thread);
    if (!self)
        return fail(error, HEAPTAP_NO_MEMORY, "no memory for the state of a thread");
    uint64_t word = self->word;
    bool stopped = phase_of(word) == ENGINE_SAMPLING &&
                   change_word(state, word, word - ENGINE_SAMPLING + ENGINE_STOPPING);
    if (stopped) {
        tracked_run_queue(engine, thread, self);
        tracked_run_shared(engine, thread, self);
        __atomic_store_n(&state->word, word - ENGINE_SAMPLING + ENGINE_PHASES + ENGINE_STOPPED,
                         __ATOMIC_RELEASE);
        sweep(engine, thread, self);
        engine_refresh(engine, self);
    }
    engine_leave(engine, thread, self);
    return stopped ? HEAPTAP_OK : fail(error, HEAPTAP_BAD_STATE, "sampling is not started");
}

bool heaptap_engine_started(const struct heaptap_engine *engine)
{
    if (!engine)
        return false;
    return engine->state && phase_of(engine_word(engine->state)) == ENGINE_SAMPLING;
}

double heaptap_engine_rate(const struct heaptap_engine *engine)
{
    if (!engine)
        return 0;
    double rate = 0;
    if (!engine->state)
        return 0;
    __atomic_load(&engine->state->profile.rate, &rate, __ATOMIC_RELAXED);
    return coin_rate(rate, __atomic_load_n(&engine->state->halvings, __ATOMIC_RELAXED));
}

int64_t heaptap_engine_callstack_size(const struct heaptap_engine *engine)
{
    if (!engine)
        return 0;
    return engine->state ? __atomic_load_n(&engine->state->profile.callstack_size, __ATOMIC_RELAXED)
                         : 0;
}

/* ---- Fork ----------------------------------------------------------------------------------- */

/* A thread that is not in this process: its postponed allocations and unfinished moves are dropped.
 */
static void forget_thread(struct heaptap_engine *engine, struct heaptap_thread_state *lost)
{
    while (lost->moved) {
        struct heaptap_tracked *tracked = lost->moved;
        lost->moved = tracked->next_moved;
        if (tracked_post(tracked, TRACKED_DROPPED))
            tracked_free(engine->state, lost, tracked);
    }
    engine_give_back_state(engine, lost);
}

void heaptap_engine_after_fork_child(struct heaptap_engine *engine, struct heaptap_thread *thread)
{
    if (!engine || !thread)
        return;
    struct heaptap_engine_state *state = engine->state;
    if (!state)
        return;
    struct heaptap_thread_state *self = thread->state == THREAD_RETIRED ? NULL : thread->state;
    for (struct heaptap_thread_state *i = state->threads; i; i = i->next)
        if (i != self && i->in_use)
            forget_thread(engine, i);
    uint64_t phase = phase_of(state->word);
    if (phase == ENGINE_STARTING || phase == ENGINE_STOPPING)
        state->word = state->word - phase + ENGINE_PHASES + ENGINE_STOPPED;
    state->seed = seed_of_surroundings(state->seed);
    if (!self)
        return;
    sampler_seed(&self->sampler, state->seed, state->serial++);
    if (self->sampling) {
        self->remaining = sampler_gap(&self->sampler);
        if (self->depth == 0)
            thread->countdown = 0;
    }
}

/* ---- Counts --------------------------------------------------------------------------------- */

void heaptap_engine_read_counts(const struct heaptap_engine *engine,
                                struct heaptap_engine_counts *counts)
{
    if (!engine || !counts)
        return;
    const struct heaptap_engine_state *state = engine->state;
    memset(counts, 0, sizeof *counts);
    if (!state)
        return;
    const struct heaptap_thread_state *self = __atomic_load_n(&state->threads, __ATOMIC_ACQUIRE);
    for (; self; self = self->next) {
        struct thread_counts sum;
        copy_pieces(&sum, &self->counts, sizeof sum);
        counts->sampled_blocks += sum.sampled_blocks;
        counts->samples += sum.samples;
        counts->dropped_blocks += sum.dropped_blocks;
        counts->dropped_samples += sum.dropped_samples;
        counts->tracked += sum.records_taken - sum.records_given;
        counts->alloc_minor += sum.alloc_minor;
        counts->alloc_major += sum.alloc_major;
        counts->promote += sum.promote;
        counts->dealloc_minor += sum.dealloc_minor;
        counts->dealloc_major += sum.dealloc_major;
    }
    uint64_t strays = __atomic_load_n(&state->strays, __ATOMIC_RELAXED);
    counts->sampled_blocks += strays;
    counts->samples += strays;
    counts->dropped_blocks += strays;
    counts->dropped_samples += strays;
    counts->lost_blocks = __atomic_load_n(&state->lost_blocks, __ATOMIC_RELAXED);
}
