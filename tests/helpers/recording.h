/* All events of a trace, kept for comparison. */
#ifndef HELPERS_RECORDING_H
#define HELPERS_RECORDING_H

#include "helpers/bytes.h"

struct recorded {
    struct heaptap_event event; /* its stack is gone */
    uint64_t stack_hash;        /* of the codes, caller first */
};

/* Zeroed, it is empty. */
struct recording {
    struct recorded *events;
    size_t count, capacity;
    enum heaptap_status end; /* what the reader said last */
    struct heaptap_error error;
    struct heaptap_reader_notes notes;
};

void recording_release(struct recording *recording);

/* Reads `reader` to its end.  Aborts where the reader breaks its contract: an event after the end,
 * a frame number out of range, a kind or source that isn't one. */
void recording_take(struct recording *recording, struct heaptap_reader *reader);

/* The same over a trace in memory.  Where it cannot be opened there are no events. */
void recording_read(struct recording *recording, const void *data, size_t size,
                    const struct heaptap_reader_options *options);

/* Do two events tell the same?  Their offsets and prefixes are not compared. */
bool recorded_same(const struct recorded *a, const struct recorded *b);

/* How many events the two have in common at their beginning. */
size_t recording_common(const struct recording *a, const struct recording *b);

/* A hash of all that the trace says of the locations of `frame`. */
uint64_t recording_frame_hash(const struct heaptap_reader *reader, uint32_t frame);

#endif
