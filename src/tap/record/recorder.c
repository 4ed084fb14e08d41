/* A visit of the slow path: the hook has allocated the block; the engine draws how many samples it
 * holds, notes it in its table, and calls the tracker, which is this file.  The tracker takes the
 * stack and writes the event into the thread's stream; the id that the trace gives the block is the
 * engine's metadata word.  When the block ends, the engine hands that word back.
 *
 * What may not be done there, in the middle of the engine (to end the recording because the file is
 * full, for instance), is asked for by a request, and done on the way out of the hook. */
#include "tap/record/recorder.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tap/engine/rate.h"
#include "tap/engine/state.h"
#include "tap/inside/say.h"
#include "tap/inside/clock.h"
#include "tap/inside/confined.h"
#include "tap/inside/environment.h"
#include "tap/inside/interpreter.h"
#include "tap/inside/name_pattern.h"
#include "tap/inside/kernel.h"
#include "tap/inside/notes.h"
#include "tap/inside/own_pages.h"
#include "tap/inside/scratch.h"
#include "tap/gather/keep.h"
#include "tap/record/above.h"
#include "tap/record/allocator.h"
#include "tap/record/event.h"
#include "tap/record/fault.h"
#include "tap/record/gate.h"
#include "tap/record/give_way.h"
#include "tap/record/holders.h"
#include "tap/native/modules.h"
#include "tap/native/paths.h"
#include "tap/record/profile.h"
#include "tap/record/real.h"
#include "tap/record/renew.h"
#include "tap/record/requests.h"
#include "tap/record/room.h"
#include "tap/record/shadow.h"
#include "tap/record/stream.h"
#include "tap/record/tests.h"
#include "tap/inside/text.h"
#include "tap/trace/stop_room.h"
#include "tap/trace/writer.h"

extern char **environ;

static uint32_t phase(void)
{
    return __atomic_load_n(&recorder.phase, __ATOMIC_ACQUIRE);
}

static void set_phase(uint32_t to)
{
    __atomic_store_n(&recorder.phase, to, __ATOMIC_RELEASE);
}

static void set_paused(bool on)
{
    if (__atomic_exchange_n(&recorder.paused, on, __ATOMIC_RELAXED) == on)
        return;
    if (on)
        gate_close();
    else
        gate_open();
}

/* ---- The tracker -------------------------------------------------------------------- */

/* A trace's blocks are known by words of the budget's own then. */
static bool is_budget_of_trace(void)
{
    return budget_is_on(&recorder.budget) && !recorder.profile;
}

/* The engine takes NULL for an end of the tracking, so ids are one higher. */
static void *tell_alloc(void *context, struct heaptap_thread *thread,
                        const struct heaptap_sample *sample)
{
    uint64_t id;
    if (!event_alloc(sample->size, sample->n_samples, (const struct unwind_start *)sample->tag,
                     &id))
        return NULL;
    if (is_budget_of_trace())
        return budget_count(id, engine_halvings(thread), sample->n_samples);
    if (budget_is_on(&recorder.budget))
        budget_count_gathered(engine_halvings(thread), sample->n_samples);
    return (void *)(id + 1);
}

uint64_t recorder_id_of(void *metadata)
{
    return is_budget_of_trace() ? budget_id_of(metadata) : (uint64_t)metadata - 1;
}

static void tell_dealloc(void *context, struct heaptap_thread *thread, void *major)
{
    event_end(recorder_id_of(major));
}

static size_t describe(void *context, uint64_t code, struct heaptap_location *locations, size_t max)
{
    return modules_describe(code, record_self.function, locations, clock_now());
}

/* ---- Starting ----------------------------------------------------------------------- */

static bool fail(const char *what, const char *why)
{
    say(what, ": ", why, "; the program runs without being recorded", NULL);
    return false;
}

/* Of a trace whose beginning can't be written. */
static bool fail_to_write(int code)
{
    bool limited = code == EFBIG && recorder.settings.max_bytes;
    return fail(recorder.output.name,
                limited ? "the size limit leaves no room for it" : say_errno(code));
}

