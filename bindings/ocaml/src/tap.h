/* What the session's files share: what each domain has of its own, and the time of its events. */
#ifndef TAP_H
#define TAP_H

#include "tracer.h"

#include <caml/domain.h>
#include <caml/gc_ctrl.h>
#include <caml/minor_gc.h>
#include <caml/version.h>

#include "tap/engine/sampler.h"
#include "heaptap/pprof.h"
#include "tap/inside/clock.h"

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

enum { NUMBERS = 1 << 16, WORD_BYTES = sizeof(value) };

/* What a domain has of its own. */
struct tap {
    struct heaptap_domain *domain;         /* that of `stream`; NULL where a profile is gathered */
    struct heaptap_pprof_domain *gatherer; /* into a profile */
    _Atomic intnat domain_id;              /* OCaml's number of the domain; -1: tap_open looks */
    intnat owner;                          /* the same */
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

struct session {
    struct heaptap_pprof *profile; /* to be gathered, or else: */
    struct trace_file *file;
    struct trace_stream *first; /* the caller's: of the domain that started */
    double rate;
    int64_t start_us;
    value number;                           /* counts sessions */
    _Atomic int trouble;                    /* errno to report; -1: this is a forked child */
    _Atomic uint64_t numbers[NUMBERS / 64]; /* of domains in the trace: which are given */
};

extern struct session session;
extern _Atomic value active; /* the number of the session that runs, or 0 */
extern _Atomic(struct tap *) taps[DOMAINS];

/* The errno of what ends the session. */
void session_fail(int code);

/* The tap of a domain that has none yet; NULL where that fails. */
struct tap *tap_open(void);

/* In a forked child. */
void profile_leave_to_parent(void);

/* Writes the profile that is being gathered, where it is time to. */
void profile_save_sometimes(int64_t now_us);

/* The calling domain's tap, while session `number` runs; else NULL. */
static inline struct tap *tap_here(value number)
{
    if (__builtin_expect(atomic_load_explicit(&active, memory_order_relaxed) != number, 0))
        return NULL;
    struct tap *tap = atomic_load_explicit(&taps[domain_index()], memory_order_relaxed);
    if (__builtin_expect(
            tap && atomic_load_explicit(&tap->domain_id, memory_order_relaxed) == domain_id(), 1))
        return tap;
    return tap_open();
}

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

/* Records an allocation, and returns what stands for the block: its id in the trace, or what the
 * profile calls it. */
static inline uint64_t tap_record(struct tap *tap, int64_t time_us,
                                  const struct heaptap_allocation *allocation)
{
    if (__builtin_expect(!tap->domain, 0)) {
        const struct heaptap_allocation copy = *allocation; /* the other one stays in registers */
        profile_save_sometimes(time_us);
        return heaptap_pprof_alloc(tap->gatherer, time_us, &copy);
    }
    return heaptap_domain_alloc(tap->domain, time_us, allocation);
}

static inline void tap_promoted(struct tap *tap, uint64_t block)
{
    if (__builtin_expect(!tap->domain, 0))
        heaptap_pprof_promote(session.profile, block);
    else
        heaptap_domain_promote(tap->domain, time_in_burst(tap), block);
}

static inline void tap_ended(struct tap *tap, uint64_t block)
{
    if (__builtin_expect(!tap->domain, 0))
        heaptap_pprof_collect(session.profile, time_in_burst(tap), block);
    else
        heaptap_domain_collect(tap->domain, time_in_burst(tap), block);
}

#endif
