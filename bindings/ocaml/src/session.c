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
 * What the ended one wrote must stand in the file before what others write of its blocks.  Packets that
 * are written in place don't follow each other as they are finished; so the other domains go on in new
 * regions of the file, behind.
 *
 * Stopping from one domain, while others are in callbacks: `active` is cleared first, and the
 * caller (memprof_tracer.ml) then has all domains meet in a minor collection.  No domain is inside
 * these functions while it waits there, and whoever comes after sees that the session is over.  So
 * the streams can be flushed and freed, without a lock on an event's way. */
#include "tap.h"

#include <caml/alloc.h>
#include <caml/fail.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* The way of an event is compiled as one. */
#include "tap/trace/domain.c"
#include "tap/trace/stack_encoder.c"

enum { EXTERNAL_SEED = 0x68656170 };

struct session session;
_Atomic value active = Val_long(0);
_Atomic(struct tap *) taps[DOMAINS];

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

void session_fail(int code)
{
    int none = 0;
    atomic_compare_exchange_strong(&session.trouble, &none, code);
    atomic_store(&active, Val_long(0));
}

void session_file_failed(struct trace_file *file)
{
    if (file == session.file && atomic_load(&active) != Val_long(0))
        session_fail(atomic_load(&file->code));
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

/* The calling domain's; NULL without memory. */
static struct tap *tap_mine(void)
{
    struct tap *tap = taps[domain_index()];
    if (!tap && (tap = tap_new()))
        taps[domain_index()] = tap;
    return tap;
}

static void tap_own(struct tap *tap)
{
    tap->owner = domain_id();
    atomic_exchange(&tap->domain_id, domain_id());
}

static void tap_reset(struct tap *tap)
{
    tap->dense_left = tap->burst_left = 0;
    tap->clock = (struct clock_base){.last_us = session.start_us};
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

/* Behind all that domains which have ended wrote.  Its number first: it may become -1 again meanwhile. */
static void tap_move_on(struct tap *tap)
{
    atomic_exchange(&tap->domain_id, domain_id());
    heaptap_domain_flush(tap->domain);
    if (tap->domain->writer->file)
        regions_leave(tap->domain);
}

/* A stream for the calling domain, in place of that of a domain which has ended.  Where numbers
 * have run out, the stream of that one goes on. */
static bool tap_stream(struct tap *tap)
{
    int code;
    struct trace_stream *stream = stream_open(&code), *old = tap->stream;
    if (!stream && !old) {
        session_fail(code);
        return false;
    }
    if (stream)
        tap_attach(tap, stream);
    else
        tap_move_on(tap);
    if (stream && old && old != session.first)
        trace_stream_free(old);
    return true;
}

/* A way into the profile for whichever domain has this index. */
static bool tap_gatherer(struct tap *tap)
{
    struct heaptap_error error;
    if (tap->gatherer ||
        heaptap_pprof_domain_new(&tap->gatherer, session.profile, &error) == HEAPTAP_OK)
        return true;
    session_fail(ENOMEM);
    return false;
}

__attribute__((noinline, cold)) struct tap *tap_open(void)
{
    struct tap *tap = tap_mine();
    if (!tap) {
        session_fail(ENOMEM);
        return NULL;
    }
    if (tap->domain && tap->owner == domain_id()) {
        tap_move_on(tap);
        return tap;
    }
    if (!tap->stream && !tap->gatherer)
        tap_reset(tap);
    if (!(session.profile ? tap_gatherer(tap) : tap_stream(tap)))
        return NULL;
    tap_own(tap);
    return tap;
}

/* ---- Callbacks: [@@noalloc] --------------------------------------------------------- */

#define AS_ONE __attribute__((flatten))

static inline value some(struct tap *tap, uint64_t id)
{
    tap->id = Val_long(id);
    return (value)&tap->id;
}

/* In the order of Gc.Memprof.allocation. */
enum { SAMPLES, SIZE, SOURCE, CALLSTACK };

static const uint64_t no_stack[] = {CODE_NO_STACK};

static inline value allocated(value number, value info, enum heaptap_source source)
{
    struct tap *tap = tap_here(number);
    if (__builtin_expect(!tap, 0))
        return Val_long(0);
    value callstack = Field(info, CALLSTACK);
    bool has_stack = Wosize_val(callstack) > 0;
    const struct heaptap_allocation allocation = {
        .source = source,
        .length = (uint64_t)Long_val(Field(info, SIZE)),
        .samples = (uint64_t)Long_val(Field(info, SAMPLES)),
        .stack = has_stack ? callstack_codes(callstack) : no_stack,
        .stack_length = has_stack ? (uint32_t)Wosize_val(callstack) : 1,
        .direction = HEAPTAP_SITE_FIRST,
        .shared = HEAPTAP_SHARED_UNKNOWN,
    };
    return some(tap, tap_record(tap, time_of_allocation(tap), &allocation));
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
        return Val_long(0);
    tap_promoted(tap, (uint64_t)Long_val(id));
    return some(tap, (uint64_t)Long_val(id));
}

AS_ONE value heaptap_ocaml_dealloc(value number, value id)
{
    struct tap *tap = tap_here(number);
    if (tap)
        tap_ended(tap, (uint64_t)Long_val(id));
    return Val_unit;
}

/* ---- Beginning and end -------------------------------------------------------------- */

/* The child's copy of the streams holds events that its parent will write. */
static void forked(void)
{
    if (atomic_load(&active) == Val_long(0))
        return;
    if (session.file)
        trace_file_leave_to_parent(session.file);
    if (session.profile)
        profile_leave_to_parent();
    session_fail(-1);
}

#if OCAML_VERSION >= 50000
static void (*next_stop_hook)(void);

static void stream_ends(struct heaptap_domain *domain)
{
    heaptap_domain_flush(domain);
    for (int i = 0; i < DOMAINS && domain->writer->file; i++) {
        struct tap *tap = taps[i];
        if (tap)
            atomic_store(&tap->domain_id, -1);
    }
}

/* The calling domain ends: its threads have, and no callback runs in it any more.  What is left of its
 * blocks goes to other domains, which write their promotions and ends.  Readers that take a file as it
 * stands want the allocations before these. */
static void domain_stops(void)
{
    next_stop_hook();
    struct tap *tap = taps[domain_index()];
    if (atomic_load(&active) != Val_long(0) && tap && tap->domain && tap->owner == domain_id())
        stream_ends(tap->domain);
}

static void watch_domains(void)
{
    next_stop_hook = caml_domain_stop_hook;
    caml_domain_stop_hook = domain_stops;
}
#else
static void watch_domains(void)
{
}
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void watch(void)
{
    pthread_atfork(NULL, NULL, forked);
    watch_domains();
}

static void prepare(double rate, int64_t start_us)
{
    pthread_once(&once, watch);
    session.rate = rate;
    session.start_us = start_us;
    session.number = Val_long(Long_val(session.number) + 1);
    atomic_store(&session.trouble, 0);
    for (size_t i = 0; i < NUMBERS / 64; i++)
        atomic_store_explicit(&session.numbers[i], 0, memory_order_relaxed);
}

/* start writer rate: prepares a session in which the calling domain writes to `writer`, and returns
 * its number.  No other runs, and its end has been called. */
value heaptap_ocaml_session_start(value writer, value rate)
{
    struct trace_stream *stream = trace_stream_val(writer);
    struct tap *tap = tap_mine();
    if (!tap)
        caml_raise_out_of_memory();
    session.profile = NULL;
    session.file = stream->file;
    session.first = stream;
    prepare(Double_val(rate), stream->file->start_us);
    number_take(stream->number);
    tap_reset(tap);
    tap_attach(tap, stream);
    tap_own(tap);
    return session.number;
}

/* The same for a profile. */
value session_gather(struct heaptap_pprof *profile, double rate, int64_t start_us)
{
    session.profile = profile;
    session.file = NULL;
    session.first = NULL;
    prepare(rate, start_us);
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

/* Is this a child, forked while session `number` ran?  [@@noalloc] */
value heaptap_ocaml_session_forked(value number)
{
    return Val_bool(number == session.number && atomic_load(&session.trouble) == -1);
}

/* No event of session `number` begins any more. */
value heaptap_ocaml_session_close(value number)
{
    value expected = number;
    atomic_compare_exchange_strong(&active, &expected, Val_long(0));
    return Val_unit;
}

static void tap_close(struct tap *tap)
{
    if (tap->stream && tap->stream != session.first)
        trace_stream_free(tap->stream);
    heaptap_pprof_domain_free(tap->gatherer);
    tap->stream = NULL;
    tap->domain = NULL;
    tap->gatherer = NULL;
    tap->owner = -1;
    tap->domain_id = -1;
}

/* After every domain has been elsewhere: flushes and frees all streams but the caller's writer. */
value heaptap_ocaml_session_end(value unit)
{
    (void)unit;
    for (int i = 0; i < DOMAINS; i++)
        if (taps[i])
            tap_close(taps[i]);
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
