/* True order.  Within a domain the file's order is the truth; across domains packets stand in the
 * file as they were flushed, which can be long after what they tell.  So a first pass goes over the
 * packet headers and notes where each domain's packets lie; then the domains are read side by side,
 * each through a cursor of its own, and a heap gives the earliest event: by time, then block id,
 * then kind, so that a block's birth comes before its end on another domain.
 *
 * Where a domain's clock steps back, its events keep their order and count as happening at the
 * latest time so far.
 *
 * Names may be described by one domain and used by another: packets that begin with a location are
 * decoded in the first pass, in file order.
 *
 * Memory: 24 bytes a packet, and a packet for each domain that has not ended.  Damage ends the
 * domain that it is in; the others go on, and it is reported after the last event. */
#include "trace/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "trace/get.h"
#include "trace/quick.h"

struct packet_place {
    uint64_t offset;
    uint32_t bytes;     /* of the packet as its header says */
    uint32_t available; /* of it in the trace */
    uint32_t
        done; /* bytes at its start that the first pass has decoded: header and locations; or 0 */
    bool is_open; /* as the first pass found it; it may have grown since */
    bool skipped; /* these end with a damaged location, so its allocations are not to be counted */
};

/* One domain. */
struct stream {
    struct packet_place *packets; /* in file order */
    size_t count, capacity;
    size_t next_packet; /* not yet read */
    struct cursor cursor;
    uint8_t *bytes; /* the packet at the cursor, and slack */
    size_t bytes_capacity;
    struct heaptap_event event; /* the next one */
    int64_t key_us;             /* its place in time */
};

struct merge {
    struct stream **by_domain; /* NULL for one without packets */
    unsigned domain_end;       /* one past the highest number with packets */
    struct stream **heap;      /* of those that have an event, the earliest first */
    size_t heap_count, heap_capacity;
    struct stream *delivered;    /* whose event the caller is looking at */
    struct heaptap_error damage; /* the first met, to be reported at the end */
};

static void stream_free(struct stream *stream)
{
    if (!stream)
        return;
    free(stream->packets);
    free(stream->bytes);
    free(stream);
}

void merge_free(struct merge *merge)
{
    if (!merge)
        return;
    for (unsigned i = 0; i < merge->domain_end; i++)
        stream_free(merge->by_domain[i]);
    free(merge->by_domain);
    free(merge->heap);
    free(merge);
}

static void note_damage(struct merge *merge, const struct heaptap_error *met)
{
    if (merge->damage.status == HEAPTAP_OK || met->offset < merge->damage.offset)
        merge->damage = *met;
}

/* ---- First pass --------------------------------------------------------------------- */

/* Reads up to `size` bytes of the trace at `offset` into `*bytes`, and zeros behind them. */
static enum heaptap_status load(struct heaptap_reader *reader, uint64_t offset, size_t size,
                                uint8_t **bytes, size_t *capacity, size_t *got,
                                struct heaptap_error *error)
{
    enum { STEP = 1 << 20 };
    *got = 0;
    while (*got < size) { /* stepwise, so that a damaged size doesn't ask for memory that the trace
                             doesn't fill */
        size_t part, want = size - *got < STEP ? size - *got : STEP;
        if (!ARRAY_RESERVE(bytes, capacity, *got + want + WINDOW_SLACK_BYTES))
            return error_no_memory(error);
        enum heaptap_status status =
            input_read_at(reader->input, offset + *got, *bytes + *got, want, &part, error);
        if (status != HEAPTAP_OK)
            return status;
        *got += part;
        if (part < want)
            break;
    }
    if (!ARRAY_RESERVE(bytes, capacity, *got + WINDOW_SLACK_BYTES))
        return error_no_memory(error);
    memset(*bytes + *got, 0, WINDOW_SLACK_BYTES);
    return HEAPTAP_OK;
}

static struct stream *stream_of(struct merge *merge, uint16_t domain)
{
    struct stream **stream = &merge->by_domain[domain];
    if (!*stream)
        *stream = calloc(1, sizeof **stream);
    if (domain >= merge->domain_end)
        merge->domain_end = domain + 1u;
    return *stream;
}

/* Bytes of the trace between `offset` and the end, `most` at most. */
static enum heaptap_status available_at(struct heaptap_reader *reader, uint64_t offset,
                                        size_t bytes, size_t *available,
                                        struct heaptap_error *error)
{
    uint8_t last;
    size_t got;
    *available = bytes;
    enum heaptap_status status =
        input_read_at(reader->input, offset + bytes - 1, &last, 1, &got, error);
    if (status != HEAPTAP_OK || got == 1)
        return status;
    size_t low = 0, high = bytes; /* the end lies between */
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        status = input_read_at(reader->input, offset + middle, &last, 1, &got, error);
        if (status != HEAPTAP_OK)
            return status;
        if (got)
            low = middle;
        else
            high = middle;
    }
    *available = high;
    return HEAPTAP_OK;
}

