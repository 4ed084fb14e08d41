/* The session: Gc.Memprof's callbacks, written straight into a trace file.
 *
 * Gc.Memprof calls a closure of OCaml, which calls one of the functions below, which writes the
 * event and returns.  For an allocation or a promotion it returns `Some id`, and that block is
 * static: one for each domain, which the runtime reads before anything else can happen in the
 * domain.  `None` is rare and means that something is to be said: the session is over, or it
 * failed, and the closure asks which (heaptap_ocaml_session_trouble).
 *
 * A domain of OCaml 5 finds what is its own by the runtime's index of it.  An index is given to
 * another domain only after the first has ended: then its stream is flushed and a new one begun.
 *
 * Stopping from one domain, while others are in callbacks: `active` is cleared first, and the
 * caller (memprof_tracer.ml) then has all domains meet in a minor collection.  No domain is inside
 * these functions while it waits there, and whoever comes after sees that the session is over.  So
 * the streams can be flushed and freed, without a lock on an event's way. */
#include "tracer.h"

#include <caml/alloc.h>
#include <caml/backtrace_prim.h>
#include <caml/domain.h>
#include <caml/fail.h>
#include <caml/gc_ctrl.h>
#include <caml/memory.h>
#include <caml/minor_gc.h>
#include <caml/version.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "engine/sampler.h"
#include "record/clock.h"

/* The way of an event is compiled as one. */
#include "trace/write/domain.c"
#include "trace/write/stack_encoder.c"

#if OCAML_VERSION >= 50000
enum { DOMAINS = 4096 }; /* alive at a time; the runtime's own limit */
static inline int domain_index(void)
{
    return Caml_state->id;
}
static inline intnat domain_id(void)
{
    return Caml_state->unique_id;
}
static inline uintnat minor_collections(void)
{
    return atomic_load_explicit(&caml_minor_collections_count, memory_order_relaxed);
}
#else
enum { DOMAINS = 1 };
static inline int domain_index(void)
{
    return 0;
}
static inline intnat domain_id(void)
{
    return 0;
}
static inline uintnat minor_collections(void)
{
    return (uintnat)caml_stat_minor_collections;
}
#endif

enum { NUMBERS = 1 << 16, WORD_BYTES = sizeof(value), EXTERNAL_SEED = 0x68656170 };

/* What a domain has of its own. */
struct tap {
    struct heaptap_domain *domain; /* that of `stream` */
    intnat domain_id;              /* OCaml's number of the domain */
    struct clock_base clock;
    uint32_t burst_left;       /* so many promotions and ends may have the last event's time */
    uint32_t dense_left;       /* so many allocations may have the last event's time */
    int64_t dense_us;          /* when the clock was last read for an allocation */
    uintnat burst_collections; /* ... while there were so many minor collections */
    value some_header;         /* with `id`, the block `Some id` that a callback returns */
    value id;
    struct trace_stream *stream; /* the session's own, or the caller's writer */
    intnat external_left;        /* bytes until the next sample of External.alloc; 0 or less: now */
    struct sampler external;
};

static struct {
    struct trace_file *file;
    struct trace_stream *first; /* the caller's: of the domain that started */
    double rate;
    value number;                           /* counts sessions */
    _Atomic int trouble;                    /* errno to report; -1: this is a forked child */
    _Atomic uint64_t numbers[NUMBERS / 64]; /* of domains in the trace: which are given */
} session;

static _Atomic value active = Val_long(0); /* the number of the session that runs, or 0 */
static struct tap *taps[DOMAINS];

/* ---- Streams ------------------------------------------------------------------------ */

static bool number_take(size_t number)
{
    uint64_t bit = UINT64_C(1) << (number % 64);
    return !(atomic_fetch_or(&session.numbers[number / 64], bit) & bit);
}

/* A number of its own for each domain, OCaml's where that is free; -1: all are given. */
static long number_for(intnat id)
{
    if (id < NUMBERS && number_take((size_t)id))
        return (long)id;
    for (size_t number = NUMBERS; number-- > 0;)
        if (number_take(number))
            return (long)number;
    return -1;
}