/* Where the trace's rate could not be changed, there is a fixed one. */
static void settle_rate(void)
{
    struct settings *settings = &recorder.settings;
    bool is_profile = recorder.output.only_name;
    if (settings->budget > 0 && !is_profile && !output_is_in_place(&recorder.output)) {
        settings->budget = 0;
        settings->rate = RATE_DEFAULT;
    }
    budget_begin(settings->budget, recorder.start_us, (uint64_t)recorder.pid);
}

static bool open_trace(bool fresh)
{
    char executable[PATH_MAX] = "";
    struct utsname host;
    struct heaptap_error error;
    paths_program(executable);
    uname(&host);
    recorder.pid = getpid();
    clock_init();
    recorder.start_us = clock_now();
    recorder.output.max_bytes = recorder.settings.max_bytes;
    recorder.output.inode = 0; /* no file yet */
    const char *pattern =
        fresh && !recorder.settings.followed ? recorder.child_pattern : recorder.settings.trace;
    if (!name_pattern_expand(recorder.output.name, sizeof recorder.output.name, pattern, executable,
                             (uint64_t)recorder.pid, recorder.start_us))
        return fail(pattern, "the name is too long");
    recorder.output.only_name = profile_is_asked(recorder.output.name);
    int code = output_open(&recorder.output, fresh);
    if (code)
        return fail(recorder.output.name, say_errno(code));
    settle_rate();
    struct heaptap_trace_info info = {
        .version = 3,
        .sample_rate = recorder.settings.rate,
        .word_bits = 8,
        .executable = executable,
        .host = host.nodename,
        .runtime_params = "",
        .context = recorder.settings.context,
        .pid = (uint64_t)recorder.pid,
        .start_us = recorder.start_us,
    };
    if (recorder.output.only_name)
        return (profile_begin(&info) && gate_map()) || fail(recorder.output.name, "out of memory");
    struct heaptap_writer_options options = {
        .sink = output_sink(&recorder.output),
        .describe = describe,
        .max_frames = recorder.settings.callstack_size + 1,
        .any_process = true,
    };
    struct growing_file *file = output_is_in_place(&recorder.output) ? &recorder.output.file : NULL;
    if (writer_new_in_place(&recorder.writer, &info, &options, file, output_no_room,
                            &recorder.output, &error) != HEAPTAP_OK)
        return error.system_errno ? fail_to_write(error.system_errno)
                                  : fail(recorder.output.name, error.message);
    return gate_map() || fail(recorder.output.name, "out of memory");
}

/* False, and that is said, where the file gives no room for it. */
static bool write_beginning(void)
{
    char frames[24], blocks[24];
    struct text text;
    text_init(&text, frames, sizeof frames);
    text_add_number(&text, recorder.settings.callstack_size);
    text_init(&text, blocks, sizeof blocks);
    text_add_number(&text, recorder.budget.blocks.most_blocks);
    const struct heaptap_metadata properties[] = {
        {.kind = HEAPTAP_PROPERTY, .name = "producer", .value = HEAPTAP_VERSION},
        {.kind = HEAPTAP_PROPERTY, .name = "allocator", .value = allocator_path()},
        {.kind = HEAPTAP_PROPERTY,
         .name = "mode",
         .value = settings_ask_for_all(&recorder.settings) ? "exact"
                  : recorder.settings.budget               ? "budget"
                                                           : "sampled"},
        {.kind = HEAPTAP_PROPERTY, .name = "callstack-size", .value = frames},
        {.kind = HEAPTAP_PROPERTY, .name = "budget", .value = blocks},
    };
    const size_t count = sizeof properties / sizeof properties[0] - !budget_is_on(&recorder.budget);
    const struct heaptap_metadata halvings = {.kind = METADATA_HALVINGS};
    struct stream *stream = record_self.stream = stream_take();
    int code = recorder.profile ? profile_save_first() : 0; /* there is a whole one from now on */
    if (code)
        return fail_to_write(code);
    if (recorder.profile || !stream || !stream_enter(stream))
        return true;
    heaptap_domain_metadata(stream->domain, properties, count);
    if (budget_is_on(&recorder.budget))
        heaptap_domain_metadata(stream->domain, &halvings, 1);
    uint8_t *place = stop_room_keep(stream->domain);
    code = heaptap_writer_errno(recorder.writer);
    if (code == 0)
        output_keep_stop_room(&recorder.output, place);
    stream_leave(stream, recorder.start_us);
    bool is_told = atomic_load(&recorder.output.failed) || atomic_load(&recorder.output.full);
    return code == 0 || is_told || fail_to_write(code);
}