/* Decodes the locations at the start of the packet; `*done` is how far they reach. */
static enum heaptap_status decode_locations(struct heaptap_reader *reader, struct stream *scratch,
                                            uint32_t *done, struct heaptap_error *error)
{
    struct cursor *cursor = &scratch->cursor;
    size_t got;
    enum heaptap_status status = load(reader, cursor->header.offset, cursor->header.bytes,
                                      &scratch->bytes, &scratch->bytes_capacity, &got, error);
    if (status == HEAPTAP_OK)
        status = cursor_open(reader, cursor, scratch->bytes, got, error);
    while (status == HEAPTAP_OK && cursor->at < cursor->end &&
           get_32(cursor->at) >> FORMAT_TIME_BITS == EVENT_LOCATION)
        if (cursor_step(reader, cursor, &scratch->event, &status, error) == STEP_FAILED) {
            if (status != HEAPTAP_BAD_INPUT)
                return status;
            cursor->at = cursor->end; /* the trace is cut here: told when the packet's turn comes */
            status = HEAPTAP_OK;
        }
    *done = (uint32_t)(cursor->at - cursor->start);
    return status;
}

/* Notes a packet of the traced process, and decodes it as far as it is one of locations. */
static enum heaptap_status index_packet(struct heaptap_reader *reader, struct stream *scratch,
                                        bool has_locations, struct heaptap_error *error)
{
    const struct packet_header *header = &scratch->cursor.header;
    struct stream *stream = stream_of(reader->merge, header->domain);
    struct packet_place place = {
        .offset = header->offset, .bytes = (uint32_t)header->bytes, .is_open = header->is_open};
    uint64_t damaged_locations = reader->notes.damaged_locations;
    size_t available;
    enum heaptap_status status =
        available_at(reader, header->offset, header->bytes, &available, error);
    if (status == HEAPTAP_OK && has_locations)
        status = decode_locations(reader, scratch, &place.done, error);
    if (status != HEAPTAP_OK)
        return status;
    reader->notes.packets++;
    reader->notes.open_packets += header->is_open;
    reader->notes.bytes = header->offset + available;
    bool adds_up = header->is_open || scratch->cursor.next_id == header->end_id;
    if (place.done == header->bytes && adds_up && header->verify_bucket == FORMAT_NO_VERIFIER)
        return HEAPTAP_OK;
    place.skipped = reader->notes.damaged_locations > damaged_locations;
    place.available = (uint32_t)available;
    if (!stream || !ARRAY_RESERVE(&stream->packets, &stream->capacity, stream->count + 1))
        return error_no_memory(error);
    stream->packets[stream->count++] = place;
    return HEAPTAP_OK;
}

/* Moves over a run of zero bytes. */
static enum heaptap_status skip_gap(struct heaptap_reader *reader, struct stream *scratch,
                                    struct heaptap_error *error)
{
    enum { STEP = 64 << 10 };
    uint64_t *offset = &reader->walk.offset;
    size_t got, zeros;
    reader->notes.empty_gaps++;
    do {
        enum heaptap_status status =
            load(reader, *offset, STEP, &scratch->bytes, &scratch->bytes_capacity, &got, error);
        if (status != HEAPTAP_OK)
            return status;
        for (zeros = 0; zeros < got && scratch->bytes[zeros] == 0;)
            zeros++;
        *offset += zeros;
    } while (zeros == STEP);
    reader->notes.bytes = *offset;
    return HEAPTAP_OK;
}

/* Deals with the place at which the walk stands, which goes on.  HEAPTAP_END at the end of the
 * trace. */