static void fail(int code)
{
    int none = 0;
    atomic_compare_exchange_strong(&session.trouble, &none, code);
    atomic_store(&active, Val_long(0));
}

void session_file_failed(struct trace_file *file)
{
    if (file == session.file && atomic_load(&active) != Val_long(0))
        fail(atomic_load(&file->code));
}

static void tap_attach(struct tap *tap, struct trace_stream *stream)
{
    tap->stream = stream;
    tap->domain = stream->domain;
}

/* A tap stays where it is till the process ends, as a callback may be about to return its block. */
static struct tap *tap_new(void)
{
    struct tap *tap = calloc(1, sizeof *tap);
    if (tap)
        tap->some_header = (value)Caml_out_of_heap_header(1, 0);
    return tap;
}

static void tap_reset(struct tap *tap)
{
    tap->dense_left = tap->burst_left = 0;
    tap->clock = (struct clock_base){.last_us = session.file->start_us};
    sampler_seed(&tap->external, EXTERNAL_SEED, (uint64_t)domain_id());
    sampler_set_rate(&tap->external, session.rate);
    tap->external_left = (intnat)(sampler_gap(&tap->external) + 1) * WORD_BYTES;
}

static struct trace_stream *stream_open(int *code)
{
    long number = number_for(domain_id());
    *code = EMFILE;
    return number < 0 ? NULL : trace_stream_new(session.file, (uint16_t)number, code);
}

/* The tap of a domain without one, or with that of a domain which has ended.  Where numbers have
 * run out, the stream of that one goes on. */
static __attribute__((noinline, cold)) struct tap *tap_open(void)
{
    int code;
    struct tap *tap = taps[domain_index()];
    if (!tap && !(tap = taps[domain_index()] = tap_new())) {
        fail(ENOMEM);
        return NULL;
    }
    struct trace_stream *stream = stream_open(&code), *old = tap->stream;
    if (!stream && !old) {
        fail(code);
        return NULL;
    }
    if (!old)
        tap_reset(tap);
    if (stream)
        tap_attach(tap, stream);
    if (stream && old && old != session.first)
        trace_stream_free(old);
    tap->domain_id = domain_id();
    return tap;
}

/* The calling domain's tap, while session `number` runs; else NULL. */
static inline struct tap *tap_here(value number)
{
    if (__builtin_expect(atomic_load_explicit(&active, memory_order_relaxed) != number, 0))
        return NULL;
    struct tap *tap = taps[domain_index()];
    if (__builtin_expect(tap && tap->domain_id == domain_id(), 1))
        return tap;
    return tap_open();
}

/* ---- Callbacks: [@@noalloc] --------------------------------------------------------- */

#define AS_ONE __attribute__((flatten))

static const value none = Val_long(0);

static inline value some(struct tap *tap, uint64_t id)
{
    tap->id = Val_long(id);
    return (value)&tap->id;
}

/* In the order of Gc.Memprof.allocation. */
enum { SAMPLES, SIZE, SOURCE, CALLSTACK };

/* After a collection come the promotions and ends that it found, one right after another.  Reading
 * the clock costs as much as writing one of them, so it is read for every 64th only; but always
 * where an allocation or another collection has come in between. */
enum { BURST = 64 };

static inline int64_t time_in_burst(struct tap *tap)
{
    if (tap->burst_left > 0 && tap->burst_collections == minor_collections()) {
        tap->burst_left--;
        return tap->clock.last_us;
    }
    tap->burst_left = BURST - 1;
    tap->burst_collections = minor_collections();
    return clock_thread_now(&tap->clock);
}

/* While allocations come at less than 2 us each, the clock is read for every fourth. */
enum { DENSE = 4, DENSE_US = 2 * DENSE };

