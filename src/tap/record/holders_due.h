/* When a snapshot of what holds the program's blocks is due before its end, besides signals: when the process has become as large as
 * was asked for, and each time that it has doubled since; and in intervals.  That is looked at where events are written, so that a
 * program which allocates and frees nothing has none. */
#ifndef TAP_RECORD_HOLDERS_DUE_H
#define TAP_RECORD_HOLDERS_DUE_H

#include <stdbool.h>
#include <stdint.h>

#include "spec/holders_dump.h"
#include "tap/record/state.h"

enum { HOLDERS_LOOK_US = 20000 }; /* between looks */

/* Whether size or time are to be looked at. */
static inline bool holders_due_is_asked(void)
{
    return recorder.settings.holders_above_bytes | recorder.settings.holders_every_us;
}

/* The recording begins. */
void holders_due_begin(void);

/* An event was written: asks for a snapshot that is due (REQUEST_HOLDERS), until it has been taken. */
void holders_due_look(int64_t now_us);

/* On the way out of a hook: why it is due. */
enum holders_cause holders_due_cause(void);

/* It has been taken. */
void holders_due_taken(void);

#endif
