/* Goes over the packets of a trace as its bytes come in, looking at their headers alone. */
#ifndef TRACE_PACKET_SCAN_H
#define TRACE_PACKET_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/packet_walk.h"

/* Zeroed, it stands at the beginning of a trace. */
struct packet_scan {
    uint64_t offset;         /* of the bytes to come */
    struct packet_walk walk; /* at the header that is next */
    uint8_t header[FORMAT_HEADER_BYTES_DOMAIN];
    size_t held; /* bytes of it */
    bool
        is_in_a_gap; /* zeros of no known length came in place of a packet: nothing is checked after them */
};

/* Takes the next bytes: a `struct packet_scan` is the context.  False once there is a header that no
 * packet has, and which is no gap: readers end there. */
bool packet_scan_take(void *scan, const uint8_t *bytes, size_t size);

#endif
