/* Whether an event of an exact recording may go the short way: straight into the thread's stream.
 * Whatever an event would have to heed (the streams are held, the recording is paused, something
 * is asked for, the process is a fork that nobody told us of) closes the gate, so that one look at
 * one word answers for all of them.  Behind a closed gate events go the long way, and ask for each.
 *
 * The word is in a page that the kernel empties in forked children. */
#ifndef TAP_RECORD_GATE_H
#define TAP_RECORD_GATE_H

#include <stdbool.h>
#include <stdint.h>

/* The word of an open gate; each reason for closing it adds 1. */
#define GATE_OPEN ((uint32_t)1 << 16)

extern uint32_t *gate; /* what it points to is atomic; 0 in a forked child */

static inline bool gate_is_open(void)
{
    return __builtin_expect(__atomic_load_n(gate, __ATOMIC_RELAXED) == GATE_OPEN, 1);
}

/* False in a forked child that has not been told that it is one. */
static inline bool gate_is_there(void)
{
    return __builtin_expect(__atomic_load_n(gate, __ATOMIC_RELAXED) != 0, 1);
}

/* Each close has its open. */
void gate_close(void);
void gate_open(void);

/* For a new recording: open, and not yet in a page of its own. */
void gate_reset(void);

/* Moves it, as it is, to such a page; false if there is no memory. */
bool gate_map(void);

#endif
