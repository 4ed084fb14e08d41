/* Memtrace.External: blocks outside of OCaml's heap, sampled like those in it. */
#include "tap.h"

#include <caml/backtrace_prim.h>
#include <caml/memory.h>
#include <caml/minor_gc.h>

#if OCAML_VERSION < 50000
#define Setup_for_gc     /* what is asked of the user of Alloc_small: */
#define Restore_after_gc /* nothing here has to survive a collection */
#endif

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

/* `This id`, a block that Gc.Memprof does not see: the tracing does not trace itself. */
static value this(uint64_t id)
{
    value block;
#if OCAML_VERSION >= 50000
    Alloc_small(block, 1, 0, Alloc_small_enter_GC_no_track);
#else
    Alloc_small_no_track(block, 1, 0);
#endif
    Field(block, 0) = Val_long(id);
    return block;
}

enum { NULL_TOKEN = Val_long(0) };

/* Records that block.  Not [@@noalloc], as the stack is found by what such calls leave behind.
 * `dropped` slots of the library are left out.  Null: tracing has ended in between. */
value heaptap_ocaml_external_alloc(value bytes, value dropped)
{
    value number = atomic_load_explicit(&active, memory_order_relaxed);
    struct tap *tap = number == Val_long(0) ? NULL : tap_here(number);
    if (!tap)
        return NULL_TOKEN;
    uint64_t samples = 0;
    for (; tap->external_left <= 0; samples++)
        tap->external_left += (intnat)(sampler_gap(&tap->external) + 1) * WORD_BYTES;
    if (samples == 0)
        return NULL_TOKEN;
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
    uint64_t id = tap_record(tap, time_of_allocation(tap), &allocation);
    caml_stat_free(slots);
    return this(id);
}

/* [@@noalloc] */
value heaptap_ocaml_external_free(value id)
{
    value number = atomic_load_explicit(&active, memory_order_relaxed);
    struct tap *tap = number == Val_long(0) ? NULL : tap_here(number);
    if (tap)
        tap_ended(tap, (uint64_t)Long_val(id));
    return Val_unit;
}
