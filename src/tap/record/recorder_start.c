/* The beginning of a recording: its settings, its file, the engine, and what the file says of itself. */
#include "tap/record/recorder.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/path.h"
#include "spec/trace_format.h"
#include "tap/engine/rate.h"
#include "tap/engine/state.h"
#include "tap/inside/clock.h"
#include "tap/inside/environment.h"
#include "tap/inside/interpreter.h"
#include "tap/inside/kernel.h"
#include "tap/inside/memory.h"
#include "tap/inside/name_pattern.h"
#include "tap/inside/notes.h"
#include "tap/inside/own_pages.h"
#include "tap/inside/say.h"
#include "tap/inside/scratch.h"
#include "tap/inside/text.h"
#include "tap/native/modules.h"
#include "tap/native/paths.h"
#include "tap/record/above.h"
#include "tap/record/allocator.h"
#include "tap/record/event.h"
#include "tap/record/fault.h"
#include "tap/record/gate.h"
#include "tap/record/give_way.h"
#include "tap/record/holders.h"
#include "tap/record/profile.h"
#include "tap/record/real.h"
#include "tap/record/recorder_parts.h"
#include "tap/record/requests.h"
#include "tap/record/room.h"
#include "tap/record/stream.h"
#include "tap/trace/stop_room.h"
#include "tap/trace/writer.h"

extern char **environ;

/* ---- The tracker ---------------------------------------------------------------- */

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

/* ---- Starting ------------------------------------------------------------------- */

