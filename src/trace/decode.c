/* Events of one packet, one at a time.
 *
 * Time.  An event's header has the low 25 bits of its time; a packet spans less than 2^25
 * microseconds, so with the packet's first time they tell it all.  Unless the clock stepped back
 * while the packet was filled: then a time falls outside what the header announces.  From the first
 * such event on, times are counted back from the packet's last one, which is right for a step of
 * any size as long as what follows it lasts less than 2^25 microseconds.  Where the packet's last
 * time is before its first, all times are outside; there, the step is taken to be where a time does
 * not follow within a second on the one before.  Locations take no part in this: where events are
 * merged, they are read before what stands in front of them.
 *
 * Damage.  Decoders read fixed parts without looking at the end of the packet, which is followed by
 * slack bytes, and check afterwards that they did not pass it. */
#include "trace/reader.h"

#include <stdlib.h>

#include "base/error.h"
#include "trace/allocation.h"
#include "trace/get.h"

enum { EVENT_HEADER_BYTES = 4, ALLOC_FIXED_MAX_BYTES = 3 * 9 + 1 + 2, STEP_GAP_US = 1000000 };

_Static_assert(EVENT_HEADER_BYTES + ALLOC_FIXED_MAX_BYTES <= WINDOW_SLACK_BYTES,
               "reading ahead stays in the slack");

/* The state of a domain, made if it is new; NULL when there is no memory. */
static struct domain_state *reader_domain(struct heaptap_reader *reader, uint16_t number)
{
    struct domain_state **domain = &reader->domains[number];
    if (!*domain && (*domain = calloc(1, sizeof **domain)))
        (*domain)->skipped_shared = UINT32_MAX;
    if (number >= reader->domain_end)
        reader->domain_end = number + 1u;
    return *domain;
}

enum heaptap_status cursor_open(struct heaptap_reader *reader, struct cursor *cursor,
                                const uint8_t *start, size_t available, struct heaptap_error *error)
{
    const struct packet_header *header = &cursor->header;
    struct domain_state *domain = reader_domain(reader, header->domain);
    if (!domain)
        return error_no_memory(error);
    cursor->domain = domain;
    cursor->start = start;
    cursor->at = start + header->header_bytes;
    cursor->cut = available < header->bytes;
    cursor->end = start + (cursor->cut ? available : header->bytes);
    cursor->next_id = header->first_id;
    cursor->stepped = false;
    cursor->open = true;
    bool quick = !thinning_is_on(&reader->thinning) && header->begin_us <= header->end_us &&
                 (uint64_t)header->end_us - (uint64_t)header->begin_us <= FORMAT_TIME_MASK &&
                 cursor->end - cursor->at > WINDOW_SLACK_BYTES;
    cursor->quick_end = quick ? cursor->end - WINDOW_SLACK_BYTES : NULL;
    return HEAPTAP_OK;
}

enum heaptap_status cursor_verify(const struct heaptap_reader *reader, const struct cursor *cursor,
                                  struct heaptap_error *error)
{
    const struct packet_header *header = &cursor->header;
    if (reader->options.skip_stacks ||
        stack_decoder_verify(&cursor->domain->stacks, &reader->frames, header->verify_bucket,
                             header->verify_next, header->verify_code))
        return HEAPTAP_OK;
    return error_at(
        error, header->offset,
        "the packet's check of the call stack cache (bucket %u of domain %u) does not hold: "
        "a packet before it is missing or damaged",
        header->verify_bucket, header->domain);
}

static uint64_t cursor_offset(const struct cursor *cursor, const uint8_t *at)
{
    return cursor->header.offset + (uint64_t)(at - cursor->start);
}

static enum step fail(enum heaptap_status *status, enum heaptap_status what)
{
    *status = what;
    return STEP_FAILED;
}

/* The event that begins at `event` needs bytes past cursor->end. */
static enum heaptap_status overrun(const struct cursor *cursor, const uint8_t *event,
                                   struct heaptap_error *error)
{
    const struct packet_header *header = &cursor->header;
    if (cursor->cut)
        return error_at(error, cursor_offset(cursor, cursor->end),
                        "the trace ends here, in the packet that began at byte %llu and should go "
                        "on to byte %llu",
                        (unsigned long long)header->offset,
                        (unsigned long long)(header->offset + header->bytes));
    return error_at(error, cursor_offset(cursor, event),
                    "the event here goes on past the end of its packet at byte %llu",
                    (unsigned long long)(header->offset + header->bytes));
}

