/* What all of the recorder shares: whether it is on, what it was asked to do, where its events go. */
#ifndef TAP_RECORD_STATE_H
#define TAP_RECORD_STATE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "heaptap/engine.h"
#include "heaptap/pprof.h"
#include "heaptap/trace.h"
#include "tap/record/budget.h"
#include "tap/record/output.h"
#include "tap/record/self.h"
#include "tap/record/settings.h"

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
    uint32_t toggles;              /* atomic; times the signal came that are still to be obeyed */
    pid_t pid;                     /* of the process that records */
    int64_t start_us;              /* of the trace, since the Unix epoch */
    bool gave_way;                 /* the program got the recording's memory */
    uint64_t dropped;              /* atomic; samples that no stream could take */
    struct heaptap_writer *writer; /* NULL while a profile is written */
    struct heaptap_pprof *profile; /* NULL while a trace is */
    struct settings settings;
    struct budget budget;
    struct output output;
    char child_pattern[PATH_MAX];
};

extern struct recorder recorder;

/* How many trials a block is: its bytes, and one for a block of none, so that it can be seen. */
static inline uint64_t recorder_trials(uint64_t size)
{
    return size + !size;
}

/* Samples that could not be recorded so far. */
uint64_t recorder_drops(void);

/* Whether this process is the one that records, and not the child of a vfork in its memory. */
bool recorder_is_owner(void);

#endif
