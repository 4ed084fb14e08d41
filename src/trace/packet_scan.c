#include "trace/packet_scan.h"

#include <string.h>

/* Keeps of the bytes held what belongs to the walk's place, which was at `before`. */
static void move_on(struct packet_scan *scan, uint64_t before)
{
    uint64_t passed = scan->walk.offset - before;
    size_t kept = passed < scan->held ? scan->held - (size_t)passed : 0;
    memmove(scan->header, scan->header + scan->held - kept, kept);
    scan->held = kept;
}

/* The header is whole: goes on behind its packet.  False where it is none. */
static bool pass_packet(struct packet_scan *scan)
{
    struct packet_header header;
    uint64_t offset = scan->walk.offset;
    enum walk_step step = packet_walk_look(&scan->walk, scan->header, scan->held);
    scan->is_in_a_gap = step == WALK_GAP;
    if (step == WALK_PACKET &&
        (packet_header_decode(&header, scan->header, scan->held, offset, NULL) != HEAPTAP_OK ||
         packet_walk_take(&scan->walk, &header, NULL) != HEAPTAP_OK))
        return false;
    move_on(scan, offset);
    return true;
}

bool packet_scan_take(void *context, const uint8_t *bytes, size_t size)
{
    struct packet_scan *scan = context;
    uint64_t end = scan->offset + size;
    while (!scan->is_in_a_gap && scan->walk.offset + scan->held < end) {
        uint64_t from = scan->walk.offset + scan->held;
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