static inline int64_t time_of_allocation(struct tap *tap)
{
    tap->burst_left = 0;
    if (tap->dense_left > 0) {
        tap->dense_left--;
        return tap->clock.last_us;
    }
    int64_t now = clock_thread_now(&tap->clock);
    tap->dense_left = now - tap->dense_us < DENSE_US ? DENSE - 1 : 0;
    tap->dense_us = now;
    return now;
}

static inline value allocated(value number, value info, enum heaptap_source source)
{
    struct tap *tap = tap_here(number);
    if (__builtin_expect(!tap, 0))
        return none;
    value callstack = Field(info, CALLSTACK);
    const struct heaptap_allocation allocation = {
        .source = source,
        .length = (uint64_t)Long_val(Field(info, SIZE)),
        .samples = (uint64_t)Long_val(Field(info, SAMPLES)),
        .stack = callstack_codes(callstack),
        .stack_length = (uint32_t)Wosize_val(callstack),
        .direction = HEAPTAP_SITE_FIRST,
        .shared = HEAPTAP_SHARED_UNKNOWN,
    };
    return some(tap, heaptap_domain_alloc(tap->domain, time_of_allocation(tap), &allocation));
}

AS_ONE value heaptap_ocaml_alloc_minor(value number, value info)
{
    return allocated(number, info, HEAPTAP_MINOR);
}

AS_ONE value heaptap_ocaml_alloc_major(value number, value info)
{
    return allocated(number, info, HEAPTAP_MAJOR);
}

AS_ONE value heaptap_ocaml_promote(value number, value id)
{
    struct tap *tap = tap_here(number);
    if (__builtin_expect(!tap, 0))
        return none;
    heaptap_domain_promote(tap->domain, time_in_burst(tap), (uint64_t)Long_val(id));
    return some(tap, (uint64_t)Long_val(id));
}

AS_ONE value heaptap_ocaml_dealloc(value number, value id)
{
    struct tap *tap = tap_here(number);
    if (tap)
        heaptap_domain_collect(tap->domain, time_in_burst(tap), (uint64_t)Long_val(id));
    return Val_unit;
}

/* ---- Blocks outside the heap -------------------------------------------------------- */

/* Does a block of so many bytes hold a sample?  [@@noalloc] */
value heaptap_ocaml_external_sampled(value bytes)
{
    value number = atomic_load_explicit(&active, memory_order_relaxed);
    struct tap *tap = number == Val_long(0) ? NULL : tap_here(number);
    if (!tap)
        return Val_false;
    tap->external_left -= Long_val(bytes);
    return Val_bool(tap->external_left <= 0);
}

/* The caller's call stack, as a raw backtrace holds it; to be freed by caml_stat_free. */
static value *call_stack(size_t *frames)
{
    value *slots = NULL;
#if OCAML_VERSION >= 50000
    size_t capacity = 0;
    backtrace_slot *collected = NULL;
    *frames = caml_get_callstack(Max_long, &collected, &capacity, -1);
    slots = (value *)collected;
    for (size_t i = 0; i < *frames; i++)
        slots[i] = Val_backtrace_slot(collected[i]);
#else
    intnat capacity = 0;
    *frames = (size_t)caml_collect_current_callstack(&slots, &capacity, Max_long, -1);
#endif
    return slots;
}

/* Records that block.  Not [@@noalloc], as the stack is found by what such calls leave behind; but
 * it allocates nothing on OCaml's heap, so that the tracing does not trace itself.  `dropped` slots
 * of the library are left out.  -1: tracing has ended in between. */
