/* What may not be done in the middle of the engine or of an event, and is asked for there: it is done on the way out of the
 * hook (recorder.c).  While something is asked for, the gate is closed. */
#ifndef TAP_RECORD_REQUESTS_H
#define TAP_RECORD_REQUESTS_H

#include <stdint.h>

enum {
    REQUEST_STOP = 1,   /* end the recording */
    REQUEST_TOGGLE = 2, /* the signal that switches it on and off has come */
    REQUEST_HALVE = 4,  /* the recording has as many blocks as it may have (budget.h) */
    REQUEST_RENEW =
        8, /* the engine keeps many blocks that a lower rate leaves nothing of (renew.h) */
    REQUEST_HOLDERS = 16, /* it is time to look through what blocks are held (holders.h) */
};

extern uint32_t requests; /* atomic; a set of those */

void requests_add(uint32_t what);

/* What was asked for, which is now the caller's to do. */
uint32_t requests_take(void);

#endif