/* The process is named: there may be many of its program. */
static bool fail(const char *what, const char *why)
{
    char path[PATH_MAX] = "", number[24];
    struct text text;
    bool is_known = paths_program(path);
    text_init(&text, number, sizeof number);
    text_add(&text, " (pid ");
    text_add_number(&text, (uint64_t)kernel_process_id());
    say_loss(is_known ? path_file(path) : "a program", number, "): ", what, ": ", why,
             "; the program runs without being recorded", NULL);
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

static bool name_output(bool fresh, const char *executable)
{
    const char *pattern =
        fresh && !recorder.settings.followed ? recorder.child_pattern : recorder.settings.trace;
    if (!name_pattern_expand(recorder.output.name, sizeof recorder.output.name, pattern, executable,
                             (uint64_t)recorder.pid, recorder.start_us))
        return fail(pattern, "the name is too long");
    recorder.output.only_name = profile_is_asked(recorder.output.name);
    return true;
}

static bool open_writer(const struct heaptap_trace_info *info)
{
    struct heaptap_error error;
    struct heaptap_writer_options options = {
        .sink = output_sink(&recorder.output),
        .describe = describe,
        .max_frames = recorder.settings.callstack_size + 1,
        .any_process = true,
    };
    struct growing_file *file = output_is_in_place(&recorder.output) ? &recorder.output.file : NULL;
    if (writer_new_in_place(&recorder.writer, info, &options, file, output_no_room,
                            &recorder.output, &error) != HEAPTAP_OK)
        return error.system_errno ? fail_to_write(error.system_errno)
                                  : fail(recorder.output.name, error.message);
    return gate_map() || fail(recorder.output.name, "out of memory");
}

bool recorder_open_trace(bool fresh)
{
    char executable[PATH_MAX] = "";
    struct utsname host;
    paths_program(executable);
    uname(&host);
    recorder.pid = getpid();
    clock_init();
    recorder.start_us = clock_now();
    recorder.output.max_bytes = recorder.settings.max_bytes;
    recorder.output.inode = 0; /* no file yet */
    if (!name_output(fresh, executable))
        return false;
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
    return open_writer(&info);
}

enum { PROPERTIES = 7 };

/* What a trace says of how it was recorded. */
struct properties {
    char frames[24], blocks[24], limit[40], recording[24];
    struct heaptap_metadata records[PROPERTIES];
    size_t count;
};

/* Asks the loader and files, which may wait: before a stream is entered. */
static void properties_init(struct properties *properties)
{
    struct text text;
    const struct memory_limit most = memory_limit();
    text_init(&text, properties->recording, sizeof properties->recording);
    text_add_number(&text, notes_listener());
    text_init(&text, properties->frames, sizeof properties->frames);
    text_add_number(&text, recorder.settings.callstack_size);
    text_init(&text, properties->blocks, sizeof properties->blocks);
    text_add_number(&text, recorder.budget.blocks.most_blocks);
    text_init(&text, properties->limit, sizeof properties->limit);
    text_add(&text, most.of);
    text_add(&text, " ");
    text_add_number(&text, most.bytes);
    const char *mode = settings_ask_for_all(&recorder.settings) ? "exact"
                       : recorder.settings.budget               ? "budget"
                                                                : "sampled";
    const struct heaptap_metadata records[PROPERTIES] = {
        {.kind = HEAPTAP_PROPERTY, .name = "producer", .value = HEAPTAP_VERSION},
        {.kind = HEAPTAP_PROPERTY, .name = "allocator", .value = allocator_path()},
        {.kind = HEAPTAP_PROPERTY, .name = "mode", .value = mode},
        {.kind = HEAPTAP_PROPERTY, .name = "callstack-size", .value = properties->frames},
        {.kind = HEAPTAP_PROPERTY, .name = "memory-limit", .value = properties->limit},
        {.kind = HEAPTAP_PROPERTY, .name = "budget", .value = properties->blocks},
        {.kind = HEAPTAP_PROPERTY, .name = RECORDING_PROPERTY, .value = properties->recording},
    };
    const bool applies[PROPERTIES] = {
        true, true, true, true, true, budget_is_on(&recorder.budget), notes_listener() > 0};
    properties->count = 0;
    for (int i = 0; i < PROPERTIES; i++)
        if (applies[i])
            properties->records[properties->count++] = records[i];
}

bool recorder_write_beginning(void)
{
    struct properties properties;
    properties_init(&properties);
    const struct heaptap_metadata holders = {
        .kind = HEAPTAP_PROPERTY, .name = "holders", .value = "asked"};
    const struct heaptap_metadata halvings = {.kind = METADATA_HALVINGS};
    struct stream *stream = record_self.stream = stream_take();
    int code = recorder.profile ? profile_save_first() : 0; /* there is a whole one from now on */
    if (code)
        return fail_to_write(code);
    if (recorder.profile || !stream || !stream_enter(stream))
        return true;
    heaptap_domain_metadata(stream->domain, properties.records, properties.count);
    if (recorder.settings.holders)
        heaptap_domain_metadata(stream->domain, &holders, 1);
    if (budget_is_on(&recorder.budget))
        heaptap_domain_metadata(stream->domain, &halvings, 1);
    const struct heaptap_metadata follows = metadata_stop_mark(STOP_END_FOLLOWS);
    uint8_t *place = NULL;
    if (recorder.output.is_stream)
        heaptap_domain_metadata(stream->domain, &follows, 1);
    else
        place = stop_room_keep(stream->domain);
    code = heaptap_writer_errno(recorder.writer);
    if (code == 0 && !recorder.output.is_stream)
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

void recorder_note_begun(void)
{
    bool is_interval = recorder.settings.every_us > 0;
    if (!notes_wanted())
        return;
    const char *name = is_interval ? "intervals" : recorder.output.name;
    notes_write(is_interval ? NOTE_RECORDING : NOTE_BEGUN, name, strlen(name));
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

bool recorder_start_engine(void)
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

/* Whether this process can be recorded: its malloc is ours, and it has room for the recorder's memory. */
static bool is_recordable(void)
{
    if (!allocator_is_hooked()) {
        say_loss("the malloc of ", allocator_path(),
                 " comes before the recorder's; the program runs without being recorded", NULL);
        allocator_stand_aside();
        return false;
    }
    if (!room_is_enough(settings_ask_for_all(&recorder.settings)))
        return false;
    return own_pages_note(recorder.settings.holders ? OWN_PAGES_MOST : OWN_PAGES_TOLD) ||
           !recorder.settings.holders || fail("starting to record", "out of memory");
}

/* Opens the trace and writes what every one begins with. */
static bool begin_trace(char *const *settings)
{
    unwind_modules_init();
    streams_init();
    if (!name_children() || !recorder_open_trace(recorder.settings.followed))
        return false;
    environment_leave(environ);
    follow_children(settings);
    recorder_set_paused(recorder.settings.paused);
    modules_refresh(recorder.start_us);
    return recorder_write_beginning();
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
    if (!is_recordable() || !begin_trace(settings))
        return false;
    bool exact = settings_ask_for_all(&recorder.settings);
    if (!exact && !init_engine())
        return false;
    if (recorder.settings.toggle_signal)
        watch_signal(recorder.settings.toggle_signal);
    if (recorder.settings.holders)
        holders_begin();
    process_watch();
    if (!(exact ? start_exact() : recorder_start_engine()))
        return false;
    recorder_note_begun();
    give_way_look();
    if (output_is_in_place(&recorder.output))
        fault_watch();
    return true;
}

void recorder_remove_output(void)
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
        recorder_remove_output();
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
    recorder_set_phase(on ? RECORDER_ON : RECORDER_OFF);
    errno = saved_errno;
}
