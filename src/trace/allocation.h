/* What an allocation event says before its stack. */
#ifndef TRACE_ALLOCATION_H
#define TRACE_ALLOCATION_H

#include "heaptap/trace.h"
#include "trace/get.h"

/* Takes the fields of an allocation before its stack, and the number of its codewords, as of an
 * event of `code`.  Reads on past the end of what is there, into slack bytes: the caller looks at
 * `*at`.  False for values that make no sense. */
static inline __attribute__((always_inline)) bool
get_allocation(const uint8_t **at, unsigned code, struct heaptap_event *event, unsigned *codewords)
{
    if (code != EVENT_ALLOC) {
        event->source = HEAPTAP_MINOR;
        event->length = code - EVENT_SHORT_ALLOC;
        event->samples = 1;
        *at = get_vint(*at, &event->common_prefix);
        *codewords = *(*at)++;
        return true;
    }
    int64_t length, samples;
    *at = get_vint(get_vint(*at, &length), &samples);
    event->source = (enum heaptap_source) * (*at)++;
    event->length = (uint64_t)length;
    event->samples = (uint64_t)samples;
    *at = get_vint(*at, &event->common_prefix);
    *codewords = get_16(*at);
    *at += 2;
    return event->source <= HEAPTAP_EXTERNAL && length >= 0 && samples >= 1;
}

#endif
