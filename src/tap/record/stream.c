/* Who writes to a stream, and when somebody else may.
 *
 * A trace that is written in place needs nobody else for anything to survive; but at a clean end,
 * packets are closed and what no thread has used is given back.
 *
 * A stream is written by its own thread, at each sample, and that must cost next to nothing.  It is
 * flushed by another when the process ends or is about to be replaced.  Both exclude each other
 * like this: the owner stores `busy`, then looks at `held`; the flusher stores `held`, then looks
 * at `busy`.  One of them must see the other, if neither's load overtakes his own store.  The owner
 * pays nothing for that: the flusher has the kernel run a barrier on all processors at which
 * threads of this process run (membarrier), which serves for both.  Where the kernel has no such
 * call, the owner issues a fence.
 *
 * The owner, seeing `held`, takes `busy` back and waits; the flusher waits for `busy` too, but not
 * for long: its thread may be stopped, or be the flushing one. */
#include "tap/record/stream.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tap/inside/kernel.h"
#include "tap/inside/pages.h"
#include "tap/gather/halve.h"
#include "tap/record/gate.h"
#include "tap/record/holders_due.h"
#include "tap/native/modules.h"
#include "tap/record/profile.h"
#include "tap/record/state.h"
#include "tap/record/self.h"
#include "tap/record/wrapper.h"
#include "tap/inside/thread_file.h"
#include "tap/trace/writer.h"

enum {
    MOST_STREAMS = 1 << 16,
    FLUSH_INTERVAL_US = 1000000, /* nothing is kept longer than that if there are further events */
    PATIENCE_US = 200000,        /* of the flusher */
};

enum { HELD_NOT, HELD_FOR_NOW, HELD_FOR_EVER };

static struct stream *all;               /* atomic */
static uint32_t made;                    /* atomic: how many numbers are given out */
static uint32_t held;                    /* atomic */
static const struct record_self *holder; /* atomic: of the thread that holds for now */
static bool each_event;                  /* atomic */
static bool owners_fence;                /* the kernel has no membarrier */

void streams_init(void)
{
    owners_fence = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0;
    if (owners_fence)
        gate_close(); /* for ever: the short way has no fence */
}

void streams_forget(bool interrupted)
{
    struct stream *stream = all;
    all = NULL;
    made = 0;
    held = HELD_NOT;
    holder = NULL;
    each_event = false;
    while (stream && !interrupted) {
        struct stream *next = stream->next;
        if (stream->domain)
            domain_discard(stream->domain);
        pages_unmap(stream, stream->mapped_bytes);
        stream = next;
    }
}

void streams_release(void)
{
    streams_forget(false);
    held = HELD_FOR_EVER;
}

bool streams_interrupted(void)
{
    struct stream *own = record_self.stream;
    return own && __atomic_load_n(&own->busy, __ATOMIC_RELAXED);
}

/* ---- Threads ------------------------------------------------------------------------ */

static void write_thread(struct stream *stream, const char *name)
{
    struct heaptap_metadata record = {.kind = HEAPTAP_THREAD,
                                      .name = name,
                                      .domain = stream->number,
                                      .number = stream->thread_id};
    memmove(stream->thread_name, name, THREAD_NAME_BYTES);
    if (!recorder.profile)
        heaptap_domain_metadata(stream->domain, &record, 1);
}

/* Threads are often named after they have begun, so their names are looked at again. */
static void update_name(struct stream *stream)
{
    char name[THREAD_NAME_BYTES] = "";
    if (confined_on())
        return;
    if ((pid_t)stream->thread_id == (pid_t)syscall(SYS_gettid))
        prctl(PR_GET_NAME, name);
    else
        thread_file_read(stream->thread_id, "/comm", name, sizeof name);
    if (name[0] && strncmp(name, stream->thread_name, THREAD_NAME_BYTES) != 0)
        write_thread(stream, name);
}

static void flushed(struct stream *stream, int64_t now_us)
{
    uint64_t duration_us = recorder.settings.duration_us;
    stream->flushed_us = now_us;
    stream->deadline_us = now_us + FLUSH_INTERVAL_US;
    if (duration_us && stream->deadline_us > recorder.start_us + (int64_t)duration_us)
        stream->deadline_us = recorder.start_us + (int64_t)duration_us;
    if (holders_due_is_asked())
        stream->deadline_us = now_us + HOLDERS_LOOK_US;
}

/* ---- Making and reusing ------------------------------------------------------------- */

