/* The record of a tracked block, and the telling of its events.
 *
 * A record has one owner at a time for its callbacks: whoever set TRACKED_QUEUED.  Anybody who has
 * claimed the block notes an event with one atomic operation; if that set TRACKED_QUEUED too, the
 * record is now his to run or to queue, and otherwise its owner is bound to see the event before he
 * lets go, because he does so by a compare-and-swap against the events that he has told.  So
 * callbacks of one block never overlap, come in order, and none is forgotten, whichever threads
 * were there when the block was made, promoted and freed.
 *
 * A block whose allocation is told at once needs none of that: it is told before the table knows
 * the block (hooks.c).
 *
 * A record is freed by its owner, after ENDED or DROPPED (nobody else can hold it then: the poster
 * had claimed the block, and posts as his last act) or after taking it out of the table himself,
 * when the tracker wants no more. */
#include "tap/engine/state.h"
#include "tap/inside/pages.h"

enum {
    RECORD_CHUNK_BYTES = 32768,
    SPARE_MAX = 256, /* free records that a thread keeps to itself */
    STACK_CHUNK_BYTES = 65536,
};

/* ---- Records -------------------------------------------------------------------------------- */

/* Free records come in batches: a batch is linked by `next` and has its length in the `epoch` of
 * its first record; that record's `next_moved` is the next batch. */