static enum heaptap_status index_next(struct heaptap_reader *reader, struct stream *scratch,
                                      struct heaptap_error *error)
{
    uint8_t head[FORMAT_HEADER_BYTES_DOMAIN + 4];
    struct packet_header *header = &scratch->cursor.header;
    uint64_t offset = reader->walk.offset;
    size_t got;
    enum heaptap_status status =
        input_read_at(reader->input, offset, head, sizeof head, &got, error);
    if (status == HEAPTAP_OK && got == 0)
        status = reader_check_end(reader, offset, error);
    if (status != HEAPTAP_OK || got == 0)
        return status == HEAPTAP_OK ? HEAPTAP_END : status;
    enum walk_step step = packet_walk_look(&reader->walk, head, got);
    if (step == WALK_GAP)
        return skip_gap(reader, scratch, error);
    if (step == WALK_MOVED)
        return HEAPTAP_OK;
    status = packet_header_decode(
        header, head, got < FORMAT_HEADER_BYTES_DOMAIN ? got : FORMAT_HEADER_BYTES_DOMAIN, offset,
        error);
    if (status == HEAPTAP_OK)
        status = packet_walk_take(&reader->walk, header, error);
    if (status != HEAPTAP_OK)
        return status;
    if (header->pid != reader->info.pid) {
        status = load(reader, header->offset, header->bytes, &scratch->bytes,
                      &scratch->bytes_capacity, &got, error);
        reader->notes.bytes = header->offset + got;
        return status == HEAPTAP_OK
                   ? reader_foreign_packet(reader, header, scratch->bytes, got, error)
                   : status;
    }
    bool has_locations = got >= header->header_bytes + 4 && header->bytes > header->header_bytes &&
                         get_32(head + header->header_bytes) >> FORMAT_TIME_BITS == EVENT_LOCATION;
    return index_packet(reader, scratch, has_locations, error);
}

static enum heaptap_status index_packets(struct heaptap_reader *reader, struct heaptap_error *error)
{
    struct stream *scratch = calloc(1, sizeof *scratch);
    enum heaptap_status status = scratch ? HEAPTAP_OK : error_no_memory(error);
    struct heaptap_error met = {0};
    while (status == HEAPTAP_OK)
        status = index_next(reader, scratch, &met);
    stream_free(scratch);
    if (status == HEAPTAP_BAD_INPUT)
        note_damage(reader->merge, &met);
    else if (status != HEAPTAP_END && error)
        *error = met;
    return status == HEAPTAP_END || status == HEAPTAP_BAD_INPUT ? HEAPTAP_OK : status;
}

/* ---- The heap ----------------------------------------------------------------------- */

static bool earlier(const struct stream *a, const struct stream *b)
{
    if (a->key_us != b->key_us)
        return a->key_us < b->key_us;
    if (a->event.id != b->event.id)
        return a->event.id < b->event.id;
    return a->event.kind < b->event.kind;
}

static void heap_sink(struct merge *merge, size_t index)
{
    struct stream **heap = merge->heap, *moved = heap[index];
    for (;;) {
        size_t child = 2 * index + 1;
        if (child >= merge->heap_count)
            break;
        if (child + 1 < merge->heap_count && earlier(heap[child + 1], heap[child]))
            child++;
        if (!earlier(heap[child], moved))
            break;
        heap[index] = heap[child];
        index = child;
    }
    heap[index] = moved;
}

/* ---- Reading side by side ----------------------------------------------------------- */

/* A packet that was open in the first pass may have grown, or have been finished, since then. */
static void as_it_was(struct packet_header *header, const struct packet_place *place)
{
    header->bytes = place->bytes;
    header->is_open = false;
    if (place->is_open)
        packet_header_leave_open(header);
}

static enum heaptap_status stream_open_packet(struct heaptap_reader *reader, struct stream *stream,
                                              struct heaptap_error *error)
{
    size_t got;
    if (stream->next_packet == stream->count)
        return HEAPTAP_END;
    const struct packet_place *place = &stream->packets[stream->next_packet++];
    enum heaptap_status status = load(reader, place->offset, place->available, &stream->bytes,
                                      &stream->bytes_capacity, &got, error);
    if (status == HEAPTAP_OK)
        status =
            packet_header_decode(&stream->cursor.header, stream->bytes, got, place->offset, error);
    if (status == HEAPTAP_OK) {
        as_it_was(&stream->cursor.header, place);
        status = cursor_open(reader, &stream->cursor, stream->bytes, got, error);
    }
    if (status == HEAPTAP_OK)
        status = cursor_verify(reader, &stream->cursor, error);
    if (status == HEAPTAP_OK && place->done > 0)
        stream->cursor.at = stream->cursor.start + place->done;
    if (place->skipped)
        stream->cursor.next_id = stream->cursor.header.end_id;
    return status;
}

/* Decodes the stream's next event; HEAPTAP_END when it has none. */
static enum heaptap_status stream_advance(struct heaptap_reader *reader, struct stream *stream,
                                          struct heaptap_event *event, struct heaptap_error *error)
{
    struct cursor *cursor = &stream->cursor;
    enum heaptap_status status = HEAPTAP_OK;
    for (;;) {
        if (cursor_quick_next(reader, cursor, event))
            return HEAPTAP_OK;
        while (cursor->open && cursor->at < cursor->end)
            if (cursor_step(reader, cursor, event, &status, error) != STEP_QUIET)
                return status;
        if (cursor->open)
            status = cursor_close(cursor, error);
        if (status == HEAPTAP_OK)
            status = stream_open_packet(reader, stream, error);
        if (status != HEAPTAP_OK)
            return status;
    }
}

