/* When snapshots of what holds the program's blocks are taken (tap/holders/), if any are asked for. */
#ifndef TAP_RECORD_HOLDERS_H
#define TAP_RECORD_HOLDERS_H

#include <stdbool.h>
#include <stdint.h>

#include "tap/holders/snapshot.h"

/* Where they are asked for, and the program's main function has returned, or it is about to end: takes the last one.
 * `place` is that of the function that the program called (SNAPSHOT_PLACE). */
void holders_at_end(const struct snapshot_place *place);

/* On the way out of a hook: takes one that is due (holders_due.h) before that. */
void holders_on_request(void);

/* A recording with them begins: that of the process, or of a forked child. */
void holders_begin(void);

/* In a child: SIGUSR1 is as the program knows it. */
void holders_forked(void);

#endif
