#include "trace/read/packet_scan.h"

#include <string.h>

#include "trace/read/get.h"
#include "trace/read/packet_header.h"

/* The header is whole: goes on behind its packet.  False where it is none. */
static bool pass_packet(struct packet_scan *scan)
{
    struct packet_header header;
    scan->is_in_a_gap = get_32(scan->header) == 0;
    if (scan->is_in_a_gap)
        return true;
    if (packet_header_decode(&header, scan->header, scan->held, scan->packet, NULL) != HEAPTAP_OK)
        return false;
    scan->packet += header.bytes;
    scan->held = 0;
    return true;
}

bool packet_scan_take(void *context, const uint8_t *bytes, size_t size)
{
    struct packet_scan *scan = context;
    uint64_t end = scan->offset + size;
    while (!scan->is_in_a_gap && scan->packet + scan->held < end) {
        uint64_t from = scan->packet + scan->held;
        size_t wanted = sizeof scan->header - scan->held;
        size_t part = end - from < wanted ? (size_t)(end - from) : wanted;
        memcpy(scan->header + scan->held, bytes + (from - scan->offset), part);
        scan->held += part;
        if (scan->held == sizeof scan->header && !pass_packet(scan))
            return false;
    }
    scan->offset = end;
    return true;
}