static bool start_exact(void)
{
    if (!exact_init(allocator_is_libc()))
        return fail("starting to record", "out of memory");
    if (!recorder.profile) /* whose blocks of one site have one number */
        unwind_modules_watch(exact_word);
    memset(recorder.engine.filter, UINT8_MAX, sizeof recorder.engine.filter);
    recorder.exact = true;
    return true;
}

/* So that heaptap can tell a trace that was removed from a program that made none. */
static void note_begun(void)
{
    char line[PATH_MAX + 2];
    struct text text;
    bool is_interval = recorder.settings.every_us > 0;
    if (!notes_wanted())
        return;
    text_init(&text, line, sizeof line - 1);
    text_add(&text, is_interval ? "intervals" : recorder.output.name);
    *text.at++ = '\n';
    notes_write(is_interval ? NOTE_RECORDING : NOTE_BEGUN, line, (size_t)(text.at - line));
}

static bool init_engine(void)
{
    const struct heaptap_engine_options options = {
        .tell_first = true,
        .expected_tracked = room_expected(4 * recorder.budget.blocks.most_blocks)};
    if (heaptap_engine_init(&recorder.engine, &options, NULL) != HEAPTAP_OK)
        return fail("starting to sample", "out of memory");
    real_arena_tell(); /* the engine has emptied its filter */
    return true;
}

static bool start_engine(void)
{
    const struct heaptap_tracker tracker = {.alloc_major = tell_alloc,
                                            .dealloc_major = tell_dealloc};
    return heaptap_engine_start(&recorder.engine, &record_self.engine, recorder.settings.rate, 0,
                                &tracker, NULL) == HEAPTAP_OK ||
           fail("starting to sample", "out of memory");
}

static void on_signal(int number)
{
    __atomic_fetch_add(&recorder.toggles, 1, __ATOMIC_RELAXED);
    requests_add(REQUEST_TOGGLE);
}

static void watch_signal(int number)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

/* Are the lines of this program recorded, by an adapter that has come along?  A program can be started with another environment. */
static bool is_guest(void)
{
    const char *preload = environment_get(environ, ENVIRONMENT_PRELOAD);
    return recorder.settings.guests && environment_get(environ, GUEST_FOLDER) && preload &&
           strstr(preload, GUEST_LIBRARIES) && interpreter_is_guest();
}

static bool name_children(void)
{
    char folder[PATH_MAX] = "";
    if (recorder.settings.trace[0] != '/')
        paths_folder(folder); /* where there is none, opening the file tells why */
    return name_pattern_of_child(recorder.child_pattern, sizeof recorder.child_pattern, folder,
                                 recorder.settings.trace) ||
           fail(recorder.settings.trace, "the name is too long");
}

static void follow_children(char *const *settings)
{
    static char library[PATH_MAX];
    if (recorder.settings.follow && allocator_own_path(library, sizeof library))
        environment_follow(library, settings, recorder.child_pattern);
}

