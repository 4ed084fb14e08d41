/* Before the program's end, snapshots are taken when SIGUSR1 comes, and when one is due by size or time.
 *
 * The last snapshot comes before the first handler of atexit and the first destructor, which take apart what holds blocks: when main
 * returns or exit is called.  Ends that nobody announces (_exit, quick_exit) are hooked elsewhere (process.c); there is one snapshot
 * in any case. */
#include "tap/record/holders.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "tap/holders/scan.h"
#include "tap/inside/clock.h"
#include "tap/inside/kernel.h"
#include "tap/inside/pages.h"
#include "tap/inside/say.h"
#include "tap/inside/text.h"
#include "spec/holders_dump.h"
#include "tap/engine/each.h"
#include "tap/record/allocator.h"
#include "tap/record/holders_due.h"
#include "tap/record/hook.h"
#include "tap/record/real.h"
#include "tap/record/recorder.h"
#include "tap/record/shadow.h"
#include "tap/record/thread_layout.h"
#include "tap/record/wrapper.h"
#include "tap/unwind/unwind.h"

enum { SNAPSHOTS_MOST = 100, NUMBER_BYTES = 12 };

static struct {
    uint32_t has_ended; /* atomic; the last one has been */
    uint32_t busy;      /* atomic; a thread is taking one: what follows is that thread's */
    bool is_possible;   /* malloc is glibc's */
    bool is_forked;     /* this process is a child of the program that began to record */
    uint32_t count;     /* before the last */
    struct thread_layout layout;
    struct snapshot last; /* of these; its copy may still be looking */
    char path[PATH_MAX + sizeof HOLDERS_DUMP_SUFFIX + NUMBER_BYTES];
} taken;

static bool is_asked(void)
{
    return __atomic_load_n(&recorder.phase, __ATOMIC_ACQUIRE) == RECORDER_ON &&
           recorder.settings.holders && !recorder.profile && recorder_is_owner();
}

/* ---- Blocks -------------------------------------------------------------------------- */

struct telling {
    holders_tell_block *tell;
    void *context;
};

static void tell_sampled(void *context, uint64_t address, void *metadata)
{
    const struct telling *telling = context;
    telling->tell(telling->context, address, recorder_id_of(metadata));
}

static void each_block(holders_tell_block *tell, void *context)
{
    struct telling telling = {tell, context};
    if (recorder.exact)
        shadow_each(tell, context);
    else
        engine_each(&recorder.engine, tell_sampled, &telling);
}

/* ---- Frames -------------------------------------------------------------------------- */

/* Where this library's code lies: the linker gives it these names. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

static bool is_own_code(uint64_t address)
{
    return address - (uint64_t)__ehdr_start < (uint64_t)(etext - __ehdr_start);
}

/* The copy's own, so that no thread's is disturbed.  What lies in a frame of ours (main_with_holders, exit) is the program's, saved there:
 * it counts as its neighbour's. */
static uint32_t find_frames(const struct unwind_start *start, struct snapshot_frame *frames,
                            uint32_t most)
{
    static struct unwind_thread *thread;
    struct unwind_place places[most];
    struct unwind_stack stack;
    if (!thread) {
        void *memory = pages_map(unwind_thread_size(most));
        thread = memory ? unwind_thread_init(memory, most) : NULL;
    }
    if (!thread)
        return 0;
    unwind_thread_forget(thread);
    unwind_capture(thread, start, &stack);
    uint32_t count = unwind_places(thread, places, most), kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!is_own_code(places[i].pc))
            frames[kept++] = (struct snapshot_frame){places[i].slot, places[i].pc};
    return kept;
}

/* Where a signal has interrupted. */
static struct unwind_start start_of(const ucontext_t *context)
{
#ifdef __x86_64__
    const greg_t *registers = context->uc_mcontext.gregs;
    return (struct unwind_start){.pc = (uint64_t)registers[REG_RIP] + 1,
                                 .sp = (uint64_t)registers[REG_RSP],
                                 .fp = (uint64_t)registers[REG_RBP]};
#else
    return (struct unwind_start){0};
#endif
}

/* ---- Taking -------------------------------------------------------------------------- */

/* The path of a snapshot's file: of the last one for 0, else of the one with that number. */
static const char *path_of(uint32_t number)
{
    struct text text;
    text_init(&text, taken.path, sizeof taken.path);
    text_add(&text, recorder.output.name);
    text_add(&text, HOLDERS_DUMP_SUFFIX);
    if (number > 0) {
        text_add(&text, ".");
        text_add_number(&text, number);
    }
    return taken.path;
}

static bool take(struct snapshot *snapshot, const struct snapshot_place *place,
                 enum holders_cause cause, uint32_t number)
{
    struct snapshot_options options = {
        .look = scan_run,
        .path = path_of(number),
        .cause = cause,
        .time_us = (uint64_t)(clock_now() - recorder.start_us),
        .is_sampled = !recorder.exact,
        .each_block = each_block,
        .place = *place,
        .find_frames = find_frames,
        .self_offset = (int64_t)((char *)&record_self - (char *)__builtin_thread_pointer()),
        .self_bytes = sizeof record_self,
        .layout = taken.layout,
    };
    if (!taken.is_possible) {
        say("no snapshot of what holds memory was taken: the program's malloc is not glibc's",
            NULL);
        return false;
    }
    return snapshot_take(snapshot, &options);
}