static struct stream *unused(void)
{
    struct stream *stream = __atomic_load_n(&all, __ATOMIC_ACQUIRE);
    for (; stream; stream = stream->next) {
        uint32_t free = 0;
        if (__atomic_load_n(&stream->in_use, __ATOMIC_RELAXED) == 0 &&
            __atomic_compare_exchange_n(&stream->in_use, &free, 1, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return stream;
    }
    return NULL;
}

static size_t codes_bytes(uint32_t frames)
{
    return ((frames + 1) * sizeof(uint64_t) + 15) & ~(size_t)15;
}

static struct stream *make(void)
{
    uint32_t frames = recorder.settings.callstack_size;
    uint32_t number = __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
    size_t own = (sizeof(struct stream) + 15) & ~(size_t)15;
    size_t size = own + codes_bytes(frames) + (frames ? unwind_thread_size(frames) : 0);
    if (number >= MOST_STREAMS) {
        __atomic_fetch_sub(&made, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    struct stream *stream = pages_map(size);
    if (!stream)
        return NULL;
    enum heaptap_status status =
        recorder.profile
            ? heaptap_pprof_domain_new(&stream->profile, recorder.profile, NULL)
            : heaptap_domain_new(&stream->domain, recorder.writer, (uint16_t)number, NULL);
    if (status != HEAPTAP_OK) {
        pages_unmap(stream, size);
        return NULL;
    }
    stream->mapped_bytes = size;
    stream->number = (uint16_t)number;
    stream->in_use = 1;
    stream->codes = (uint64_t *)((char *)stream + own);
    stream->codes[0] = HEAPTAP_CODE_TRUNCATED;
    stream->next = __atomic_load_n(&all, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&all, &stream->next, stream, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
    return stream;
}

struct stream *stream_take(void)
{
    int saved_errno = errno;
    uint32_t frames = recorder.settings.callstack_size;
    char name[THREAD_NAME_BYTES] = "";
    struct stream *stream = unused();
    if (!stream)
        stream = make();
    if (stream) {
        char *memory = (char *)stream->codes + codes_bytes(frames);
        stream->unwind = frames ? unwind_thread_init(memory, frames) : NULL;
        if (frames)
            unwind_thread_set_mark(stream->unwind, HEAPTAP_CODE_TRUNCATED);
        stream->truncated = false;
        stream->codes_are = STREAM_ADDRESSES;
        stream->clock.ticks = 0;
        stream->clock.us = 0;
        flushed(stream, clock_now());
        stream->thread_id = confined_on() ? 0 : (uint64_t)syscall(SYS_gettid);
        if (!confined_on())
            prctl(PR_GET_NAME, name);
        if (stream_enter(stream)) {
            write_thread(stream, name);
            stream_leave(stream, stream->flushed_us);
        }
    }
    errno = saved_errno;
    return stream;
}

void stream_give_back(struct stream *stream)
{
    int saved_errno = errno;
    if (stream_enter(stream)) {
        update_name(stream);
        stream_leave(stream, clock_now());
    }
    __atomic_store_n(&stream->in_use, 0, __ATOMIC_RELEASE);
    errno = saved_errno;
}

/* ---- Entering ----------------------------------------------------------------------- */

/* Another thread holds the streams: waits until it lets go; false if it never will, or this one is it: then something in its way out
 * of the process allocates. */
static __attribute__((noinline)) bool wait_for_holder(struct stream *stream)
{
    int saved_errno = errno;
    uint32_t now;
    do {
        __atomic_store_n(&stream->busy, 0, __ATOMIC_RELEASE);
        if (__atomic_load_n(&holder, __ATOMIC_RELAXED) == &record_self)
            return false;
        while ((now = __atomic_load_n(&held, __ATOMIC_ACQUIRE)) == HELD_FOR_NOW)
            kernel_yield();
        if (now == HELD_FOR_EVER)
            break;
        __atomic_store_n(&stream->busy, 1, __ATOMIC_SEQ_CST);
    } while ((now = __atomic_load_n(&held, __ATOMIC_SEQ_CST)) != HELD_NOT);
    errno = saved_errno;
    return now == HELD_NOT;
}

bool stream_enter(struct stream *stream)
{
    __atomic_store_n(&stream->busy, 1, __ATOMIC_RELAXED);
    if (__builtin_expect(owners_fence, 0))
        atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(__atomic_load_n(&held, __ATOMIC_ACQUIRE) != HELD_NOT, 0))
        return wait_for_holder(stream);
    return true;
}

static __attribute__((noinline)) void flush_own(struct stream *stream, int64_t now_us)
{
    if (recorder.profile) {
        stream->flushed_us = now_us;
        profile_save_sometimes(now_us);
        return;
    }
    if (modules_unwritten())
        modules_write(stream->domain, recorder.start_us);
    if (now_us - stream->flushed_us >= FLUSH_INTERVAL_US ||
        __atomic_load_n(&each_event, __ATOMIC_RELAXED)) {
        flushed(stream, now_us);
        if (!output_is_in_place(&recorder.output))
            heaptap_domain_flush(stream->domain);
    }
}

void stream_leave(struct stream *stream, int64_t now_us)
{
    if (__builtin_expect(now_us - stream->flushed_us >= FLUSH_INTERVAL_US || modules_unwritten() ||
                             __atomic_load_n(&each_event, __ATOMIC_RELAXED),
                         0))
        flush_own(stream, now_us);
    __atomic_store_n(&stream->busy, 0, __ATOMIC_RELEASE);
}

/* ---- Events ------------------------------------------------------------------------- */

/* Since modules were unloaded codes are no longer addresses (modules.h); and with holders, main has a caller of ours, which is left
 * out. */
static __attribute__((noinline)) const uint64_t *make_codes(struct stream *stream,
                                                            struct unwind_stack *stack)
{
    enum stream_codes how = modules_codes_are_addresses() ? STREAM_COPIES : STREAM_CODES;
    if (stream->codes_are != how)
        stack->shared = 0;
    stream->codes_are = how;
    if (stack->shared <= stream->wrapper)
        stream->wrapper = UINT32_MAX;
    for (uint32_t i = stack->shared; i < stack->length; i++) {
        uint64_t address = stack->addresses[i];
        if (recorder.settings.holders && wrapper_has(address))
            stream->wrapper = i;
        else
            stream->codes[1 + i - (i > stream->wrapper)] =
                how == STREAM_COPIES ? address : modules_code(address);
    }
    stack->shared -= stack->shared > stream->wrapper;
    stack->length -= stream->wrapper != UINT32_MAX;
    return stream->codes + 1;
}

/* Takes the stack as the writer wants it; the mark of one that has further callers stands before
 * its first frame. */
static inline void take_stack(struct stream *stream, const struct unwind_start *start,
                              struct heaptap_allocation *allocation)
{
    struct unwind_stack stack;
    unwind_capture(stream->unwind, start, &stack);
    const uint64_t *codes =
        __builtin_expect(modules_codes_are_addresses() && !recorder.settings.holders, 1)
            ? stack.addresses
            : make_codes(stream, &stack);
    allocation->shared = stack.shared + stack.truncated;
    if (__builtin_expect(stack.truncated != stream->truncated, 0))
        allocation->shared = 0;
    stream->truncated = stack.truncated;
    allocation->stack = codes - stack.truncated;
    allocation->stack_length = stack.length + stack.truncated;
}

void stream_set_halvings(struct stream *stream, uint32_t halvings)
{
    if (stream->profile)
        pprof_domain_set_halvings(stream->profile, halvings);
    else
        domain_set_id_base(stream->domain, halving_id_base(halvings));
}

uint64_t stream_alloc(struct stream *stream, int64_t now_us, uint64_t size, uint64_t samples,
                      const struct unwind_start *start)
{
    struct heaptap_allocation allocation = {.source = HEAPTAP_MAJOR,
                                            .length = size,
                                            .samples = samples,
                                            .direction = HEAPTAP_CALLER_FIRST};
    if (stream->unwind)
        take_stack(stream, start, &allocation);
    return __builtin_expect(recorder.profile != NULL, 0)
               ? heaptap_pprof_alloc(stream->profile, now_us, &allocation)
               : heaptap_domain_alloc(stream->domain, now_us, &allocation);
}

/* ---- Flushing all ------------------------------------------------------------------- */

/* Takes hold of a stream, unless its thread doesn't let go in time. */
static bool wait_for_owner(const struct stream *stream, int64_t until_us)
{
    while (__atomic_load_n(&stream->busy, __ATOMIC_ACQUIRE)) {
        if (stream == record_self.stream || clock_now() > until_us)
            return false;
        kernel_yield();
    }
    return true;
}

static bool hold(enum streams_then then)
{
    uint32_t not = HELD_NOT;
    int64_t until_us = clock_now() + PATIENCE_US;
    while (!__atomic_compare_exchange_n(&held, &not,
                                        then == STREAMS_CLOSE ? HELD_FOR_EVER : HELD_FOR_NOW, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
        if (not == HELD_FOR_EVER || clock_now() > until_us)
            return false;
        not = HELD_NOT;
        kernel_yield();
    }
    __atomic_store_n(&holder, &record_self, __ATOMIC_RELAXED);
    gate_close();
    if (!owners_fence)
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    return true;
}

/* What a stream has gathered goes out; in place that is its regions' rest. */
static void flush_one(struct stream *stream)
{
    if (__atomic_load_n(&stream->in_use, __ATOMIC_RELAXED))
        update_name(stream);
    modules_write(stream->domain, recorder.start_us);
    if (output_is_in_place(&recorder.output))
        regions_leave(stream->domain);
    else
        heaptap_domain_flush(stream->domain);
}

static void flush_traces(void)
{
    bool all_let_go = true;
    int64_t until_us = clock_now() + PATIENCE_US;
    struct stream *stream = __atomic_load_n(&all, __ATOMIC_ACQUIRE);
    for (; stream; stream = stream->next) {
        if (wait_for_owner(stream, until_us))
            flush_one(stream);
        else
            all_let_go = false;
    }
    if (all_let_go)
        growing_file_trim(&recorder.output.file);
}

static void save_profile(enum streams_then then)
{
    if (then == STREAMS_FORK)
        profile_save_forking();
    else
        profile_save(true);
}

/* A signal handler that allocates would wait for us, and we are its own thread: signals are held. */
void streams_flush(enum streams_then then)
{
    if (confined_on()) {
        if (then == STREAMS_CLOSE &&
            __atomic_exchange_n(&held, HELD_FOR_EVER, __ATOMIC_SEQ_CST) == HELD_NOT)
            gate_close();
        return;
    }
    struct kernel_signals signals;
    int saved_errno = errno;
    bool in_place = output_is_in_place(&recorder.output);
    kernel_hold_signals(&signals);
    if (then == STREAMS_EACH_EVENT && !in_place &&
        !__atomic_exchange_n(&each_event, true, __ATOMIC_RELAXED))
        gate_close();
    if (hold(then)) {
        if (recorder.profile)
            save_profile(then);
        else
            flush_traces();
        if (then != STREAMS_CLOSE && then != STREAMS_END)
            streams_reopen();
    }
    if (then != STREAMS_END)
        kernel_release_signals(&signals);
    errno = saved_errno;
}

void streams_reopen(void)
{
    __atomic_store_n(&holder, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&held, HELD_NOT, __ATOMIC_RELEASE);
    gate_open();
}

/* ---- Without system calls ------------------------------------------------------------ */

enum { SPARE_STREAMS = 8 }; /* for threads that come later */

static void make_spare(void)
{
    struct stream *spare[SPARE_STREAMS];
    for (unsigned i = 0; i < SPARE_STREAMS; i++)
        spare[i] = make();
    for (unsigned i = 0; i < SPARE_STREAMS; i++)
        if (spare[i])
            __atomic_store_n(&spare[i]->in_use, 0, __ATOMIC_RELEASE);
}

/* Whether each thread is outside of its stream, in which it might be calling the kernel. */
static bool all_let_go(void)
{
    bool all_did = true;
    int64_t until_us = clock_now() + PATIENCE_US;
    struct stream *stream = __atomic_load_n(&all, __ATOMIC_ACQUIRE);
    for (; stream && all_did; stream = stream->next)
        all_did = wait_for_owner(stream, until_us);
    return all_did;
}

static bool reserve(struct growing_file *file, uint64_t bytes)
{
    if (!confined_reserve())
        return false;
    growing_file_reserve(file, bytes, true);
    growing_file_seal(file);
    return growing_file_left(file) > 0;
}

bool streams_confine(struct growing_file *file, uint64_t bytes)
{
    struct kernel_signals signals;
    int saved_errno = errno;
    kernel_hold_signals(&signals);
    bool is_held = hold(STREAMS_GO_ON), done = is_held && all_let_go() && reserve(file, bytes);
    if (done) {
        make_spare();
        atomic_store(&heaptap_confined.on, true);
    } else {
        growing_file_unseal(file);
    }
    if (is_held)
        streams_reopen();
    kernel_release_signals(&signals);
    errno = saved_errno;
    return done;
}

void streams_unconfine(struct growing_file *file)
{
    atomic_store(&heaptap_confined.on, false);
    growing_file_unseal(file);
}

bool streams_closed(void)
{
    return __atomic_load_n(&held, __ATOMIC_ACQUIRE) == HELD_FOR_EVER;
}