static bool start(void)
{
    char *const *settings = environment_take(environ);
    notes_init(settings ? environment_get(settings, SETTING_NOTES) : NULL);
    if (!settings || !settings_read(&recorder.settings, settings))
        return false;
    if (is_guest()) {
        if (name_children())
            follow_children(settings);
        return false;
    }
    if (!allocator_is_hooked()) {
        say("the malloc of ", allocator_path(),
            " comes before the recorder's; the program runs without being recorded", NULL);
        allocator_stand_aside();
        return false;
    }
    if (!room_is_enough(settings_ask_for_all(&recorder.settings)))
        return false;
    if (recorder.settings.holders && !own_pages_note())
        return fail("starting to record", "out of memory");
    unwind_modules_init();
    streams_init();
    if (!name_children() || !open_trace(recorder.settings.followed))
        return false;
    environment_leave(environ);
    follow_children(settings);
    set_paused(recorder.settings.paused);
    modules_refresh(recorder.start_us);
    if (!write_beginning())
        return false;
    bool exact = settings_ask_for_all(&recorder.settings);
    if (!exact && !init_engine())
        return false;
    if (recorder.settings.toggle_signal)
        watch_signal(recorder.settings.toggle_signal);
    if (recorder.settings.holders)
        holders_begin();
    process_watch();
    if (!(exact ? start_exact() : start_engine()))
        return false;
    note_begun();
    give_way_look();
    if (output_is_in_place(&recorder.output))
        fault_watch();
    return true;
}

/* What was made for a recording that does not come to be. */
static void remove_output(void)
{
    if (recorder.output.inode == 0)
        return;
    output_remove(&recorder.output);
    profile_remove();
}

static void start_in_scratch(void *on)
{
    bool started = *(bool *)on = start();
    if (!started)
        remove_output();
}

