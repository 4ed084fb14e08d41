/* What the files of the recorder share: recorder.c is the way of an event from a hook, the others are its beginning, its end and its forks. */
#ifndef TAP_RECORD_RECORDER_PARTS_H
#define TAP_RECORD_RECORDER_PARTS_H

#include "tap/record/gate.h"
#include "tap/record/recorder.h"

static inline uint32_t recorder_phase(void)
{
    return __atomic_load_n(&recorder.phase, __ATOMIC_ACQUIRE);
}

static inline void recorder_set_phase(uint32_t to)
{
    __atomic_store_n(&recorder.phase, to, __ATOMIC_RELEASE);
}

static inline void recorder_set_paused(bool on)
{
    if (__atomic_exchange_n(&recorder.paused, on, __ATOMIC_RELAXED) == on)
        return;
    if (on)
        gate_close();
    else
        gate_open();
}

/* ---- The beginning, also of a fork's child (`fresh`) ---------------------------------- */

/* False, and that is said, where the file can't be made, or gives no room for what it begins with. */
bool recorder_open_trace(bool fresh);
bool recorder_write_beginning(void);
bool recorder_start_engine(void);

/* So that heaptap can tell a trace that was removed from a program that made none. */
void recorder_note_begun(void);

/* What was made for a recording that does not come to be. */
void recorder_remove_output(void);

/* ---- The end -------------------------------------------------------------------------- */

/* Writes what has been gathered; the recording goes on. */
void recorder_flush(void);

/* Ends the recording while the program goes on. */
void recorder_stop(void);
void recorder_stop_engine(void);

/* A forked child that libc was not asked for, so that nobody told us. */
void recorder_give_up(void);

#endif
