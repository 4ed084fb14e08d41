/* Events while an event is being written.  A signal handler that interrupts us may allocate and
 * free.  `inside` tells: such an allocation is not recorded but counted as dropped, such an end is
 * put off until the interrupted event is whole.  Where more ends come than can be put off (a
 * handful), the block's word is put back, and its end is told when the address is used again. */
#include "tap/record/exact.h"

#include "tap/record/event.h"
#include "tap/record/gate.h"
#include "tap/native/modules.h"
#include "tap/record/state.h"

bool exact_init(bool sparse)
{
    return shadow_init(sparse);
}

void exact_clear(void)
{
    shadow_clear();
    record_self.quick = NULL;
    record_self.inside = RECORD_OUTSIDE;
    record_self.deferred_count = 0;
}

static bool enter(void)
{
    if (__builtin_expect(record_self.inside != RECORD_OUTSIDE, 0))
        return false;
    record_self.inside = RECORD_WRITING;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return true;
}

/* Tells what was put off.  More may come while that is done. */
static __attribute__((noinline)) void tell_deferred(void)
{
    uint32_t told = 0;
    do
        while (told < __atomic_load_n(&record_self.deferred_count, __ATOMIC_RELAXED))
            event_end(record_self.deferred[told++] - 1);
    while (!__atomic_compare_exchange_n(&record_self.deferred_count, &(uint32_t){told}, 0, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static void leave(void)
{
    for (;;) {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        record_self.inside = RECORD_OUTSIDE;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (__builtin_expect(record_self.deferred_count == 0, 1))
            return;
        if (!enter())
            return;
        tell_deferred();
    }
}

/* What the recorder itself lets libc allocate is nobody's loss. */
static __attribute__((noinline)) void drop(uint64_t size)
{
    if (record_self.inside != RECORD_OWN)
        __atomic_fetch_add(&recorder.dropped, recorder_trials(size), __ATOMIC_RELAXED);
}

/* Whether there is a place for its id. */
static bool has_place(uint64_t address)
{
    return shadow_place(address) || shadow_is_odd(address) || shadow_make_place(address);
}

void exact_allocated_slowly(uint64_t address, uint64_t size, const struct unwind_start *start)
{
    uint64_t id;
    if (!address)
        return;
    if (!has_place(address) || !enter()) {
        drop(size);
        return;
    }
    uint64_t before = shadow_take(address); /* had an end that nobody told */
    if (__builtin_expect(before != 0, 0))
        event_end(before - 1);
    if (event_alloc(size, recorder_trials(size), start, &id))
        shadow_put(address, id + 1);
    if (record_self.met && !record_self.retired && !recorder.profile)
        record_self.quick = record_self.stream;
    leave();
}

/* ---- The short way ------------------------------------------------------------------ */

/* This thread's stream, entered, or NULL.  Others who close the gate and then make every processor
 * pass a barrier see `busy`, or we see the gate closed (stream.c). */
static inline struct stream *enter_quickly(void)
{
    struct stream *stream = record_self.quick;
    if (__builtin_expect(!stream || record_self.inside | record_self.operator_probe, 0))
        return NULL;
    record_self.inside = RECORD_WRITING;
    __atomic_store_n(&stream->busy, 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (gate_is_open())
        return stream;
    __atomic_store_n(&stream->busy, 0, __ATOMIC_RELEASE);
    record_self.inside = RECORD_OUTSIDE;
    return NULL;
}

/* What is to be done besides events. */
static __attribute__((noinline)) void catch_up(int64_t now_us)
{
    bool lent;
    if (!enter())
        return;
    struct stream *stream = event_enter(&lent);
    if (stream)
        event_leave(stream, lent, now_us);
    leave();
}

static inline void leave_quickly(struct stream *stream, int64_t now_us)
{
    __atomic_store_n(&stream->busy, 0, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    record_self.inside = RECORD_OUTSIDE;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(
            now_us >= stream->deadline_us || record_self.deferred_count || modules_unwritten(), 0))
        catch_up(now_us);
}

bool exact_allocated_quickly(uint64_t address, uint64_t size, const struct unwind_start *start)
{
    struct stream *stream = enter_quickly();
    if (__builtin_expect(!stream, 0))
        return false;
    uint64_t *place = shadow_place(address);
    int64_t now_us = clock_thread_now(&stream->clock);
    uint64_t before = place ? *place : 0; /* of a block whose end nobody told */
    bool can = place && address && (!before || shadow_is_of(before, address));
    if (__builtin_expect(can, 1)) {
        if (__builtin_expect(before != 0, 0))
            heaptap_domain_collect(stream->domain, now_us, shadow_word_of(before) - 1);
        uint64_t id = stream_alloc(stream, now_us, size, recorder_trials(size), start);
        *place = shadow_held(address, id + 1);
    }
    leave_quickly(stream, now_us);
    return can;
}

/* By a signal handler, while this thread writes. */
static __attribute__((noinline)) bool defer(uint64_t word)
{
    uint32_t n = __atomic_fetch_add(&record_self.deferred_count, 1, __ATOMIC_RELAXED);
    if (n >= RECORD_DEFERRED) {
        __atomic_fetch_sub(&record_self.deferred_count, 1, __ATOMIC_RELAXED);
        return false;
    }
    record_self.deferred[n] = word;
    return true;
}

bool exact_ended(uint64_t word)
{
    struct stream *stream = enter_quickly();
    if (__builtin_expect(stream != NULL, 1)) {
        int64_t now_us = clock_thread_now(&stream->clock);
        heaptap_domain_collect(stream->domain, now_us, word - 1);
        leave_quickly(stream, now_us);
        return true;
    }
    if (!enter())
        return defer(word);
    event_end(word - 1);
    leave();
    return true;
}

void exact_restore(uint64_t address, uint64_t word)
{
    if (word)
        shadow_put(address, word);
}

void exact_unended(uint64_t address, uint64_t word)
{
    shadow_put(address, word);
    unwind_modules_unwatched();
}

const uint64_t *exact_word(const void *address)
{
    const uint64_t *place = shadow_place((uint64_t)address);
    return place && shadow_is_of(*place, (uint64_t)address) ? place : NULL;
}