void recorder_wake(void)
{
    uint32_t new = RECORDER_NEW;
    if (!environ || record_self.finding || record_self.starting ||
        !__atomic_compare_exchange_n(&recorder.phase, &new, RECORDER_STARTING, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    int saved_errno = errno;
    bool on = false;
    record_self.starting = true;
    real_find();
    operators_find();
    scratch_run_or_here(start_in_scratch, &on);
    record_self.starting = false;
    set_phase(on ? RECORDER_ON : RECORDER_OFF);
    errno = saved_errno;
}

/* ---- Ending ------------------------------------------------------------------------- */

/* A signal handler that allocates would find the stream half written: signals are held. */
static void write_last(const struct heaptap_metadata *record, int64_t now_us)
{
    struct kernel_signals signals;
    bool lent;
    kernel_hold_signals(&signals);
    struct stream *stream = event_enter(&lent);
    if (stream) {
        heaptap_domain_metadata(stream->domain, record, 1);
        event_leave(stream, lent, now_us);
    }
    kernel_release_signals(&signals);
}

static void write_drops(void)
{
    struct heaptap_metadata drops = {
        .kind = HEAPTAP_DROPS, .name = "no memory", .number = recorder_drops()};
    if (!recorder.profile && drops.number) /* a profile tells them itself */
        write_last(&drops, clock_now());
}

/* When the process ended, which may be long after its last event: what it held is free from then on. */
static void write_ended(void)
{
    int64_t now_us = clock_now();
    struct heaptap_metadata ended = {
        .kind = HEAPTAP_ENDED, .name = "", .number = (uint64_t)(now_us - recorder.start_us)};
    if (!recorder.profile && !confined_on() && !streams_interrupted())
        write_last(&ended, now_us);
}

/* Says in the file why the recording ended, now; with NULL, that it has not. */
static void put_reason(const char *reason)
{
    int64_t time_us = reason ? clock_now() - recorder.start_us : -1;
    if (recorder.profile)
        heaptap_pprof_stop(recorder.profile, reason);
    output_put_stop(&recorder.output, time_us, reason ? reason : STOP_ROOM);
}

/* The file in which it all lies however the process ends; NULL for none. */
static struct growing_file *file_in_place(void)
{
    if (recorder.profile)
        return keep_file(recorder.profile);
    return output_is_in_place(&recorder.output) ? &recorder.output.file : NULL;
}

/* In place it goes on in memory; the trace has no need of a last word then. */
static bool confine_in_place(void)
{
    enum { EXACT_BYTES = 32 << 20, SAMPLED_BYTES = 2 << 20 };
    struct growing_file *file = file_in_place();
    if (!file || !clock_needs_no_kernel())
        return false;
    if (recorder.profile)
        profile_save(true); /* what is gathered from now on, heaptap saves */
    return streams_confine(file, recorder.exact ? EXACT_BYTES : SAMPLED_BYTES);
}

bool recorder_confine_begin(void)
{
    if (phase() != RECORDER_ON || !recorder_is_owner() || confined_on())
        return false;
    if (confine_in_place())
        return true;
    put_reason("the program restricted its own system calls");
    write_drops();
    streams_flush(STREAMS_CLOSE);
    return true;
}

/* What can't go on in memory has ended: its streams stay closed. */
void recorder_confine_end(bool begun, bool confined)
{
    int saved_errno = errno;
    if (confined && (begun || phase() != RECORDER_ON))
        environment_unfollow();
    if (begun && confined_on()) {
        if (!confined)
            streams_unconfine(file_in_place());
    } else if (begun && confined) {
        set_phase(RECORDER_OFF);
    } else if (begun) {
        streams_reopen();
        put_reason(NULL);
    }
    errno = saved_errno;
}

static void flush(enum streams_then then)
{
    if (phase() == RECORDER_ON && !output_is_in_place(&recorder.output) && recorder_is_owner())
        streams_flush(then);
}

void recorder_flush(void)
{
    flush(STREAMS_GO_ON);
}

void recorder_flush_forking(void)
{
    flush(STREAMS_FORK);
}

void recorder_end_soon(void)
{
    if (phase() != RECORDER_ON || !recorder_is_owner())
        return;
    write_drops();
    write_ended();
    streams_flush(STREAMS_EACH_EVENT);
}

void recorder_leave(void)
{
    if (phase() == RECORDER_ON && recorder_is_owner())
        write_ended();
    recorder_flush();
}

void recorder_end(void)
{
    if (phase() != RECORDER_ON || !recorder_is_owner())
        return;
    write_ended();
    streams_flush(STREAMS_END);
}

static void stop_engine(void)
{
    if (!heaptap_engine_started(&recorder.engine))
        return;
    enum heaptap_status ignored = heaptap_engine_stop(&recorder.engine, &record_self.engine, NULL);
    (void)ignored;
}

static const char *why_stopped(void)
{
    if (atomic_load(&recorder.output.full))
        return "the size limit was reached";
    if (recorder.gave_way)
        return "the program needed the memory that recording took";
    if (atomic_load(&recorder.output.failed) && confined_on())
        return "no room kept for after system calls were restricted";
    if (atomic_load(&recorder.output.failed))
        return say_errno(recorder.output.failure);
    return "the time limit was reached";
}

/* Ends the recording while the program goes on. */
static void stop(void)
{
    uint32_t on = RECORDER_ON;
    if (!__atomic_compare_exchange_n(&recorder.phase, &on, RECORDER_OFF, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return;
    const char *reason = why_stopped();
    int64_t time_us = clock_now() - recorder.start_us;
    write_drops();
    if (recorder.profile)
        heaptap_pprof_stop(recorder.profile, reason);
    streams_flush(STREAMS_CLOSE);
    output_put_stop(&recorder.output, time_us, reason);
    recorder.exact = false;
    stop_engine();
    if (atomic_load(&recorder.output.full) || recorder.gave_way)
        say(recorder.settings.every_us ? "intervals" : recorder.output.name, ": ", reason,
            "; the recording ends here", NULL);
}

/* ---- Giving way --------------------------------------------------------------------- */

bool recorder_is_on(void)
{
    return phase() == RECORDER_ON;
}

/* Where that can't be told, it isn't. */
static bool is_only_thread(void)
{
    enum { LINKS = 3 }; /* of a folder with one in it */
    struct stat status;
    return kernel_stat("/proc/self/task", &status) == 0 && status.st_nlink == LINKS;
}

static bool is_at_rest(void)
{
    return record_self.inside == RECORD_OUTSIDE && !record_self.moving && !record_self.starting &&
           !streams_interrupted() && !engine_is_inside(&record_self.engine);
}

static void give_back(void)
{
    shadow_end();
    streams_release();
    record_self.stream = NULL;
    heaptap_engine_release(&recorder.engine);
    record_self.engine = (struct heaptap_thread){.countdown = UINT64_MAX};
    record_self.quick = NULL;
    real_arena_tell();
    growing_file_close(&recorder.output.file);
    heaptap_pprof_free(recorder.profile); /* what is kept stays in its file */
    recorder.profile = NULL;
}

bool recorder_give_way(void)
{
    struct kernel_signals signals;
    if (!recorder_is_on() || !recorder_is_owner() || confined_on() || !is_at_rest() ||
        !is_only_thread())
        return false;
    kernel_hold_signals(&signals);
    recorder.gave_way = true;
    stop();
    give_back();
    kernel_release_signals(&signals);
    return true;
}

/* ---- Hooks -------------------------------------------------------------------------- */

static __attribute__((noinline)) void serve_requests(void)
{
    uint32_t what = requests_take();
    if (!recorder_is_owner())
        return;
    if (what & REQUEST_TOGGLE) {
        uint32_t times = __atomic_exchange_n(&recorder.toggles, 0, __ATOMIC_RELAXED);
        if (times & 1)
            set_paused(!__atomic_load_n(&recorder.paused, __ATOMIC_RELAXED));
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
        stop();
}

/* A forked child that libc was not asked for, so that nobody told us. */
static __attribute__((noinline)) void give_up(void)
{
    recorder.exact = false;
    set_phase(RECORDER_OFF);
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
    if (__builtin_expect(phase() != RECORDER_ON, 0)) {
        recorder_wake();
        if (phase() == RECORDER_OFF)
            record_self.engine.countdown = UINT64_MAX;
        if (phase() != RECORDER_ON)
            return;
    }
    if (__builtin_expect(!gate_is_there(), 0)) {
        give_up();
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
    else if (phase() == RECORDER_ON)
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

/* ---- Fork --------------------------------------------------------------------------- */

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
    stop_engine();
    gate_reset();
    streams_init();
    requests = 0;
    if (recorder.paused)
        gate_close();
    modules_forget_written();
    if (!open_trace(true))
        return false;
    if (!write_beginning())
        return false;
    if (!recorder.exact && !start_engine())
        return false;
    if (recorder.settings.holders)
        holders_begin();
    note_begun();
    return true;
}

static void restart_in_scratch(void *on)
{
    bool started = *(bool *)on = restart();
    if (!started)
        remove_output();
}

void recorder_forked(void)
{
    int saved_errno = errno;
    shell_forked();
    if (recorder.settings.holders)
        holders_forked();
    if (phase() != RECORDER_ON)
        return;
    tests_forked();
    if (confined_on()) {
        record_self.stream = record_self.quick = NULL;
        gate_close();
        give_up();
        return;
    }
    set_phase(RECORDER_STARTING);
    bool is_whole = !engine_is_inside(&record_self.engine);
    heaptap_engine_after_fork_child(&recorder.engine, &record_self.engine);
    is_whole &= leave_parents();
    bool on = is_whole && recorder.settings.follow;
    if (!is_whole && recorder.settings.follow)
        say("a child that a signal handler forked in the middle of an event runs without being recorded",
            NULL);
    if (on)
        scratch_run_or_here(restart_in_scratch, &on);
    set_phase(on ? RECORDER_ON : RECORDER_OFF);
    if (!on) {
        recorder.exact = false;
        record_self.engine.countdown = UINT64_MAX;
    }
    errno = saved_errno;
}