value heaptap_ocaml_external_alloc(value bytes, value dropped)
{
    value number = atomic_load_explicit(&active, memory_order_relaxed);
    struct tap *tap = number == Val_long(0) ? NULL : tap_here(number);
    if (!tap)
        return Val_long(-1);
    uint64_t samples = 0;
    for (; tap->external_left <= 0; samples++)
        tap->external_left += (intnat)(sampler_gap(&tap->external) + 1) * WORD_BYTES;
    if (samples == 0)
        return Val_long(-1);
    size_t frames, skip = (size_t)Long_val(dropped);
    value *slots = call_stack(&frames);
    if (skip > frames)
        skip = frames;
    const struct heaptap_allocation allocation = {
        .source = HEAPTAP_EXTERNAL,
        .length = (uint64_t)(Long_val(bytes) + WORD_BYTES - 1) / WORD_BYTES,
        .samples = samples,
        .stack = (const uint64_t *)slots + skip,
        .stack_length = (uint32_t)(frames - skip),
        .direction = HEAPTAP_SITE_FIRST,
        .shared = HEAPTAP_SHARED_UNKNOWN,
    };
    uint64_t id = heaptap_domain_alloc(tap->domain, time_of_allocation(tap), &allocation);
    caml_stat_free(slots);
    return Val_long(id);
}

/* [@@noalloc] */
value heaptap_ocaml_external_free(value id)
{
    value number = atomic_load_explicit(&active, memory_order_relaxed);
    return number == Val_long(0) ? Val_unit : heaptap_ocaml_dealloc(number, id);
}

/* ---- Beginning and end -------------------------------------------------------------- */

/* The child's copy of the streams holds events that its parent will write. */
static void forked(void)
{
    if (atomic_load(&active) == Val_long(0))
        return;
    atomic_store(&session.file->code, ECHILD);
    fail(-1);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forked);
}

/* start writer rate: prepares a session in which the calling domain writes to `writer`, and returns
 * its number.  No other runs, and its end has been called. */
value heaptap_ocaml_session_start(value writer, value rate)
{
    struct trace_stream *stream = trace_stream_val(writer);
    pthread_once(&once, watch_forks);
    session.file = stream->file;
    session.first = stream;
    session.rate = Double_val(rate);
    session.number = Val_long(Long_val(session.number) + 1);
    atomic_store(&session.trouble, 0);
    for (size_t i = 0; i < NUMBERS / 64; i++)
        atomic_store_explicit(&session.numbers[i], 0, memory_order_relaxed);
    number_take(stream->number);
    struct tap *tap = taps[domain_index()];
    if (!tap && !(tap = taps[domain_index()] = tap_new()))
        caml_raise_out_of_memory();
    tap_reset(tap);
    tap_attach(tap, stream);
    tap->domain_id = domain_id();
    return session.number;
}

/* Events of session `number` are written from now on.  [@@noalloc] */
value heaptap_ocaml_session_open(value number)
{
    atomic_store(&active, number);
    return Val_unit;
}

/* What is wrong with session `number`, told once: an errno, -1 in a forked child, 0 for nothing. */
value heaptap_ocaml_session_trouble(value number)
{
    return Val_int(number == session.number ? atomic_exchange(&session.trouble, 0) : 0);
}

/* No event of session `number` begins any more. */
value heaptap_ocaml_session_close(value number)
{
    value expected = number;
    atomic_compare_exchange_strong(&active, &expected, Val_long(0));
    return Val_unit;
}

/* After every domain has been elsewhere: flushes and frees all streams but the caller's writer. */
value heaptap_ocaml_session_end(value unit)
{
    (void)unit;
    for (int i = 0; i < DOMAINS; i++) {
        struct tap *tap = taps[i];
        if (!tap || !tap->stream)
            continue;
        if (tap->stream != session.first)
            trace_stream_free(tap->stream);
        tap->stream = NULL;
        tap->domain = NULL;
        tap->domain_id = -1;
    }
    session.first = NULL;
    return Val_unit;
}

/* Is no other domain running?  [@@noalloc] */
value heaptap_ocaml_alone(value unit)
{
    (void)unit;
#if OCAML_VERSION >= 50000
    return Val_bool(caml_domain_alone());
#else
    return Val_true;
#endif
}

/* Sets the clock of events, and tells its time. */
value heaptap_ocaml_clock_start(value unit)
{
    (void)unit;
    clock_init();
    return caml_copy_int64(clock_now());
}
