/* Where the disk is full a trace has no room left to say why it ends, so that is kept from the start: a record of
 * HEAPTAP_STOPPED which readers pass over until it is filled in. */
#ifndef TAP_TRACE_STOP_ROOM_H
#define TAP_TRACE_STOP_ROOM_H

#include "heaptap/trace.h"

/* What stands there instead of a reason. */
#define STOP_ROOM "................................................................"

enum {
    STOP_ROOM_BYTES = sizeof(uint64_t) + sizeof STOP_ROOM
}; /* the number of the record, and its text */

/* Writes the record, which is the domain's last then.  The place of these bytes where the trace is written in place, else or
 * where there was no room for it NULL. */
uint8_t *stop_room_keep(struct heaptap_domain *domain);

/* When, since the start of the trace, and why the recording ended; of a negative time, that it has not. */
void stop_room_fill(uint8_t bytes[STOP_ROOM_BYTES], int64_t time_us, const char *reason);

#endif
