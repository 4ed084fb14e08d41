/* A thread's visits to the engine.
 *
 * From engine_enter to engine_leave `depth` is positive, and the thread's countdown is so large
 * that its own allocations don't come here.  A hook that is called nevertheless (a callback frees a
 * tracked block; a signal handler interrupts us) finds `depth` positive and touches nothing of this
 * thread: it works on the table, which takes that at any moment, and leaves what is to be told on
 * the shared stack, where engine_leave finds it.
 *
 * Outside, the words to the next sample are `countdown + remaining`; inside they are `remaining`.
 */
#include "base/coin.h"
#include "tap/engine/state.h"
#include "tap/inside/pages.h"

#include <errno.h>

/* ---- States --------------------------------------------------------------------------------- */

static struct heaptap_thread_state *new_state(struct heaptap_engine_state *state)
{
    struct heaptap_thread_state *self = pages_map(sizeof *self);
    if (!self)
        return NULL;
    self->in_use = 1;
    self->next = __atomic_load_n(&state->threads, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&state->threads, &self->next, self, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
    return self;
}

static struct heaptap_thread_state *unused_state(struct heaptap_engine_state *state)
{
    struct heaptap_thread_state *self = __atomic_load_n(&state->threads, __ATOMIC_ACQUIRE);
    for (; self; self = self->next) {
        uint32_t unused = 0;
        if (__atomic_load_n(&self->in_use, __ATOMIC_RELAXED) == 0 &&
            __atomic_compare_exchange_n(&self->in_use, &unused, 1, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return self;
    }
    return NULL;
}

/* A state for a thread, as if new; NULL if there is no memory. */
static struct heaptap_thread_state *engine_acquire_state(struct heaptap_engine_state *state)
{
    struct heaptap_thread_state *self = unused_state(state);
    if (!self)
        self = new_state(state);
    if (!self)
        return NULL;
    self->borrowed = self->collecting = self->sampling = false;
    self->word = UINT64_MAX;
    self->epoch = 0;
    self->remaining = 0;
    sampler_seed(&self->sampler, __atomic_load_n(&state->seed, __ATOMIC_RELAXED),
                 __atomic_fetch_add(&state->serial, 1, __ATOMIC_RELAXED));
    return self;
}

void engine_give_back_state(struct heaptap_engine *engine, struct heaptap_thread_state *self)
{
    tracked_discard_queue(engine, self);
    tracked_share_spares(engine->state, self);
    self->depth = 0;
    __atomic_store_n(&self->in_use, 0, __ATOMIC_RELEASE);
}

/* ---- The profile ---------------------------------------------------------------------------- */

/* Copies the engine's profile; false if it changed meanwhile, so that it is not the one of `word`.
 */
static bool read_profile(const struct heaptap_engine_state *state, uint64_t word,
                         struct profile *profile)
{
    copy_pieces(profile, &state->profile, sizeof *profile);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return engine_word(state) / ENGINE_PHASES == word / ENGINE_PHASES;
}

void engine_refresh(struct heaptap_engine *engine, struct heaptap_thread_state *self)
{
    struct heaptap_engine_state *state = engine->state;
    uint64_t word;
    while ((word = engine_word(state)) != self->word) {
        uint64_t phase = word % ENGINE_PHASES, epoch = 0;
        if (phase == ENGINE_SAMPLING || phase == ENGINE_STOPPING) {
            struct profile profile;
            if (!read_profile(state, word, &profile))
                continue;
            self->profile = profile;
            epoch = word / ENGINE_PHASES;
        }
        self->word = word;
        bool other = self->epoch != epoch;
        self->epoch = epoch;
        if (other)
            tracked_discard_queue(engine, self);
        self->sampling = phase == ENGINE_SAMPLING && self->profile.rate > 0;
        if (self->sampling)
            engine_take_rate(state, self);
    }
}

void engine_take_rate(const struct heaptap_engine_state *state, struct heaptap_thread_state *self)
{
    self->halvings = __atomic_load_n(&state->halvings, __ATOMIC_ACQUIRE);
    sampler_set_rate(&self->sampler, coin_rate(self->profile.rate, self->halvings));
    self->remaining = sampler_gap(&self->sampler);
}

/* ---- Visits --------------------------------------------------------------------------------- */

bool engine_is_inside(const struct heaptap_thread *thread)
{
    return thread->state && thread->state != THREAD_RETIRED && thread->state->depth > 0;
}

/* The state of a thread that comes in for the first time, or after it was retired. */
static struct heaptap_thread_state *meet(struct heaptap_engine *engine,
                                         struct heaptap_thread *thread)
{
    int saved_errno = errno;
    thread->countdown = COUNTDOWN_OFF; /* should the embedder count our own mappings */
    struct heaptap_thread_state *self = engine_acquire_state(engine->state);
    if (self) {
        self->borrowed = thread->state == THREAD_RETIRED;
        self->depth = 1;
        self->saved_errno = saved_errno;
        thread->state = self;
    } else {
        thread->countdown = thread->state == THREAD_RETIRED ? UINT64_MAX : COUNTDOWN_IDLE;
    }
    errno = saved_errno;
    return self;
}

struct heaptap_thread_state *engine_enter(struct heaptap_engine *engine,
                                          struct heaptap_thread *thread)
{
    struct heaptap_thread_state *self = thread->state;
    if (!engine->state) {
        thread->countdown = COUNTDOWN_IDLE;
        return NULL;
    }
    if (!self || self == THREAD_RETIRED) {
        self = meet(engine, thread);
        if (!self)
            return NULL;
    } else if (self->depth > 0) {
        return NULL;
    } else {
        self->depth = 1;
        __atomic_signal_fence(__ATOMIC_SEQ_CST); /* from here on a signal handler stays outside */
        self->saved_errno = errno;
        if (thread->countdown <= COUNTDOWN_SAMPLING)
            self->remaining += thread->countdown;
    }
    thread->countdown = COUNTDOWN_OFF;
    engine_refresh(engine, self);
    return self;
}

/* Outside again: as many words as may go by before the thread must look whether something changed.
 */
static void arm(struct heaptap_thread *thread, struct heaptap_thread_state *self)
{
    uint64_t countdown = COUNTDOWN_IDLE;
    if (self->sampling)
        countdown = self->remaining < COUNTDOWN_SAMPLING ? self->remaining : COUNTDOWN_SAMPLING;
    self->remaining = self->sampling ? self->remaining - countdown : 0;
    thread->countdown = countdown;
}

void engine_leave(struct heaptap_engine *engine, struct heaptap_thread *thread,
                  struct heaptap_thread_state *self)
{
    if (!engine->state->options.postpone && !self->collecting) {
        if (self->queue)
            tracked_run_queue(engine, thread, self);
        tracked_run_shared(engine, thread, self);
    }
    if (self->sampling &&
        self->halvings != __atomic_load_n(&engine->state->halvings, __ATOMIC_RELAXED))
        engine_take_rate(engine->state, self);
    int saved_errno = self->saved_errno;
    if (self->borrowed) {
        thread->countdown = UINT64_MAX;
        thread->state = THREAD_RETIRED;
        engine_give_back_state(engine, self);
    } else {
        arm(thread, self);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        self->depth = 0;
    }
    errno = saved_errno;
}

void heaptap_thread_suspend(struct heaptap_engine *engine, struct heaptap_thread *thread)
{
    if (!engine || !thread)
        return;
    if (engine_is_inside(thread))
        thread->state->depth++;
    else if (thread->state != THREAD_RETIRED)
        engine_enter(engine, thread);
}

void heaptap_thread_resume(struct heaptap_engine *engine, struct heaptap_thread *thread)
{
    if (!engine || !thread)
        return;
    if (!engine_is_inside(thread))
        return;
    if (thread->state->depth > 1) {
        thread->state->depth--;
        return;
    }
    thread->state->saved_errno = errno;
    engine_leave(engine, thread, thread->state);
}

void heaptap_thread_rearm(struct heaptap_thread *thread)
{
    if (!thread)
        return;
    if (thread->state == THREAD_RETIRED || engine_is_inside(thread))
        return;
    if (thread->state)
        thread->state->remaining += thread->countdown;
    thread->countdown = 0;
}

void heaptap_thread_retire(struct heaptap_engine *engine, struct heaptap_thread *thread)
{
    if (!engine || !thread)
        return;
    struct heaptap_thread_state *self = thread->state;
    if (self == THREAD_RETIRED)
        return;
    if (self && self->collecting) {
        self->depth = 0; /* however deep it was suspended */
        heaptap_thread_gc_end(engine, thread);
    }
    thread->state = THREAD_RETIRED;
    thread->countdown = UINT64_MAX;
    if (self && engine->state)
        engine_give_back_state(engine, self);
}

/* ---- Callbacks later ------------------------------------------------------------------------ */

void heaptap_thread_run_pending(struct heaptap_engine *engine, struct heaptap_thread *thread)
{
    if (!engine || !thread)
        return;
    struct heaptap_thread_state *self = engine_enter(engine, thread);
    if (!self)
        return;
    if (!self->collecting) {
        tracked_run_queue(engine, thread, self);
        tracked_run_shared(engine, thread, self);
    }
    engine_leave(engine, thread, self);
}

bool heaptap_thread_has_pending(const struct heaptap_engine *engine,
                                const struct heaptap_thread *thread)
{
    if (!engine || !thread)
        return false;
    const struct heaptap_thread_state *self = thread->state;
    if (!engine->state)
        return false;
    return (self && self != THREAD_RETIRED && self->queue) ||
           __atomic_load_n(&engine->state->shared, __ATOMIC_RELAXED);
}
