/* The recorder as a whole: whether it is on, and the way of an event from a hook into the trace. */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "heaptap/engine.h"
#include "heaptap/pprof.h"
#include "heaptap/trace.h"
#include "record/exact.h"
#include "record/output.h"
#include "record/self.h"
#include "record/settings.h"
#include "unwind/unwind.h"

enum recorder_phase {
    RECORDER_NEW,      /* nothing has been allocated yet */
    RECORDER_STARTING, /* a thread is at it */
    RECORDER_ON,
    RECORDER_OFF, /* not asked for, ended, or given up */
};

struct recorder {
    struct heaptap_engine engine;  /* first: every free looks at its filter */
    bool exact;                    /* every block is recorded: exact.h instead of the engine */
    uint32_t phase;                /* atomic; enum recorder_phase */
    uint32_t paused;               /* atomic; nothing new is sampled */
    uint32_t requests;             /* atomic; something is to be done outside of the engine */
    uint32_t toggles;              /* atomic; times the signal came that are still to be obeyed */
    pid_t pid;                     /* of the process that records */
    int64_t start_us;              /* of the trace, since the Unix epoch */
    uint64_t dropped;              /* atomic; samples that no stream could take */
    struct heaptap_writer *writer; /* NULL while a profile is written */
    struct heaptap_pprof *profile; /* NULL while a trace is */
    struct settings settings;
    struct output output;
    char child_pattern[PATH_MAX];
};

extern struct recorder recorder;

/* Is told of every block whose hook found the thread's countdown to be over; 0 for an address means
 * that the allocation failed.  The first call starts the recorder. */
void recorder_allocated(void *address, uint64_t size, const struct unwind_start *start);

/* How many trials a block is: its bytes, and one for a block of none, so that it can be seen. */
static inline uint64_t recorder_trials(uint64_t size)
{
    return size + !size;
}

static inline bool recorder_tick(uint64_t size)
{
    return heaptap_thread_tick(&record_self.engine, recorder_trials(size));
}

/* The block ends; to be called before the real function gets it. */
static inline void recorder_freed(void *block)
{
    if (!recorder.exact)
        heaptap_thread_freed(&recorder.engine, &record_self.engine, (uint64_t)block);
    else
        exact_freed((uint64_t)block);
}

/* For realloc, whose old block ends only if the call succeeds, and may be another's when that is
 * known: forget it before; then keep to that, or undo it. */
struct recorder_forgotten {
    struct heaptap_forgotten sampled;
    uint64_t address;
    uint64_t word; /* exact: of the shadow */
};

void recorder_forget(void *block, struct recorder_forgotten *forgotten);
void recorder_forget_keep(struct recorder_forgotten *forgotten);
void recorder_forget_undo(struct recorder_forgotten *forgotten);

/* To be called where the recorder itself calls what allocates: that is not recorded. */
void recorder_suspend(void);
void recorder_resume(void);

/* Samples that could not be recorded so far. */
uint64_t recorder_drops(void);

/* Ends the recording on the way out of the present hook. */
void recorder_request_stop(void);

/* Starts the recorder now, if it has never been started. */
void recorder_wake(void);

/* Writes what has been gathered; the recording goes on. */
void recorder_flush(void);

/* The process is about to end, by way of further destructors: from here on each event is written at
 * once. */
void recorder_end_soon(void);

/* The process ends now. */
void recorder_end(void);

/* The process is about to take system calls away from itself: what was gathered is written, as
 * none may be made afterwards.  False where nothing is to be done about it. */
bool recorder_confine_begin(void);

/* It has, and nothing is recorded any more; or it could not, and the recording goes on. */
void recorder_confine_end(bool begun, bool confined);

/* In a fork's child, before it does anything else. */
void recorder_forked(void);

/* Whether this process is the one that records, and not the child of a vfork in its memory. */
bool recorder_is_owner(void);

#endif
