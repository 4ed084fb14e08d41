/* The recorder as a whole: whether it is on, and the way of an event from a hook into the trace. */
#ifndef TAP_RECORD_RECORDER_H
#define TAP_RECORD_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "heaptap/engine.h"
#include "tap/record/exact.h"
#include "tap/record/state.h"
#include "tap/unwind/unwind.h"

/* Is told of every block whose hook found the thread's countdown to be over; 0 for an address means
 * that the allocation failed.  The first call starts the recorder. */
void recorder_allocated(void *address, uint64_t size, const struct unwind_start *start);

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

/* The trace's id of a block that is sampled, by what the engine keeps of it. */
uint64_t recorder_id_of(void *metadata);

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

/* Starts the recorder now, if it has never been started. */
void recorder_wake(void);

/* The same before the program ends by abort, or becomes another one. */
void recorder_leave(void);

/* The same before a fork. */
void recorder_flush_forking(void);

/* The process is about to end, by way of further destructors: from here on each event is written at
 * once. */
void recorder_end_soon(void);

/* The process ends now. */
void recorder_end(void);

/* The process is about to take system calls away from itself: none may be made afterwards.  In place,
 * the recording goes on in memory; else what was gathered is written.  False where nothing is to be
 * done about it. */
bool recorder_confine_begin(void);

/* It has; or it could not, and the recording goes on as before. */
void recorder_confine_end(bool begun, bool confined);

/* Whether there is a recording. */
bool recorder_is_on(void);

/* The program lacks memory: the recording ends, and gives back what it has.  False where there is none, or that can't be:
 * other threads, or this one, may be in it. */
bool recorder_give_way(void);

/* In a fork's child, before it does anything else. */
void recorder_forked(void);

#endif
