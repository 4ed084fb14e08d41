/* A program that records itself: the engine's callbacks write into one domain of a trace, one at a time.  They come once a
 * sample, so a lock that is seldom waited for does.  The engine never enters a callback twice on one thread, so nobody waits
 * for himself; and a fork's child, in which the lock may stay taken, doesn't ask for it.  An event is in the file at once
 * (tap/trace/trace_file.h). */
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/utsname.h>

#include "heaptap/native.h"
#include "tap/inside/clock.h"
#include "tap/inside/fail.h"
#include "tap/inside/kernel.h"
#include "tap/inside/pages.h"
#include "tap/native/modules.h"
#include "tap/native/native.h"
#include "tap/native/paths.h"
#include "tap/trace/trace_file.h"

enum { FLUSH_INTERVAL_US = 1000000 };

struct heaptap_native {
    struct heaptap_engine *engine;
    struct heaptap_thread *thread;
    struct heaptap_writer *writer;
    struct heaptap_domain *domain;
    struct modules_told told;
    struct trace_file file;
    int pid;
    int64_t start_us, flushed_us;
    _Atomic bool writing;
    char executable[PATH_MAX];
};

/* ---- Events ----------------------------------------------------------------------------------- */

static bool enter(struct heaptap_native *native)
{
    if (kernel_process_id() != native->pid)
        return false;
    while (atomic_exchange_explicit(&native->writing, true, memory_order_acquire))
        kernel_yield();
    return true;
}

static void leave(struct heaptap_native *native, int64_t now_us)
{
    modules_tell(native->domain, native->start_us, &native->told);
    if (now_us - native->flushed_us >= FLUSH_INTERVAL_US &&
        trace_file_is_of_packets(&native->file)) {
        trace_file_flush(&native->file, native->domain);
        native->flushed_us = now_us;
    }
    atomic_store_explicit(&native->writing, false, memory_order_release);
}

/* The engine takes NULL for an end of the tracking, so ids are one higher. */
static void *allocated(struct heaptap_native *native, const struct heaptap_sample *sample,
                       enum heaptap_source source)
{
    struct heaptap_allocation allocation = {.source = source,
                                            .length = sample->size,
                                            .samples = sample->n_samples,
                                            .stack = sample->stack,
                                            .stack_length = sample->stack_length,
                                            .direction = HEAPTAP_SITE_FIRST,
                                            .shared = HEAPTAP_SHARED_UNKNOWN};
    if (!enter(native))
        return NULL;
    int64_t now_us = clock_now();
    uint64_t id = heaptap_domain_alloc(native->domain, now_us, &allocation);
    leave(native, now_us);
    return (void *)(id + 1);
}

static void *alloc_minor(void *context, struct heaptap_thread *thread,
                         const struct heaptap_sample *sample)
{
    return allocated(context, sample, HEAPTAP_MINOR);
}

static void *alloc_major(void *context, struct heaptap_thread *thread,
                         const struct heaptap_sample *sample)
{
    return allocated(context, sample, HEAPTAP_MAJOR);
}

static void tell(struct heaptap_native *native, void *block,
                 void (*event)(struct heaptap_domain *domain, int64_t time_us, uint64_t id))
{
    if (!enter(native))
        return;
    int64_t now_us = clock_now();
    event(native->domain, now_us, (uint64_t)block - 1);
    leave(native, now_us);
}

static void *promote(void *context, struct heaptap_thread *thread, void *block)
{
    tell(context, block, heaptap_domain_promote);
    return block;
}

static void dealloc(void *context, struct heaptap_thread *thread, void *block)
{
    tell(context, block, heaptap_domain_collect);
}

/* ---- Starting --------------------------------------------------------------------------------- */

/* Told within an event: the disk is full, or the file may not grow. */
static void note_full(void *context, int code)
{
    const struct heaptap_native *native = context;
    trace_file_put_stop(&native->file, clock_now() - native->start_us, code);
}

static enum heaptap_status open_trace(struct heaptap_native *native, const char *path,
                                      const struct heaptap_native_options *options,
                                      struct heaptap_error *error)
{
    struct utsname host;
    int code = trace_file_open(&native->file, path, true);
    if (code)
        return fail_errno(error, HEAPTAP_SYSTEM, code, "the trace can't be made");
    if (uname(&host) != 0)
        host.nodename[0] = 0;
    paths_program(native->executable);
    native->start_us = native->flushed_us = clock_now();
    struct heaptap_trace_info info = {
        .version = 3,
        .sample_rate = options->rate,
        .word_bits = 8,
        .executable = native->executable,
        .host = host.nodename,
        .runtime_params = "",
        .context = options->context,
        .pid = (uint64_t)native->pid,
        .start_us = native->start_us,
    };
    struct heaptap_writer_options how = {.describe = heaptap_native_describe,
                                         .max_frames = options->callstack_size + 1};
    enum heaptap_status status = trace_file_new_writer(&native->file, &native->writer, &info, &how,
                                                       note_full, native, error);
    return status == HEAPTAP_OK ? heaptap_domain_new(&native->domain, native->writer, 0, error)
                                : status;
}

