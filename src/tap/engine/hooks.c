/* What a runtime tells the engine of its blocks: the slow halves, reached once a sample, once a
 * block that the filter takes for tracked, and otherwise every 65536 words. */
#include "tap/engine/caller.h"
#include "tap/engine/state.h"

#include <string.h>

/* ---- The end of a claim --------------------------------------------------------------------- */

/* Runs a queued record now where that may be, else leaves it to later. */
static void settle(struct heaptap_engine *engine, struct heaptap_thread *thread,
                   struct heaptap_tracked *tracked)
{
    struct heaptap_thread_state *self =
        engine->state->options.postpone ? NULL : engine_enter(engine, thread);
    if (self && !self->collecting)
        tracked_run(engine, thread, self, tracked);
    else
        tracked_share(engine->state, tracked);
    if (self)
        engine_leave(engine, thread, self);
}

/* The slot is free again. */
static void release_slot(struct heaptap_engine *engine, const struct slot *slot, uint64_t address)
{
    filter_remove(engine, address);
    live_table_release(&engine->state->table, slot);
}

/* A claimed block has ended.  `tracked` is NULL if the tracker doesn't want to be told. */
static void end_claimed(struct heaptap_engine *engine, struct heaptap_thread *thread,
                        const struct slot *slot, uint64_t address, struct heaptap_tracked *tracked)
{
    bool mine = tracked && tracked_post(tracked, TRACKED_ENDED);
    release_slot(engine, slot, address);
    if (mine)
        settle(engine, thread, tracked);
}

void heaptap_thread_freed(struct heaptap_engine *engine, struct heaptap_thread *thread,
                          uint64_t address)
{
    if (!engine || !thread)
        return;
    struct slot slot;
    struct heaptap_tracked *tracked;
    if (engine->state && address > KEY_RESERVED &&
        live_table_claim(&engine->state->table, address, &slot, &tracked))
        end_claimed(engine, thread, &slot, address, tracked);
}

/* ---- Allocation ----------------------------------------------------------------------------- */

/* Puts a record into the table.  If a block is there already, its end was never reported. */
static bool place(struct heaptap_engine *engine, struct heaptap_thread *thread,
                  struct heaptap_tracked *tracked)
{
    uint64_t address = tracked->address;
    heaptap_thread_free(engine, thread, address);
    filter_add(engine, address);
    if (live_table_insert(&engine->state->table, address, tracked))
        return true;
    filter_remove(engine, address);
    return false;
}

/* The call stack, given or captured, goes behind `pending`.  Returns its length. */
static size_t take_stack(const struct heaptap_engine *engine, struct heaptap_thread *thread,
                         const struct heaptap_block *block, struct pending_sample *pending,
                         size_t max)
{
    const struct heaptap_engine_options *options = &engine->state->options;
    size_t length = 0;
    pending->sample.stack_shared = -1;
    if (block->stack) {
        length = block->stack_length < max ? block->stack_length : max;
        memcpy(pending->frames, block->stack, length * sizeof pending->frames[0]);
    } else if (options->capture && max > 0) {
        length = options->capture(options->capture_context, thread, block->hint, pending->frames,
                                  max, &pending->sample.stack_shared);
        if (length > max)
            length = max;
    }
    return length;
}

/* Writes what the tracker is to be told of a block. */
static void fill_sample(struct heaptap_engine *engine, struct heaptap_thread *thread,
                        struct heaptap_thread_state *self, const struct heaptap_block *block,
                        uint64_t n_samples, struct pending_sample *pending)
{
    size_t length =
        take_stack(engine, thread, block, pending, (size_t)self->profile.callstack_size);
    pending_keep(self, length);
    pending->sample.n_samples = n_samples;
    pending->sample.size = block->size;
    pending->sample.tag = block->tag;
    pending->sample.unmarshalled = block->unmarshalled;
    pending->sample.stack = pending->frames;
    pending->sample.stack_length = (uint32_t)length;
}

/* The allocation is told later, or may be followed by the end before it is told to its end: the
 * block must be in the table before. */
static bool track_first(struct heaptap_engine *engine, struct heaptap_thread *thread,
                        struct heaptap_thread_state *self, const struct heaptap_block *block,
                        uint64_t n_samples, struct heaptap_tracked *tracked)
{
    struct pending_sample *pending = tracked->metadata;
    tracked->events = TRACKED_QUEUED;
    if (!place(engine, thread, tracked)) {
        tracked_free(engine->state, self, tracked);
        return false;
    }
    fill_sample(engine, thread, self, block, n_samples, pending);
    if (engine->state->options.postpone || self->collecting) {
        tracked_queue(self, tracked);
        return true;
    }
    /* No other thread knows the block, so a slot without a record can be freed at once. */
    if (tracked_run(engine, thread, self, tracked))
        heaptap_thread_free(engine, thread, block->address);
    pending_reset(self);
    return true;
}