/* What an earlier program left under the next name would be taken for this one's. */
static void remove_stale(uint32_t number)
{
    kernel_unlink(path_of(number));
}

static bool may_take_another(void)
{
    if (taken.count == SNAPSHOTS_MOST)
        say("no more snapshots of what holds memory are taken than 100 and the last", NULL);
    taken.count += taken.count == SNAPSHOTS_MOST; /* that is said once */
    return taken.count < SNAPSHOTS_MOST;
}

/* One before the last.  False where the copy of the one before is still at it, which takes memory. */
static bool take_early(const struct snapshot_place *place, enum holders_cause cause)
{
    if (!is_asked() || __atomic_load_n(&taken.has_ended, __ATOMIC_RELAXED))
        return true;
    if (__atomic_exchange_n(&taken.busy, 1, __ATOMIC_ACQUIRE))
        return false;
    bool can = snapshot_has_ended(&taken.last);
    if (can && may_take_another() && take(&taken.last, place, cause, taken.count + 1))
        remove_stale(++taken.count + 1);
    __atomic_store_n(&taken.busy, 0, __ATOMIC_RELEASE);
    return can;
}

void holders_on_request(void)
{
    struct snapshot_place place;
    SNAPSHOT_PLACE(place);
    if (take_early(&place, holders_due_cause()))
        holders_due_taken();
}

/* Another thread is done with its own in a moment; this one can be below its own handler, and isn't done then. */
SLOW void take_last(const struct snapshot_place *place)
{
    enum { TRIES = 1000 };
    struct snapshot snapshot;
    for (int i = 0; i < TRIES && __atomic_exchange_n(&taken.busy, 1, __ATOMIC_ACQUIRE); i++)
        kernel_yield();
    take(&snapshot, place, HOLDERS_CAUSE_END, 0);
    __atomic_store_n(&taken.busy, 0, __ATOMIC_RELEASE);
}

void holders_at_end(const struct snapshot_place *place)
{
    if (is_asked() && !__atomic_exchange_n(&taken.has_ended, 1, __ATOMIC_RELAXED))
        take_last(place);
}

/* ---- Signals ------------------------------------------------------------------------- */

/* It may come in the middle of anything, and the snapshot is taken at once: its copy waits for no lock, and what the function that was
 * interrupted has half done is at most a block that is about to be recorded, or has just been freed.  What the program has on its
 * stack, and the registers that it was interrupted with, begins with the signal's frame. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    if (!take_early(
            &(struct snapshot_place){.stack = (uint64_t)context, .start = start_of(context)},
            HOLDERS_CAUSE_SIGNAL))
        say("no snapshot of what holds memory was taken: the one before has not ended yet", NULL);
    errno = saved_errno;
}

/* Of a tree of processes only the first is asked: SIGUSR1 may be how it ends others. */
static bool is_first_process(void)
{
    return recorder.settings.followed ? getppid() == recorder.settings.holders_parent
                                      : !taken.is_forked;
}

/* A signal that the program handles or ignores, from its start on or later, is its own. */
static void watch_signal(void)
{
    struct sigaction before,
        action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    if (!is_first_process())
        return;
    if (recorder.settings.toggle_signal == SIGUSR1 || sigaction(SIGUSR1, NULL, &before) != 0 ||
        before.sa_handler != SIG_DFL)
        return;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
}

void holders_forked(void)
{
    struct sigaction now;
    taken.is_forked = true;
    if (sigaction(SIGUSR1, NULL, &now) == 0 && now.sa_sigaction == on_signal)
        signal(SIGUSR1, SIG_DFL);
}

void holders_begin(void)
{
    taken.has_ended = taken.busy = taken.count = 0;
    taken.last.pid = 0;
    taken.is_possible = allocator_is_libc();
    taken.layout = thread_layout_find();
    remove_stale(0);
    remove_stale(1);
    holders_due_begin();
    watch_signal();
}

/* ---- Ends ---------------------------------------------------------------------------- */

typedef int main_function(int argument_count, char **arguments, char **environment);
typedef int start_function(main_function *main, int argument_count, char **arguments,
                           void (*init)(void), void (*fini)(void), void (*loader_fini)(void),
                           void *stack_end);

static main_function *program_main;

SLOW void holders_at_exit(void)
{
    struct snapshot_place place;
    SNAPSHOT_PLACE(place);
    holders_at_end(&place);
}

WRAPPER int main_with_holders(int argument_count, char **arguments, char **environment)
{
    struct snapshot_place place;
    int status = program_main(argument_count, arguments, environment);
    SNAPSHOT_PLACE(place);
    holders_at_end(&place);
    return status;
}

HOOK start_function __libc_start_main;

int __libc_start_main(main_function *main, int argument_count, char **arguments, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
    void *found = real_next("__libc_start_main");
    start_function *next;
    memcpy(&next, &found, sizeof next);
    recorder_wake();
    if (is_asked()) {
        program_main = main;
        main = main_with_holders;
    }
    return next(main, argument_count, arguments, init, fini, loader_fini, stack_end);
}

/* The next exit is jumped to, so that what runs in it has no frame of ours in its stack: a call of what is said not to return would
 * be none that can be jumped to.  On a small stack there is no room to look for it now. */
HOOK void exit_hook(int status) __asm__("exit");

void exit_hook(int status)
{
    holders_at_exit();
    real.exit(status);
}
