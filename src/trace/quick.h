/* The way nearly every event takes: an allocation, a promotion or a collection whose time is within
 * what the packet announces, and which is so far from the packet's end that none of its fixed
 * fields can reach past it.  Then nothing can fail but a stack.  Everything else, and a stack that
 * fails, is left to cursor_step, which finds the cursor as it was. */
#ifndef TRACE_QUICK_H
#define TRACE_QUICK_H

#include "trace/allocation.h"
#include "trace/reader.h"

static inline __attribute__((always_inline)) bool
quick_stack(struct heaptap_reader *reader, struct cursor *cursor, const uint8_t **at,
            unsigned codewords, struct heaptap_event *event)
{
    struct stack_decoder *stacks = &cursor->domain->stacks;
    bool shortened = false;
    if (reader->options.skip_stacks) {
        *at = stack_decoder_skip(*at, cursor->end, codewords);
        event->stack = NULL;
        event->stack_length = event->stack_shared = 0;
        return *at <= cursor->end;
    }
    if ((uint64_t)event->common_prefix > stacks->length)
        return false;
    *at = stack_decoder_decode(stacks, &reader->frames, *at, cursor->end, codewords,
                               event->common_prefix, &shortened);
    event->stack = stacks->stack;
    event->stack_length = (uint32_t)stacks->length;
    event->stack_shared = (uint32_t)event->common_prefix;
    return *at && *at <= cursor->end;
}

/* False where the event is not of that kind. */
static inline __attribute__((always_inline)) bool
cursor_quick_step(struct heaptap_reader *reader, struct cursor *cursor, struct heaptap_event *event)
{
    const uint8_t *at = cursor->at;
    if (at >= cursor->quick_end)
        return false;
    const uint8_t *next = at + 4;
    uint32_t head = get_32(at);
    unsigned code = head >> FORMAT_TIME_BITS;
    int64_t time_us = (int64_t)((uint64_t)cursor->header.begin_us +
                                ((head - (uint32_t)cursor->header.begin_us) & FORMAT_TIME_MASK));
    if (time_us > cursor->header.end_us)
        return false;
    if (code == EVENT_COLLECT || code == EVENT_PROMOTE) {
        int64_t delta;
        next = get_vint(next, &delta);
        event->kind = code == EVENT_PROMOTE ? HEAPTAP_PROMOTE : HEAPTAP_COLLECT;
        event->id = cursor->next_id - 1 - (uint64_t)delta;
    } else if (code == EVENT_ALLOC || code - EVENT_SHORT_ALLOC - 1u < FORMAT_SHORT_LENGTH_MAX) {
        unsigned codewords;
        if (!get_allocation(&next, code, event, &codewords) ||
            !quick_stack(reader, cursor, &next, codewords, event))
            return false;
        event->kind = HEAPTAP_ALLOC;
        event->id = cursor->next_id++;
    } else {
        return false;
    }
    event->domain = cursor->header.domain;
    event->offset = cursor->header.offset + (uint64_t)(at - cursor->start);
    event->time_us = (int64_t)((uint64_t)time_us - (uint64_t)reader->info.start_us);
    cursor_note_time(reader, cursor, time_us);
    cursor->at = next;
    return true;
}

/* The same for the next event that the caller wants. */
static inline __attribute__((always_inline)) bool
cursor_quick_next(struct heaptap_reader *reader, struct cursor *cursor, struct heaptap_event *event)
{
    do {
        if (!cursor_quick_step(reader, cursor, event))
            return false;
    } while (reader->options.only_allocations && event->kind != HEAPTAP_ALLOC);
    return true;
}

#endif