/* Nobody knows the block, not even the callback, so it is told first; then its record is complete
 * when the table gets it, and is never contended for. */
static void tell_first(struct heaptap_engine *engine, struct heaptap_thread *thread,
                       struct heaptap_thread_state *self, const struct heaptap_block *block,
                       uint64_t n_samples, struct heaptap_tracked *tracked)
{
    fill_sample(engine, thread, self, block, n_samples, tracked->metadata);
    bool wanted = tracked_tell_new(thread, self, tracked);
    pending_reset(self);
    if (wanted && place(engine, thread, tracked))
        return;
    if (wanted)
        __atomic_fetch_add(&engine->state->lost_blocks, 1, __ATOMIC_RELAXED);
    tracked_free(engine->state, self, tracked);
}

/* Begins to track a block; false for want of memory, or because too many are tracked. */
static bool track(struct heaptap_engine *engine, struct heaptap_thread *thread,
                  struct heaptap_thread_state *self, const struct heaptap_block *block,
                  uint64_t n_samples)
{
    struct heaptap_engine_state *state = engine->state;
    struct pending_sample *pending = pending_reserve(self, (size_t)self->profile.callstack_size);
    struct heaptap_tracked *tracked = pending ? tracked_new(state, self) : NULL;
    if (!tracked)
        return false;
    tracked->minor = block->minor;
    tracked->address = block->address;
    tracked->metadata = pending;
    if (!state->options.tell_first || state->options.postpone || self->collecting)
        return track_first(engine, thread, self, block, n_samples, tracked);
    tell_first(engine, thread, self, block, n_samples, tracked);
    return true;
}

static void sample(struct heaptap_engine *engine, struct heaptap_thread *thread,
                   struct heaptap_thread_state *self, const struct heaptap_block *block)
{
    const struct heaptap_tracker *tracker = &self->profile.tracker;
    uint64_t n_samples = sampler_count(&self->sampler, block->words, &self->remaining);
    count_add(&self->counts.sampled_blocks, 1);
    count_add(&self->counts.samples, n_samples);
    if (!(block->minor ? tracker->alloc_minor : tracker->alloc_major))
        return;
    if (!track(engine, thread, self, block, n_samples)) {
        count_add(&self->counts.dropped_blocks, 1);
        count_add(&self->counts.dropped_samples, n_samples);
    }
}

bool engine_caller(const struct heaptap_thread *thread, struct unwind_start *caller)
{
    const struct heaptap_thread_state *self = thread->state;
    if (!self || self == THREAD_RETIRED || !self->caller.pc)
        return false;
    *caller = self->caller;
    return true;
}

/* Not inlined, so that its caller is the embedder. */
__attribute__((noinline)) void heaptap_thread_allocated(struct heaptap_engine *engine,
                                                        struct heaptap_thread *thread,
                                                        const struct heaptap_block *block)
{
    if (!engine || !thread || !block)
        return;
    if (thread->state == THREAD_RETIRED) {
        thread->countdown = UINT64_MAX;
        return;
    }
    struct heaptap_thread_state *self = engine_enter(engine, thread);
    if (!self) {
        if (engine->state && !thread->state)
            __atomic_fetch_add(&engine->state->strays, 1, __ATOMIC_RELAXED);
        return;
    }
    if (self->sampling && block->address > KEY_RESERVED) {
        if (block->words <= self->remaining) {
            self->remaining -= block->words;
        } else {
            self->caller = unwind_start_at_caller();
            sample(engine, thread, self, block);
            self->caller.pc = 0;
        }
    }
    engine_leave(engine, thread, self);
}

/* ---- Realloc -------------------------------------------------------------------------------- */

bool heaptap_thread_forget_slow(struct heaptap_engine *engine, uint64_t address,
                                struct heaptap_forgotten *forgotten)
{
    if (!engine || !forgotten)
        return false;
    struct slot slot;
    struct heaptap_tracked *tracked;
    if (!engine->state || address <= KEY_RESERVED ||
        !live_table_claim(&engine->state->table, address, &slot, &tracked))
        return false;
    if (!tracked) {
        release_slot(engine, &slot, address);
        return false;
    }
    *forgotten = (struct heaptap_forgotten){tracked, slot.key, address};
    return true;
}