/* Can `time_us` be a time before the step that the packet is known to hold?  It follows closely
 * enough on the previous one: the low bits of a time after the step seem to lie anywhere. */
static bool follows(const struct cursor *cursor, int64_t time_us)
{
    int64_t previous = cursor->header.begin_us;
    if (cursor->domain->has_last && cursor->domain->last_us > previous)
        previous = cursor->domain->last_us;
    return time_us >= previous && (uint64_t)time_us - (uint64_t)previous <= STEP_GAP_US;
}

static int64_t event_time(struct cursor *cursor, uint32_t low)
{
    const struct packet_header *header = &cursor->header;
    int64_t since_begin = (int64_t)((low - (uint64_t)header->begin_us) & FORMAT_TIME_MASK);
    int64_t before_end = (int64_t)(((uint64_t)header->end_us - low) & FORMAT_TIME_MASK);
    int64_t time_us = (int64_t)((uint64_t)header->begin_us + (uint64_t)since_begin);
    if (time_us <= header->end_us && !cursor->stepped)
        return time_us;
    if (header->end_us < header->begin_us && !cursor->stepped && follows(cursor, time_us))
        return time_us;
    cursor->stepped = true;
    cursor->quick_end = NULL;
    return (int64_t)((uint64_t)header->end_us - (uint64_t)before_end);
}

/* A location event that can't be decoded costs the rest of its packet, which holds nothing else
 * where memtrace or heaptap wrote it.  If the trace is cut there, the error says so. */
static enum step damaged_location(struct heaptap_reader *reader, struct cursor *cursor,
                                  const uint8_t *event, enum heaptap_status *status,
                                  struct heaptap_error *error)
{
    if (cursor->cut)
        return fail(status, overrun(cursor, event, error));
    if (reader->notes.damaged_locations++ == 0)
        reader->notes.damaged_location_offset = cursor_offset(cursor, event);
    cursor->at = cursor->end;
    cursor->next_id = cursor->header.end_id;
    return STEP_QUIET;
}

static enum step step_location(struct heaptap_reader *reader, struct cursor *cursor,
                               const uint8_t *at, enum heaptap_status *status,
                               struct heaptap_error *error)
{
    struct domain_state *domain = cursor->domain;
    const uint8_t *event = cursor->at;
    bool conflict = false;
    if (!domain->locations && !(domain->locations = location_decoder_new()))
        return fail(status, error_no_memory(error));
    switch (
        location_decoder_decode(domain->locations, &reader->frames, &at, cursor->end, &conflict)) {
    case LOCATION_CUT:
        return damaged_location(reader, cursor, event, status, error);
    case LOCATION_NO_MEMORY:
        return fail(status, error_no_memory(error));
    case LOCATION_DONE:
        break;
    }
    reader->notes.location_conflicts += conflict;
    cursor->at = at;
    return STEP_QUIET;
}

static enum step step_stack(struct heaptap_reader *reader, struct cursor *cursor, const uint8_t *at,
                            unsigned codewords, struct heaptap_event *event,
                            enum heaptap_status *status, struct heaptap_error *error)
{
    struct stack_decoder *stacks = &cursor->domain->stacks;
    bool shortened = false;
    if (reader->options.skip_stacks) {
        at = stack_decoder_skip(at, cursor->end, codewords);
        event->stack = NULL;
        event->stack_length = event->stack_shared = 0;
    } else {
        at = stack_decoder_decode(stacks, &reader->frames, at, cursor->end, codewords,
                                  event->common_prefix, &shortened);
        if (!at)
            return fail(status, error_no_memory(error));
        event->stack = stacks->stack;
        event->stack_length = (uint32_t)stacks->length;
        event->stack_shared = shortened ? event->stack_length : (uint32_t)event->common_prefix;
    }
    if (at > cursor->end)
        return fail(status, overrun(cursor, cursor->at, error));
    reader->notes.shortened_stacks += shortened;
    cursor->at = at;
    return STEP_EVENT;
}