/* The same; `*has_event` tells whether there is one.  Damage ends the stream and is kept for the
 * end. */
static enum heaptap_status refill(struct heaptap_reader *reader, struct stream *stream,
                                  struct heaptap_event *event, bool *has_event,
                                  struct heaptap_error *error)
{
    struct heaptap_error met;
    enum heaptap_status status = stream_advance(reader, stream, event, &met);
    *has_event = status == HEAPTAP_OK;
    if (*has_event)
        return HEAPTAP_OK;
    if (status == HEAPTAP_BAD_INPUT)
        note_damage(reader->merge, &met);
    if (status == HEAPTAP_END || status == HEAPTAP_BAD_INPUT) {
        stream->cursor = (struct cursor){0};
        free(stream->bytes);
        stream->bytes = NULL;
        stream->bytes_capacity = 0;
        return HEAPTAP_OK;
    }
    *error = met;
    return status;
}

/* The same for the next event of a stream in the heap. */
static enum heaptap_status refill_key(struct heaptap_reader *reader, struct stream *stream,
                                      bool *has_event, struct heaptap_error *error)
{
    enum heaptap_status status = refill(reader, stream, &stream->event, has_event, error);
    if (*has_event && stream->event.time_us > stream->key_us)
        stream->key_us = stream->event.time_us;
    return status;
}

static enum heaptap_status fill_heap(struct heaptap_reader *reader, struct heaptap_error *error)
{
    struct merge *merge = reader->merge;
    for (unsigned i = 0; i < merge->domain_end; i++) {
        bool has_event;
        if (!merge->by_domain[i])
            continue;
        merge->by_domain[i]->key_us = INT64_MIN;
        if (!ARRAY_RESERVE(&merge->heap, &merge->heap_capacity, merge->heap_count + 1))
            return error_no_memory(error);
        enum heaptap_status status = refill_key(reader, merge->by_domain[i], &has_event, error);
        if (status != HEAPTAP_OK)
            return status;
        if (has_event)
            merge->heap[merge->heap_count++] = merge->by_domain[i];
    }
    for (size_t i = merge->heap_count / 2; i-- > 0;)
        heap_sink(merge, i);
    return HEAPTAP_OK;
}

enum heaptap_status merge_new(struct heaptap_reader *reader, struct heaptap_error *error)
{
    struct merge *merge = reader->merge = calloc(1, sizeof *merge);
    if (!merge || !(merge->by_domain = calloc(DOMAIN_COUNT, sizeof *merge->by_domain)))
        return error_no_memory(error);
    struct heaptap_error met = {0};
    enum heaptap_status status = index_packets(reader, &met);
    if (status == HEAPTAP_OK && input_late_error(reader->input, &met))
        note_damage(merge, &met);
    if (status == HEAPTAP_OK)
        status = fill_heap(reader, &met);
    if (status != HEAPTAP_OK && error)
        *error = met;
    return status;
}

/* Replaces the event that the caller is done with by its domain's next one. */
static enum heaptap_status replace_delivered(struct heaptap_reader *reader,
                                             struct heaptap_error *error)
{
    struct merge *merge = reader->merge;
    bool has_event;
    enum heaptap_status status = refill_key(reader, merge->delivered, &has_event, error);
    if (status != HEAPTAP_OK)
        return status;
    if (!has_event)
        merge->heap[0] = merge->heap[--merge->heap_count];
    if (merge->heap_count > 0)
        heap_sink(merge, 0);
    return HEAPTAP_OK;
}

enum heaptap_status merge_next(struct heaptap_reader *reader, struct heaptap_event *event,
                               struct heaptap_error *error)
{
    struct merge *merge = reader->merge;
    if (merge->delivered && merge->heap_count == 1) { /* one domain is left: nothing to compare */
        bool has_event;
        reader->only = &merge->delivered->cursor;
        enum heaptap_status status = refill(reader, merge->delivered, event, &has_event, error);
        if (status != HEAPTAP_OK || has_event)
            return status;
        merge->heap_count = 0;
    } else if (merge->delivered) {
        enum heaptap_status status = replace_delivered(reader, error);
        if (status != HEAPTAP_OK)
            return status;
    }
    if (merge->heap_count == 0) {
        *error = merge->damage;
        merge->delivered = NULL;
        return merge->damage.status == HEAPTAP_OK ? HEAPTAP_END : merge->damage.status;
    }
    merge->delivered = merge->heap[0];
    *event = merge->delivered->event;
    return HEAPTAP_OK;
}
