/* A visit of the slow path: the hook has allocated the block; the engine draws how many samples it
 * holds, notes it in its table, and calls the tracker (recorder_start.c).  The tracker takes the
 * stack and writes the event into the thread's stream; the id that the trace gives the block is the
 * engine's metadata word.  When the block ends, the engine hands that word back.
 *
 * What may not be done there, in the middle of the engine (to end the recording because the file is
 * full, for instance), is asked for by a request, and done on the way out of the hook. */
#include "tap/record/recorder.h"

#include "tap/engine/state.h"
#include "tap/record/above.h"
#include "tap/record/gate.h"
#include "tap/record/holders.h"
#include "tap/record/profile.h"
#include "tap/record/recorder_parts.h"
#include "tap/record/renew.h"
#include "tap/record/requests.h"
#include "tap/record/shadow.h"
#include "tap/record/stream.h"

static __attribute__((noinline)) void serve_requests(void)
{
    uint32_t what = requests_take();
    if (!recorder_is_owner())
        return;
    if (what & REQUEST_TOGGLE) {
        uint32_t times = __atomic_exchange_n(&recorder.toggles, 0, __ATOMIC_RELAXED);
        if (times & 1)
            recorder_set_paused(!__atomic_load_n(&recorder.paused, __ATOMIC_RELAXED));
        if (recorder.profile)
            profile_save_soon();
        else
            recorder_flush();
    }
    if (what & REQUEST_HALVE)
        budget_halve();
    if (what & REQUEST_RENEW)
        renew_blocks();
    if (what & REQUEST_HOLDERS)
        holders_on_request();
    if (what & REQUEST_STOP)
        recorder_stop();
}

__attribute__((noinline)) void recorder_give_up(void)
{
    recorder.exact = false;
    recorder_set_phase(RECORDER_OFF);
    record_self.engine.countdown = UINT64_MAX;
}

static void sample(void *address, uint64_t size, const struct unwind_start *start)
{
    enum { PAUSED_COUNTDOWN = 4096 };
    if (__builtin_expect(record_self.operator_probe, 0)) {
        record_self.operator_probe = PROBE_REACHED;
        return;
    }
    if (__builtin_expect(!record_self.met, 0))
        process_thread_met();
    if (__atomic_load_n(&recorder.paused, __ATOMIC_RELAXED)) {
        record_self.engine.countdown = recorder.exact ? 0 : PAUSED_COUNTDOWN;
        return;
    }
    if (recorder.exact) {
        record_self.engine.countdown = 0;
        exact_allocated_slowly((uint64_t)address, size, start);
        return;
    }
    struct heaptap_block block = {.address = (uint64_t)address,
                                  .words = recorder_trials(size),
                                  .size = size,
                                  .tag = (uint64_t)start};
    heaptap_thread_allocated(&recorder.engine, &record_self.engine, &block);
}

void recorder_allocated(void *address, uint64_t size, const struct unwind_start *start)
{
    record_self.seen = (uint64_t)address;
    if (exact_allocated_quickly((uint64_t)address, size, start))
        return;
    if (__builtin_expect(recorder_phase() != RECORDER_ON, 0)) {
        recorder_wake();
        if (recorder_phase() == RECORDER_OFF)
            record_self.engine.countdown = UINT64_MAX;
        if (recorder_phase() != RECORDER_ON)
            return;
    }
    if (__builtin_expect(!gate_is_there(), 0)) {
        recorder_give_up();
        return;
    }
    sample(address, size, start);
    if (__builtin_expect(__atomic_load_n(&requests, __ATOMIC_RELAXED), 0))
        serve_requests();
}

void recorder_forget(void *block, struct recorder_forgotten *forgotten)
{
    *forgotten = (struct recorder_forgotten){.address = (uint64_t)block};
    if (!recorder.exact)
        heaptap_thread_forget(&recorder.engine, &record_self.engine, (uint64_t)block,
                              &forgotten->sampled);
    else if (recorder_phase() == RECORDER_ON)
        forgotten->word = shadow_take((uint64_t)block);
}

void recorder_forget_keep(struct recorder_forgotten *forgotten)
{
    if (forgotten->word)
        exact_ended(forgotten->word);
    heaptap_thread_forget_keep(&recorder.engine, &record_self.engine, &forgotten->sampled);
}

void recorder_forget_undo(struct recorder_forgotten *forgotten)
{
    exact_restore(forgotten->address, forgotten->word);
    heaptap_thread_forget_undo(&recorder.engine, &record_self.engine, &forgotten->sampled);
}

void recorder_suspend(void)
{
    if (recorder.exact)
        record_self.inside = RECORD_OWN;
    else
        heaptap_thread_suspend(&recorder.engine, &record_self.engine);
}

void recorder_resume(void)
{
    if (recorder.exact)
        record_self.inside = RECORD_OUTSIDE;
    else
        heaptap_thread_resume(&recorder.engine, &record_self.engine);
}
