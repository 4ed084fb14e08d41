/* What the recorder keeps for each thread, in initial-exec thread-local storage: reached by one
 * addition to the thread pointer, never allocated, never destroyed before the thread is. */
#ifndef TAP_RECORD_SELF_H
#define TAP_RECORD_SELF_H

#include <stdbool.h>
#include <stdint.h>

#include "heaptap/engine.h"
#include "tap/native/modules.h"

struct stream;

/* While an operator new is tried (operators.c): whether malloc's hooks are reached from within. */
enum operator_probe { PROBE_NONE, PROBE_UNDER_WAY, PROBE_REACHED };

/* Whether an exact recording's event of this thread is under way. */
enum record_inside {
    RECORD_OUTSIDE,
    RECORD_WRITING,
    RECORD_OWN, /* the recorder calls what allocates */
};

enum { RECORD_DEFERRED = 8 };

struct record_self {
    struct heaptap_thread engine; /* first: the engine hands its address to the callbacks */
    struct stream *stream;        /* NULL: none yet, or none any more */
    struct stream *quick;         /* exact recording: the same, once events may go the short way */
    uint64_t seen; /* address of the last block that a hook gave to the recorder (inner.h) */
    bool met;      /* its end will be noticed */
    bool retired;  /* it has come */
    bool finding;  /* in real_find */
    bool starting; /* in recorder_start */
    bool moving;   /* a realloc has forgotten its old block for now */
    uint8_t operator_probe; /* enum operator_probe: where not 0, nothing is recorded */
    uint8_t end_rounds;     /* how often the thread's end was put off */
    uint8_t inside;         /* enum record_inside */
    uint32_t deferred_count;
    uint64_t deferred[RECORD_DEFERRED];    /* ended while an event was being written (exact.c) */
    char function[MODULES_FUNCTION_BYTES]; /* of the location being described */
};

extern __thread struct record_self record_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

#endif
