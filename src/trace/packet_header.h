/* Packet headers. */
#ifndef TRACE_PACKET_HEADER_H
#define TRACE_PACKET_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heaptap/status.h"
#include "spec/trace_format.h"

enum {
    PACKET_BITS_OFFSET = 4,
    PACKET_ROOM_OFFSET = 24,
    PACKET_PID_OFFSET = 30
}; /* from the packet's beginning */

struct packet_header {
    uint64_t offset; /* of the packet in the trace */
    size_t bytes;    /* of the packet, with its header */
    size_t header_bytes;
    int64_t begin_us,
        end_us;   /* since the epoch; begin is after end where the clock stepped back inside */
    size_t room;  /* from its first byte to the end of its region; 0 for one outside of regions */
    bool is_open; /* its writer has not finished it: end and end id say nothing */
    unsigned version;
    uint64_t pid;
    uint16_t domain; /* 0 in versions without */
    uint16_t verify_bucket, verify_next;
    uint64_t verify_code;
    uint64_t first_id; /* of the first allocation in it */
    uint64_t end_id;   /* one past that of the last */
};

/* Decodes the header at `at`, of which `available` bytes are there, at `offset` of the trace. */
enum heaptap_status packet_header_decode(struct packet_header *header, const uint8_t *at,
                                         size_t available, uint64_t offset,
                                         struct heaptap_error *error);

/* Of an open packet, which ends where its last event does: gives it the latest end that an event can
 * have, and marks it as open. */
void packet_header_leave_open(struct packet_header *header);

#endif