static enum heaptap_status start_engine(struct heaptap_native *native,
                                        const struct heaptap_native_options *options,
                                        struct heaptap_error *error)
{
    const struct heaptap_engine_options how = {
        .capture = heaptap_native_capture, .tell_first = true, .seed = options->seed};
    const struct heaptap_tracker tracker = {.alloc_minor = alloc_minor,
                                            .alloc_major = alloc_major,
                                            .promote = promote,
                                            .dealloc_minor = dealloc,
                                            .dealloc_major = dealloc,
                                            .context = native};
    enum heaptap_status status = heaptap_engine_init(native->engine, &how, error);
    return status == HEAPTAP_OK
               ? heaptap_engine_start(native->engine, native->thread, options->rate,
                                      options->callstack_size, &tracker, error)
               : status;
}

/* All of a recording that there is. */
static void release(struct heaptap_native *native)
{
    heaptap_engine_release(native->engine);
    heaptap_domain_free(native->domain);
    heaptap_writer_free(native->writer);
    trace_file_close(&native->file);
    pages_unmap(native, sizeof *native);
}

/* Reports then look for names. */
static const struct heaptap_metadata unnamed = {
    .kind = HEAPTAP_PROPERTY, .name = "names", .value = "addresses"};

static enum heaptap_status start(struct heaptap_native *native, const char *path,
                                 const struct heaptap_native_options *options,
                                 struct heaptap_error *error)
{
    heaptap_native_refresh();
    enum heaptap_status status = open_trace(native, path, options, error);
    if (status != HEAPTAP_OK)
        return status;
    heaptap_domain_metadata(native->domain, &unnamed, 1);
    int code = trace_file_keep_stop_room(&native->file, native->domain);
    if (code)
        return fail_errno(error, HEAPTAP_SYSTEM, code, "the trace can't be written");
    modules_tell(native->domain, native->start_us, &native->told);
    return start_engine(native, options, error);
}

static struct heaptap_native_options chosen(const struct heaptap_native_options *options)
{
    struct heaptap_native_options own = {0};
    if (options)
        own = *options;
    if (own.rate == 0)
        own.rate = 1;
    if (own.callstack_size - 1 >= HEAPTAP_NATIVE_FRAMES_MAX)
        own.callstack_size = HEAPTAP_NATIVE_FRAMES_MAX;
    if (!own.context)
        own.context = "";
    return own;
}

enum heaptap_status heaptap_native_start(struct heaptap_native **native, const char *path,
                                         const struct heaptap_native_options *options,
                                         struct heaptap_engine *engine,
                                         struct heaptap_thread *thread, struct heaptap_error *error)
{
    const struct heaptap_native_options how = chosen(options);
    if (native)
        *native = NULL;
    if (!native || !path || !engine || !thread)
        return fail(error, HEAPTAP_BAD_ARGUMENT,
                    "a recording needs a path, an engine, a thread and a place for itself");
    if (!(how.rate > 0 && how.rate <= 1))
        return fail(error, HEAPTAP_BAD_ARGUMENT, "the rate must be above 0 and at most 1");
    if (engine->state)
        return fail(error, HEAPTAP_BAD_STATE, "the engine is in use already");
    struct heaptap_native *made = pages_map(sizeof *made);
    if (!made)
        return fail_memory(error);
    made->engine = engine;
    made->thread = thread;
    made->pid = kernel_process_id();
    made->file.fd = -1;
    enum heaptap_status status = start(made, path, &how, error);
    if (status == HEAPTAP_OK)
        *native = made;
    else
        release(made);
    return status;
}

/* ---- Ending ----------------------------------------------------------------------------------- */

static void write_drops(struct heaptap_native *native)
{
    struct heaptap_engine_counts counts;
    heaptap_engine_read_counts(native->engine, &counts);
    const struct heaptap_metadata drops = {
        .kind = HEAPTAP_DROPS, .name = "no memory", .number = counts.dropped_samples};
    if (drops.number)
        heaptap_domain_metadata(native->domain, &drops, 1);
}

enum heaptap_status heaptap_native_stop(struct heaptap_native *native, struct heaptap_error *error)
{
    if (!native)
        return HEAPTAP_OK;
    if (enter(native)) {
        write_drops(native);
        leave(native, clock_now());
    } else {
        trace_file_leave_to_parent(&native->file, true);
    }
    enum heaptap_status status = heaptap_engine_stop(native->engine, native->thread, error);
    heaptap_domain_flush(native->domain);
    int code = native->pid == kernel_process_id() ? heaptap_writer_errno(native->writer) : ECHILD;
    *native->thread = (struct heaptap_thread){0};
    release(native);
    if (status == HEAPTAP_OK && code)
        return fail_errno(error, HEAPTAP_SYSTEM, code, "the trace can't be written");
    return status;
}