/* The slot of what was forgotten, and is neither kept nor undone yet; false for nothing. */
static bool forgotten_slot(struct slot *slot, struct heaptap_engine *engine,
                           struct heaptap_thread *thread, struct heaptap_forgotten *forgotten)
{
    if (!engine || !thread || !forgotten || !forgotten->tracked)
        return false;
    *slot = live_table_slot(&engine->state->table, forgotten->slot, forgotten->address);
    return true;
}

void heaptap_thread_forget_keep(struct heaptap_engine *engine, struct heaptap_thread *thread,
                                struct heaptap_forgotten *forgotten)
{
    struct slot slot;
    if (!forgotten_slot(&slot, engine, thread, forgotten))
        return;
    end_claimed(engine, thread, &slot, forgotten->address, forgotten->tracked);
    forgotten->tracked = NULL;
}

void heaptap_thread_forget_undo(struct heaptap_engine *engine, struct heaptap_thread *thread,
                                struct heaptap_forgotten *forgotten)
{
    struct slot slot;
    if (!forgotten_slot(&slot, engine, thread, forgotten))
        return;
    live_table_restore(&slot, forgotten->address, forgotten->tracked);
    forgotten->tracked = NULL;
}

/* ---- Collectors ----------------------------------------------------------------------------- */

/* Puts a moved block under its new address.  `mine` says whether the caller has the record queued;
 * returns whether he has it now. */
static bool arrive(struct heaptap_engine *engine, struct heaptap_thread *thread,
                   struct heaptap_tracked *tracked, bool mine)
{
    if (place(engine, thread, tracked))
        return mine;
    __atomic_fetch_add(&engine->state->lost_blocks, 1, __ATOMIC_RELAXED);
    bool first = tracked_post(tracked, TRACKED_DROPPED);
    return mine || first;
}

void heaptap_thread_moved(struct heaptap_engine *engine, struct heaptap_thread *thread,
                          uint64_t from, uint64_t to, bool promoted)
{
    if (!engine || !thread)
        return;
    struct slot slot;
    struct heaptap_tracked *tracked;
    if (!engine->state || from <= KEY_RESERVED || to <= KEY_RESERVED ||
        !live_table_claim(&engine->state->table, from, &slot, &tracked))
        return;
    release_slot(engine, &slot, from);
    if (!tracked)
        return;
    bool mine = promoted && tracked->minor && tracked_post(tracked, TRACKED_PROMOTED);
    __atomic_store_n(&tracked->address, to, __ATOMIC_RELAXED);
    struct heaptap_thread_state *self = thread->state;
    if (self && self != THREAD_RETIRED && self->collecting) {
        tracked->next_moved = self->moved;
        self->moved = tracked;
        if (mine)
            tracked_share(engine->state, tracked);
    } else if (arrive(engine, thread, tracked, mine)) {
        settle(engine, thread, tracked);
    }
}

/* NULL where there is nothing to be done. */
static struct heaptap_thread_state *enter_collection(struct heaptap_engine *engine,
                                                     struct heaptap_thread *thread)
{
    if (!engine || !thread || thread->state == THREAD_RETIRED)
        return NULL;
    return engine_enter(engine, thread);
}

void heaptap_thread_gc_begin(struct heaptap_engine *engine, struct heaptap_thread *thread)
{
    struct heaptap_thread_state *self = enter_collection(engine, thread);
    if (!self)
        return;
    self->collecting = true;
    engine_leave(engine, thread, self);
}

void heaptap_thread_gc_end(struct heaptap_engine *engine, struct heaptap_thread *thread)
{
    struct heaptap_thread_state *self = enter_collection(engine, thread);
    if (!self)
        return;
    while (self->moved) {
        struct heaptap_tracked *tracked = self->moved;
        self->moved = tracked->next_moved;
        if (arrive(engine, thread, tracked, false))
            tracked_share(engine->state, tracked);
    }
    self->collecting = false;
    engine_leave(engine, thread, self);
}

void heaptap_thread_region_reset(struct heaptap_engine *engine, struct heaptap_thread *thread,
                                 uint64_t low, uint64_t high)
{
    if (!engine || !thread)
        return;
    struct live_table_walk walk = {.low = low, .high = high};
    struct heaptap_tracked *tracked;
    struct slot slot;
    uint64_t address;
    if (!engine->state)
        return;
    struct heaptap_thread_state *self = engine_enter(engine, thread);
    while (live_table_claim_next(&engine->state->table, &walk, &slot, &address, &tracked))
        end_claimed(engine, thread, &slot, address, tracked);
    if (self)
        engine_leave(engine, thread, self);
}
