/* Ends of processes.  A trace that is written in place needs nothing of us to survive; at a clean end
 * its packets are closed, so that others can read it at once.  What can't be written in place is
 * flushed.  exit() runs handlers and destructors, ours among them but seldom the last: from then on
 * every event is written at once.  _exit, _Exit, quick_exit and abort run none, so they are hooked;
 * before a fork all is flushed too, as daemon() ends the parent by libc's own _exit.
 *
 * Children.  A child of fork goes on with a copy of everything, streams that were being written
 * included: nothing of these is used again.  A child of vfork runs in our memory, as our thread:
 * what it allocates is the parent's to free, and is recorded as the parent's; but it must end, or
 * become another program, without a flush.  A child of a bare clone finds the gate (gate.h) wiped.
 */
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tap/inside/clock.h"
#include "tap/inside/confined.h"
#include "tap/record/above.h"
#include "tap/record/holders.h"
#include "tap/record/hook.h"
#include "tap/native/modules.h"
#include "tap/record/real.h"
#include "tap/record/recorder.h"
#include "tap/record/stream.h"

extern char **environ;

/* ---- Threads ------------------------------------------------------------------------ */

static pthread_key_t key;
static bool has_key;

/* libc calls destructors again, up to four times, for values set meanwhile.  Ours lets the others
 * go first: what they free is still recorded in the ordinary way. */
static void thread_ends(void *self)
{
    if (++record_self.end_rounds < PTHREAD_DESTRUCTOR_ITERATIONS &&
        pthread_setspecific(key, self) == 0)
        return;
    struct stream *stream = record_self.stream;
    record_self.retired = true;
    record_self.quick = NULL;
    record_self.stream = NULL;
    heaptap_thread_retire(&recorder.engine, &record_self.engine);
    if (stream && recorder.phase == RECORDER_ON)
        stream_give_back(stream);
}

void process_thread_met(void)
{
    record_self.met = true;
    if (has_key && !confined_on() && syscall(SYS_gettid) != getpid()) {
        recorder_suspend();
        pthread_setspecific(key, &record_self);
        recorder_resume();
    }
}

/* ---- Watching ----------------------------------------------------------------------- */

static __attribute__((destructor)) void ends_soon(void)
{
    struct snapshot_place place;
    SNAPSHOT_PLACE(place);
    holders_at_end(&place);
    recorder_end_soon();
}

void process_watch(void)
{
    has_key = pthread_key_create(&key, thread_ends) == 0;
    pthread_atfork(recorder_flush_forking, NULL, recorder_forked);
    at_quick_exit(ends_soon);
}

static __attribute__((constructor)) void loaded(void)
{
    recorder_wake();
}

/* ---- Ends --------------------------------------------------------------------------- */

HOOK __attribute__((noreturn)) void _exit(int status)
{
    struct snapshot_place place;
    SNAPSHOT_PLACE(place);
    holders_at_end(&place);
    recorder_end();
    real.exit_now(status);
}

HOOK __attribute__((noreturn)) void _Exit(int status)
{
    _exit(status);
}

HOOK __attribute__((noreturn)) void abort(void)
{
    recorder_leave();
    real.abort();
}

HOOK __attribute__((noreturn)) void __assert_fail(const char *assertion, const char *file,
                                                  unsigned line, const char *function)
{
    recorder_leave();
    real.assert_fail(assertion, file, line, function);
}

/* ---- Modules ------------------------------------------------------------------------ */

/* What dlopen loads is noticed when it is met, so dlopen is not hooked: it goes by its return
 * address to know whose library path counts, and would find ours. */
HOOK int dlclose(void *handle)
{
    if (recorder.phase != RECORDER_ON)
        return real.dlclose(handle);
    unwind_modules_closing();
    int result = real.dlclose(handle);
    int saved_errno = errno;
    unwind_modules_changed();
    modules_refresh(clock_now());
    errno = saved_errno;
    return result;
}