static enum step step_alloc(struct heaptap_reader *reader, struct cursor *cursor, const uint8_t *at,
                            unsigned code, struct heaptap_event *event, enum heaptap_status *status,
                            struct heaptap_error *error)
{
    unsigned codewords;
    bool sound = get_allocation(&at, code, event, &codewords);
    if (at > cursor->end)
        return fail(status, overrun(cursor, cursor->at, error));
    if (!sound)
        return fail(
            status,
            error_at(error, cursor_offset(cursor, cursor->at),
                     "the allocation here has length %lld, %lld samples and source %u; expected "
                     "0 or more, 1 or more and 0 to 2",
                     (long long)event->length, (long long)event->samples, event->source));
    event->kind = HEAPTAP_ALLOC;
    event->id = cursor->next_id;
    enum step step = step_stack(reader, cursor, at, codewords, event, status, error);
    cursor->next_id += step == STEP_EVENT;
    return step;
}

static enum step step_reference(struct cursor *cursor, const uint8_t *at, unsigned code,
                                struct heaptap_event *event, enum heaptap_status *status,
                                struct heaptap_error *error)
{
    int64_t delta;
    at = get_vint(at, &delta);
    if (at > cursor->end)
        return fail(status, overrun(cursor, cursor->at, error));
    event->kind = code == EVENT_PROMOTE ? HEAPTAP_PROMOTE : HEAPTAP_COLLECT;
    event->id = cursor->next_id - 1 - (uint64_t)delta;
    cursor->at = at;
    return STEP_EVENT;
}

/* Leaves out what the rate's halvings have taken away. */
static enum step thin(struct heaptap_reader *reader, struct domain_state *domain,
                      struct heaptap_event *event, enum heaptap_status *status,
                      struct heaptap_error *error)
{
    bool is_left;
    if (!thinning_apply(&reader->thinning, event, &is_left))
        return fail(status, error_no_memory(error));
    if (event->kind == HEAPTAP_ALLOC) {
        if (domain->skipped_shared < event->stack_shared)
            event->stack_shared = domain->skipped_shared;
        domain->skipped_shared = is_left ? UINT32_MAX : event->stack_shared;
    }
    return is_left ? STEP_EVENT : STEP_QUIET;
}

enum step cursor_step(struct heaptap_reader *reader, struct cursor *cursor,
                      struct heaptap_event *event, enum heaptap_status *status,
                      struct heaptap_error *error)
{
    const uint8_t *at = cursor->at;
    uint32_t head = get_32(at);
    unsigned code = head >> FORMAT_TIME_BITS;
    enum step step;
    event->offset = cursor_offset(cursor, at);
    at += EVENT_HEADER_BYTES;
    if (at > cursor->end)
        return fail(status, overrun(cursor, cursor->at, error));
    if (code == EVENT_LOCATION)
        return step_location(reader, cursor, at, status, error);
    int64_t time_us = event_time(cursor, head & FORMAT_TIME_MASK);
    if (code == EVENT_PROMOTE || code == EVENT_COLLECT)
        step = step_reference(cursor, at, code, event, status, error);
    else if (code == EVENT_ALLOC ||
             (code > EVENT_SHORT_ALLOC && code <= EVENT_SHORT_ALLOC + FORMAT_SHORT_LENGTH_MAX))
        step = step_alloc(reader, cursor, at, code, event, status, error);
    else
        return fail(status, error_at(error, event->offset,
                                     "the event here has code %u; expected 1 (location), 2 or "
                                     "101 to 116 (allocation), "
                                     "3 (promotion) or 4 (collection)",
                                     code));
    if (step == STEP_EVENT) {
        cursor_note_time(reader, cursor, time_us);
        event->domain = cursor->header.domain;
        event->time_us = (int64_t)((uint64_t)time_us - (uint64_t)reader->info.start_us);
        if (thinning_is_on(&reader->thinning))
            step = thin(reader, cursor->domain, event, status, error);
        if (reader->options.only_allocations && event->kind != HEAPTAP_ALLOC)
            return STEP_QUIET;
    }
    return step;
}

enum heaptap_status cursor_close(struct cursor *cursor, struct heaptap_error *error)
{
    const struct packet_header *header = &cursor->header;
    cursor->open = false;
    cursor->quick_end = NULL;
    if (cursor->cut)
        return overrun(cursor, cursor->at, error);
    if (!header->is_open && cursor->next_id != header->end_id)
        return error_at(
            error, header->offset + header->header_bytes - 8,
            "the packet's allocations should end before id %llu, but its events lead to %llu",
            (unsigned long long)header->end_id, (unsigned long long)cursor->next_id);
    return HEAPTAP_OK;
}
