/* Where the packets of a trace stand, one after another (docs/trace-format.md, sections 4.2 and 4.4). */
#ifndef TRACE_PACKET_WALK_H
#define TRACE_PACKET_WALK_H

#include "trace/packet_header.h"

/* Zeroed, it stands at the beginning of a trace. */
struct packet_walk {
    uint64_t offset;     /* a packet may stand here */
    uint64_t region_end; /* where to go on if none does; 0 where the place itself is judged */
    bool has_regions;    /* the first packet lies in a region */
    bool has_open;       /* a packet so far is open */
};

enum walk_step {
    WALK_PACKET, /* a packet should be here: its header is to be decoded, and given to packet_walk_take */
    WALK_GAP,   /* zeros of no known length: the caller passes over them and sets `offset` */
    WALK_MOVED, /* no packet is here: look again, at the new `offset` */
};

/* Judges the place at `offset`, whose first bytes are `at`; there are more than 0 `available`. */
enum walk_step packet_walk_look(struct packet_walk *walk, const uint8_t *at, size_t available);

/* Goes on behind the packet at `offset`.  Its header becomes that of a packet outside of regions
 * where the trace has none, and an open one gets an end. */
enum heaptap_status packet_walk_take(struct packet_walk *walk, struct packet_header *header,
                                     struct heaptap_error *error);

#endif
