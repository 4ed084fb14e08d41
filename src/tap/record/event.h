/* The way of an event into the running thread's stream. */
#ifndef TAP_RECORD_EVENT_H
#define TAP_RECORD_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "tap/record/stream.h"

/* This thread's stream, entered; NULL where nothing can be written.  `*lent`: for this once, as the
 * thread has ended. */
struct stream *event_enter(bool *lent);
void event_leave(struct stream *stream, bool lent, int64_t now_us);

/* Writes an allocation whose hook was entered from `start`.  False where no stream could take it,
 * which is counted. */
bool event_alloc(uint64_t size, uint64_t samples, const struct unwind_start *start, uint64_t *id);

/* Writes the end of a block. */
void event_end(uint64_t id);

#endif
