/* When snapshots of what holds the program's blocks are taken (tap/holders/), if any are asked for. */
#ifndef TAP_RECORD_HOLDERS_H
#define TAP_RECORD_HOLDERS_H

#include <stdint.h>

#include "tap/holders/snapshot.h"

/* Where they are asked for, and the program's main function has returned, or it is about to end: takes the last one.
 * `stack` is that of the function that the program called (SNAPSHOT_STACK). */
void holders_at_end(uint64_t stack);

/* In a forked child, whose recording has begun anew. */
void holders_forked(void);

#endif
