/* A fork: the child has a recording of its own, or none. */
#include "tap/record/recorder.h"

#include <errno.h>
#include <string.h>

#include "tap/engine/state.h"
#include "tap/inside/confined.h"
#include "tap/inside/kernel.h"
#include "tap/inside/say.h"
#include "tap/inside/scratch.h"
#include "tap/native/modules.h"
#include "tap/record/above.h"
#include "tap/record/gate.h"
#include "tap/record/holders.h"
#include "tap/record/recorder_parts.h"
#include "tap/record/requests.h"
#include "tap/record/stream.h"
#include "tap/record/tests.h"

/* Nothing of the parent's is used again, and none of its memory kept.  False where the fork was made
 * by a signal handler in the middle of an event, which will still be finished: that goes nowhere. */
static bool leave_parents(void)
{
    bool interrupted = streams_interrupted();
    growing_file_leave_to_parent(&recorder.output.file, interrupted);
    streams_forget(interrupted);
    record_self.stream = record_self.quick = NULL;
    if (interrupted)
        return false;
    heaptap_writer_free(recorder.writer);
    recorder.writer = NULL;
    return true;
}

/* The child's blocks begin with the fork: the trace of the parent has those before. */
static bool restart(void)
{
    if (recorder.exact)
        exact_clear();
    recorder_stop_engine();
    gate_reset();
    streams_init();
    requests = 0;
    if (recorder.paused)
        gate_close();
    modules_forget_written();
    if (!recorder_open_trace(true))
        return false;
    if (!recorder_write_beginning())
        return false;
    if (!recorder.exact && !recorder_start_engine())
        return false;
    if (recorder.settings.holders)
        holders_begin();
    recorder_note_begun();
    return true;
}

static void restart_in_scratch(void *on)
{
    bool started = *(bool *)on = restart();
    if (!started)
        recorder_remove_output();
}

void recorder_forked(void)
{
    int saved_errno = errno;
    shell_forked();
    if (recorder.settings.holders)
        holders_forked();
    if (recorder_phase() != RECORDER_ON)
        return;
    tests_forked();
    if (confined_on()) {
        record_self.stream = record_self.quick = NULL;
        gate_close();
        recorder_give_up();
        return;
    }
    recorder_set_phase(RECORDER_STARTING);
    bool is_whole = !engine_is_inside(&record_self.engine);
    heaptap_engine_after_fork_child(&recorder.engine, &record_self.engine);
    is_whole &= leave_parents();
    bool on = is_whole && recorder.settings.follow;
    if (!is_whole && recorder.settings.follow)
        say_loss(
            "a child that a signal handler forked in the middle of an event runs without being recorded",
            NULL);
    if (on)
        scratch_run_or_here(restart_in_scratch, &on);
    recorder_set_phase(on ? RECORDER_ON : RECORDER_OFF);
    if (!on) {
        recorder.exact = false;
        record_self.engine.countdown = UINT64_MAX;
    }
    errno = saved_errno;
}