/* Puts a chain of batches on the shared stack of them. */
static void push_batches(struct heaptap_engine_state *state, struct heaptap_tracked *first)
{
    struct heaptap_tracked *top = NULL;
    if (__atomic_compare_exchange_n(&state->spare, &top, first, false, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED))
        return;
    struct heaptap_tracked *last = first;
    while (last->next_moved)
        last = last->next_moved;
    do
        last->next_moved = top;
    while (!__atomic_compare_exchange_n(&state->spare, &top, first, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
}

/* One batch; the whole stack is taken and the rest put back, so that no record can come and go
 * between the two. */
static struct heaptap_tracked *pop_batch(struct heaptap_engine_state *state)
{
    struct heaptap_tracked *first = NULL;
    if (__atomic_load_n(&state->spare, __ATOMIC_RELAXED))
        first = __atomic_exchange_n(&state->spare, NULL, __ATOMIC_ACQUIRE);
    if (first && first->next_moved)
        push_batches(state, first->next_moved);
    return first;
}

void tracked_share_spares(struct heaptap_engine_state *state, struct heaptap_thread_state *self)
{
    struct heaptap_tracked *first = self->spare;
    if (!first)
        return;
    first->epoch = self->spare_count;
    first->next_moved = NULL;
    self->spare = NULL;
    self->spare_count = 0;
    push_batches(state, first);
}

void tracked_free(struct heaptap_engine_state *state, struct heaptap_thread_state *self,
                  struct heaptap_tracked *tracked)
{
    count_add(&self->counts.records_given, 1);
    if (self->spare_count >= SPARE_MAX)
        tracked_share_spares(state, self);
    tracked->next = self->spare;
    self->spare = tracked;
    self->spare_count++;
}

/* How many of `wanted` new records may be made. */
static uint32_t allow_records(struct heaptap_engine_state *state, uint32_t wanted)
{
    uint64_t made = __atomic_load_n(&state->records, __ATOMIC_RELAXED), left;
    do {
        left = state->options.max_tracked - made;
        if (wanted > left)
            wanted = (uint32_t)left;
    } while (!__atomic_compare_exchange_n(&state->records, &made, made + wanted, true,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return wanted;
}

/* Fills the thread's empty list of free records from those that others gave, or from new memory. */
static void find_spares(struct heaptap_engine_state *state, struct heaptap_thread_state *self)
{
    self->spare = pop_batch(state);
    if (self->spare) {
        self->spare_count = (uint32_t)self->spare->epoch;
        return;
    }
    struct record_chunk *chunk;
    uint32_t count =
        allow_records(state, (RECORD_CHUNK_BYTES - sizeof *chunk) / sizeof chunk->records[0]);
    if (count == 0)
        return;
    chunk = pages_map(RECORD_CHUNK_BYTES);
    if (!chunk) {
        __atomic_fetch_sub(&state->records, count, __ATOMIC_RELAXED);
        return;
    }
    chunk->size_bytes = RECORD_CHUNK_BYTES;
    self->spare_count = count;
    for (uint32_t i = 0; i + 1 < self->spare_count; i++)
        chunk->records[i].next = &chunk->records[i + 1];
    self->spare = chunk->records;
    chunk->next = __atomic_load_n(&state->chunks, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&state->chunks, &chunk->next, chunk, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
}

struct heaptap_tracked *tracked_new(struct heaptap_engine_state *state,
                                    struct heaptap_thread_state *self)
{
    if (!self->spare)
        find_spares(state, self);
    struct heaptap_tracked *tracked = self->spare;
    if (!tracked)
        return NULL;
    self->spare = tracked->next;
    self->spare_count--;
    count_add(&self->counts.records_taken, 1);
    *tracked = (struct heaptap_tracked){.epoch = self->epoch};
    return tracked;
}

/* ---- Allocations to be told ----------------------------------------------------------------- */

struct pending_sample *pending_reserve(struct heaptap_thread_state *self, size_t frames)
{
    size_t need = sizeof(struct pending_sample) + frames * sizeof(uint64_t);
    struct stack_chunk *chunk = self->stacks;
    if (!chunk || chunk->size_bytes - chunk->used_bytes < need) {
        size_t size = STACK_CHUNK_BYTES;
        while (size < 4 * need)
            size *= 2;
        chunk = pages_map(size);
        if (!chunk)
            return NULL;
        *chunk = (struct stack_chunk){self->stacks, size, sizeof *chunk};
        self->stacks = chunk;
    }
    return (void *)((char *)chunk + chunk->used_bytes);
}

void pending_keep(struct heaptap_thread_state *self, size_t frames)
{
    self->stacks->used_bytes += sizeof(struct pending_sample) + frames * sizeof(uint64_t);
}

void pending_reset(struct heaptap_thread_state *self)
{
    struct stack_chunk *chunk = self->stacks;
    if (!chunk)
        return;
    while (chunk->next) {
        struct stack_chunk *next = chunk->next;
        chunk->next = next->next;
        pages_unmap(next, next->size_bytes);
    }
    chunk->used_bytes = sizeof *chunk;
}

/* ---- Queues --------------------------------------------------------------------------------- */

bool tracked_post(struct heaptap_tracked *tracked, uint32_t event)
{
    uint32_t before = __atomic_load_n(&tracked->events, __ATOMIC_ACQUIRE);
    if (!(before & TRACKED_QUEUED)) { /* claimed, and not queued: the caller runs all of it */
        __atomic_store_n(&tracked->events, before | event | TRACKED_QUEUED, __ATOMIC_RELAXED);
        return true;
    }
    before = __atomic_fetch_or(&tracked->events, event | TRACKED_QUEUED, __ATOMIC_ACQ_REL);
    return !(before & TRACKED_QUEUED);
}

void tracked_share(struct heaptap_engine_state *state, struct heaptap_tracked *tracked)
{
    tracked->next = __atomic_load_n(&state->shared, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&state->shared, &tracked->next, tracked, true,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

void tracked_queue(struct heaptap_thread_state *self, struct heaptap_tracked *tracked)
{
    tracked->next = NULL;
    if (self->queue)
        self->queue_last->next = tracked;
    else
        self->queue = tracked;
    self->queue_last = tracked;
}

static struct heaptap_tracked *take_queue(struct heaptap_thread_state *self)
{
    struct heaptap_tracked *first = self->queue;
    self->queue = NULL;
    return first;
}

/* The shared stack, oldest first. */
static struct heaptap_tracked *take_shared(struct heaptap_engine_state *state)
{
    struct heaptap_tracked *stack = __atomic_exchange_n(&state->shared, NULL, __ATOMIC_ACQUIRE),
                           *oldest = NULL;
    while (stack) {
        struct heaptap_tracked *next = stack->next;
        stack->next = oldest;
        oldest = stack;
        stack = next;
    }
    return oldest;
}

static void run_list(struct heaptap_engine *engine, struct heaptap_thread *thread,
                     struct heaptap_thread_state *self, struct heaptap_tracked *list)
{
    while (list) {
        struct heaptap_tracked *next = list->next;
        tracked_run(engine, thread, self, list);
        list = next;
    }
}

void tracked_run_shared(struct heaptap_engine *engine, struct heaptap_thread *thread,
                        struct heaptap_thread_state *self)
{
    while (__atomic_load_n(&engine->state->shared, __ATOMIC_RELAXED))
        run_list(engine, thread, self, take_shared(engine->state));
}

void tracked_run_queue(struct heaptap_engine *engine, struct heaptap_thread *thread,
                       struct heaptap_thread_state *self)
{
    run_list(engine, thread, self, take_queue(self));
    pending_reset(self);
}

/* ---- Telling -------------------------------------------------------------------------------- */

/* The tracker wants no more of this block.  True if the record is out of the table and out of
 * everybody's hands. */
static bool untrack(struct heaptap_engine_state *state, struct heaptap_tracked *tracked)
{
    tracked->told |= TOLD_ALLOC | TOLD_NO_MORE;
    return live_table_vacate(&state->table, __atomic_load_n(&tracked->address, __ATOMIC_RELAXED),
                             tracked);
}

static void *tell_alloc(struct heaptap_thread *thread, struct heaptap_thread_state *self,
                        struct heaptap_tracked *tracked)
{
    const struct heaptap_tracker *tracker = &self->profile.tracker;
    const struct heaptap_sample *sample = &((struct pending_sample *)tracked->metadata)->sample;
    tracked->told |= TOLD_ALLOC;
    if (tracked->minor && tracker->alloc_minor) {
        count_add(&self->counts.alloc_minor, 1);
        return tracker->alloc_minor(tracker->context, thread, sample);
    }
    if (!tracked->minor && tracker->alloc_major) {
        count_add(&self->counts.alloc_major, 1);
        return tracker->alloc_major(tracker->context, thread, sample);
    }
    return NULL;
}

static void *tell_promote(struct heaptap_thread *thread, struct heaptap_thread_state *self,
                          struct heaptap_tracked *tracked)
{
    const struct heaptap_tracker *tracker = &self->profile.tracker;
    tracked->told |= TOLD_PROMOTE;
    if (!tracker->promote)
        return NULL;
    count_add(&self->counts.promote, 1);
    return tracker->promote(tracker->context, thread, tracked->metadata);
}

static void tell_dealloc(struct heaptap_thread *thread, struct heaptap_thread_state *self,
                         struct heaptap_tracked *tracked)
{
    const struct heaptap_tracker *tracker = &self->profile.tracker;
    if (tracked->minor && !(tracked->told & TOLD_PROMOTE)) {
        if (!tracker->dealloc_minor)
            return;
        count_add(&self->counts.dealloc_minor, 1);
        tracker->dealloc_minor(tracker->context, thread, tracked->metadata);
    } else if (tracker->dealloc_major) {
        count_add(&self->counts.dealloc_major, 1);
        tracker->dealloc_major(tracker->context, thread, tracked->metadata);
    }
}

/* Runs the callback that is due after `events`, if one is.  False if none was. */
static bool tell_next(struct heaptap_thread *thread, struct heaptap_thread_state *self,
                      struct heaptap_tracked *tracked, uint32_t events)
{
    if (!(tracked->told & TOLD_ALLOC))
        tracked->metadata = tell_alloc(thread, self, tracked);
    else if ((events & TRACKED_PROMOTED) && !(tracked->told & TOLD_PROMOTE))
        tracked->metadata = tell_promote(thread, self, tracked);
    else
        return false;
    return true;
}

bool tracked_tell_new(struct heaptap_thread *thread, struct heaptap_thread_state *self,
                      struct heaptap_tracked *tracked)
{
    tracked->metadata = tell_alloc(thread, self, tracked);
    return tracked->metadata != NULL;
}

bool tracked_run(struct heaptap_engine *engine, struct heaptap_thread *thread,
                 struct heaptap_thread_state *self, struct heaptap_tracked *tracked)
{
    struct heaptap_engine_state *state = engine->state;
    if (tracked->epoch != self->epoch)
        engine_refresh(engine, self); /* another thread may know a newer profile than we */
    for (;;) {
        uint32_t events = __atomic_load_n(&tracked->events, __ATOMIC_ACQUIRE);
        bool silent = (tracked->told & TOLD_NO_MORE) || (events & TRACKED_DROPPED) ||
                      tracked->epoch != self->epoch;
        if (!silent && tell_next(thread, self, tracked, events)) {
            if (!tracked->metadata && untrack(state, tracked))
                break;
            continue;
        }
        if (events & TRACKED_ENDED && !silent)
            tell_dealloc(thread, self, tracked);
        if (events & (TRACKED_ENDED | TRACKED_DROPPED))
            break;
        if (__atomic_compare_exchange_n(&tracked->events, &events,
                                        events & ~(uint32_t)TRACKED_QUEUED, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return false;
    }
    tracked_free(state, self, tracked);
    return true;
}

void tracked_discard_queue(struct heaptap_engine *engine, struct heaptap_thread_state *self)
{
    struct heaptap_tracked *list = take_queue(self);
    while (list) {
        struct heaptap_tracked *next = list->next;
        if (untrack(engine->state, list))
            tracked_free(engine->state, self, list);
        else
            tracked_run(engine, NULL, self, list);
        list = next;
    }
    pending_reset(self);
}
