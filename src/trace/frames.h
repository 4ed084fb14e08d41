/* The frames of a trace: its codes, numbered densely, and what the trace says of each. */
#ifndef TRACE_FRAMES_H
#define TRACE_FRAMES_H

#include "base/map.h"
#include "base/names.h"
#include "heaptap/trace.h"

struct frame {
    uint64_t code;
    uint32_t first_location; /* index into locations */
    uint8_t location_count;
    bool described; /* a location event has been seen, perhaps with no locations */
};

struct frames {
    struct map by_code; /* code -> frame number */
    struct frame *items;
    size_t count, capacity;
    struct heaptap_location *locations; /* of all frames */
    size_t location_count, location_capacity;
    struct names names;    /* files and functions */
    size_t stack_capacity; /* frames for which the stack decoders of all domains have room */
    unsigned tables;       /* stack decoders that got a table at once */
    struct heaptap_location scratch[HEAPTAP_LOCATIONS_MAX]; /* of one code, being decoded */
};

/* Makes frame 0 stand for code 0, which an empty bucket of the call stack codec holds.  False: no
 * memory. */
bool frames_init(struct frames *frames);
void frames_release(struct frames *frames);

/* The number of the frame of `code`, perhaps a new one; UINT32_MAX when there is no memory. */
uint32_t frames_number(struct frames *frames, uint64_t code);

/* Describes `code` by `count` locations with interned names.  `*conflict` is set where it was
 * described otherwise before; then the first description stays.  False: no memory. */
bool frames_describe(struct frames *frames, uint64_t code, const struct heaptap_location *locations,
                     size_t count, bool *conflict);

/* Gives a frame these locations in place of those that the trace has; strings are copied.  False: no memory. */
bool frames_rename(struct frames *frames, uint32_t number, const struct heaptap_location *locations,
                   size_t count);

#endif
