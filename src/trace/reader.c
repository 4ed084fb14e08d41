/* A reader of one trace: opening it, the events in file order, and what callers can ask of it. */
#include "trace/reader.h"

#include <stdlib.h>

#include "base/error.h"
#include "trace/packet_scan.h"
#include "trace/quick.h"

/* ---- Opening ------------------------------------------------------------------------ */

enum heaptap_status reader_open_input(struct heaptap_reader **result, struct input *input,
                                      const struct heaptap_reader_options *options,
                                      struct heaptap_error *error)
{
    struct heaptap_reader *reader = calloc(1, sizeof *reader);
    *result = NULL;
    if (!reader) {
        input_close(input);
        return error_no_memory(error);
    }
    reader->input = reader->window.input = input;
    reader->only = &reader->cursor;
    if (options)
        reader->options = *options;
    reader->domains = calloc(DOMAIN_COUNT, sizeof *reader->domains);
    enum heaptap_status status = HEAPTAP_OK;
    if (!reader->domains || !frames_init(&reader->frames))
        status = error_no_memory(error);
    if (status == HEAPTAP_OK && reader->options.order == HEAPTAP_TRUE_ORDER &&
        !input_seekable(input))
        status = input_spool(input, packet_scan_take, &(struct packet_scan){0}, error);
    if (status == HEAPTAP_OK)
        status = reader_read_info(reader, error);
    if (status == HEAPTAP_OK && reader->options.order == HEAPTAP_TRUE_ORDER)
        status = merge_new(reader, error);
    if (status != HEAPTAP_OK) {
        heaptap_reader_close(reader);
        return status;
    }
    *result = reader;
    return HEAPTAP_OK;
}

enum heaptap_status reader_begin_again(struct heaptap_reader **reader,
                                       const struct heaptap_reader_options *options,
                                       struct heaptap_error *error)
{
    struct input *input = (*reader)->input;
    if ((*reader)->calls)
        return (*reader)->calls->begin_again(reader, options, error);
    struct reader_ending ending = (*reader)->ending;
    (*reader)->input = NULL;
    heaptap_reader_close(*reader);
    *reader = NULL;
    enum heaptap_status status = input_rewind(input, error);
    if (status != HEAPTAP_OK) {
        input_close(input);
        return status;
    }
    status = reader_open_input(reader, input, options, error);
    if (status == HEAPTAP_OK)
        (*reader)->ending = ending;
    return status;
}

static enum heaptap_status no_place(struct heaptap_error *error)
{
    return error_set(error, HEAPTAP_BAD_ARGUMENT, "there is no place for the reader");
}

enum heaptap_status heaptap_reader_open_fd(struct heaptap_reader **reader, int fd,
                                           const struct heaptap_reader_options *options,
                                           struct heaptap_error *error)
{
    struct input *input;
    enum heaptap_status status = input_open_fd(&input, fd, error);
    if (reader)
        *reader = NULL;
    if (status == HEAPTAP_OK && !reader) {
        input_close(input);
        return no_place(error);
    }
    return status == HEAPTAP_OK ? reader_open_input(reader, input, options, error) : status;
}

enum heaptap_status heaptap_reader_open(struct heaptap_reader **reader, const char *path,
                                        const struct heaptap_reader_options *options,
                                        struct heaptap_error *error)
{
    struct input *input;
    if (!reader)
        return no_place(error);
    *reader = NULL;
    if (!path)
        return error_set(error, HEAPTAP_BAD_ARGUMENT, "there is no path");
    enum heaptap_status status = input_open(&input, path, error);
    return status == HEAPTAP_OK ? reader_open_input(reader, input, options, error) : status;
}

enum heaptap_status heaptap_reader_open_memory(struct heaptap_reader **reader, const void *data,
                                               size_t size,
                                               const struct heaptap_reader_options *options,
                                               struct heaptap_error *error)
{
    struct input *input;
    if (!reader)
        return no_place(error);
    *reader = NULL;
    if (!data && size > 0)
        return error_set(error, HEAPTAP_BAD_ARGUMENT, "there are no bytes");
    enum heaptap_status status = input_open_memory(&input, data, size, error);
    return status == HEAPTAP_OK ? reader_open_input(reader, input, options, error) : status;
}

void heaptap_reader_close(struct heaptap_reader *reader)
{
    if (!reader)
        return;
    if (reader->calls)
        reader->calls->release(reader);
    for (unsigned i = 0; i < reader->domain_end; i++) {
        if (!reader->domains[i])
            continue;
        stack_decoder_release(&reader->domains[i]->stacks);
        location_decoder_free(reader->domains[i]->locations);
        free(reader->domains[i]);
    }
    free(reader->domains);
    thinning_release(&reader->thinning);
    frames_release(&reader->frames);
    free(reader->metadata);
    merge_free(reader->merge);
    window_release(&reader->window);
    input_close(reader->input);
    free(reader);
}

/* ---- File order --------------------------------------------------------------------- */

enum heaptap_status reader_foreign_packet(struct heaptap_reader *reader,
                                          const struct packet_header *header, const uint8_t *start,
                                          size_t available, struct heaptap_error *error)
{
    if (header->pid == FORMAT_METADATA_PID) {
        size_t size = header->bytes < available ? header->bytes : available;
        enum heaptap_status status =
            reader_take_metadata(reader, start + header->header_bytes, start + size, error);
        if (status != HEAPTAP_OK)
            return status;
    } else {
        reader->notes.foreign_packets++;
    }
    if (available < header->bytes)
        return error_at(error, header->offset + available,
                        "the trace ends here, in the packet that began at byte %llu and should go "
                        "on to byte %llu",
                        (unsigned long long)header->offset,
                        (unsigned long long)(header->offset + header->bytes));
    return HEAPTAP_OK;
}

/* Skips zero bytes where a packet should begin: the holes of a writer that was killed. */
static enum heaptap_status skip_gap(struct heaptap_reader *reader, struct heaptap_error *error)
{
    struct window *window = &reader->window;
    size_t available, zeros;
    reader->notes.empty_gaps++;
    do {
        enum heaptap_status status = window_fill(window, 1, &available, error);
        if (status != HEAPTAP_OK)
            return status;
        for (zeros = 0; zeros < available && window_at(window)[zeros] == 0;)
            zeros++;
        window_skip(window, zeros);
    } while (zeros > 0);
    reader->walk.offset = window->offset;
    return HEAPTAP_OK;
}

/* The end of the data, or what is wrong with them. */
static enum heaptap_status end_of_input(const struct heaptap_reader *reader,
                                        struct heaptap_error *error)
{
    const struct window *window = &reader->window;
    if (window->input_error.status == HEAPTAP_OK) {
        enum heaptap_status status = reader_check_end(reader, window->offset, error);
        return status == HEAPTAP_OK ? HEAPTAP_END : status;
    }
    if (error)
        *error = window->input_error;
    return window->input_error.status;
}

/* Moves the window to the next packet, whose header's bytes are `*available`.  HEAPTAP_END at the
 * end. */
static enum heaptap_status find_packet(struct heaptap_reader *reader, size_t *available,
                                       struct heaptap_error *error)
{
    struct window *window = &reader->window;
    enum walk_step step;
    do {
        enum heaptap_status status = window_move(window, reader->walk.offset, error);
        if (status == HEAPTAP_OK)
            status = window_fill(window, FORMAT_HEADER_BYTES_DOMAIN, available, error);
        if (status != HEAPTAP_OK)
            return status;
        reader->notes.bytes = window->offset;
        if (*available == 0)
            return end_of_input(reader, error);
        step = packet_walk_look(&reader->walk, window_at(window), *available);
        if (step == WALK_GAP)
            status = skip_gap(reader, error);
        if (status != HEAPTAP_OK)
            return status;
    } while (step != WALK_PACKET);
    return HEAPTAP_OK;
}

/* Begins the packet at the window, of which `available` bytes are there. */
static enum heaptap_status open_packet(struct heaptap_reader *reader, size_t available,
                                       struct heaptap_error *error)
{
    struct cursor *cursor = &reader->cursor;
    enum heaptap_status status =
        cursor_open(reader, cursor, window_at(&reader->window), available, error);
    if (status == HEAPTAP_OK)
        status = cursor_verify(reader, cursor, error);
    cursor->open = status == HEAPTAP_OK;
    if (!cursor->open)
        cursor->quick_end = NULL;
    reader->notes.packets += cursor->open;
    reader->notes.open_packets += cursor->open && cursor->header.is_open;
    return status;
}

/* Goes on to the next packet of the traced process. */
static enum heaptap_status next_packet(struct heaptap_reader *reader, struct heaptap_error *error)
{
    struct window *window = &reader->window;
    struct cursor *cursor = &reader->cursor;
    for (;;) {
        size_t available;
        enum heaptap_status status = find_packet(reader, &available, error);
        if (status == HEAPTAP_OK)
            status = packet_header_decode(&cursor->header, window_at(window), available,
                                          window->offset, error);
        if (status == HEAPTAP_OK)
            status = packet_walk_take(&reader->walk, &cursor->header, error);
        if (status == HEAPTAP_OK)
            status = window_fill(window, cursor->header.bytes, &available, error);
        if (status != HEAPTAP_OK)
            return status;
        if (cursor->header.pid == reader->info.pid)
            return open_packet(reader, available, error);
        status =
            reader_foreign_packet(reader, &cursor->header, window_at(window), available, error);
        if (status != HEAPTAP_OK)
            return status;
    }
}

static enum heaptap_status next_in_file(struct heaptap_reader *reader, struct heaptap_event *event,
                                        struct heaptap_error *error)
{
    struct cursor *cursor = &reader->cursor;
    enum heaptap_status status = HEAPTAP_OK;
    for (;;) {
        while (cursor->open && cursor->at < cursor->end) {
            enum step step = cursor_step(reader, cursor, event, &status, error);
            if (step != STEP_QUIET)
                return status;
        }
        if (cursor->open) {
            window_skip(&reader->window, (size_t)(cursor->end - cursor->start));
            reader->notes.bytes = reader->window.offset;
            status = cursor_close(cursor, error);
        }
        if (status == HEAPTAP_OK)
            status = next_packet(reader, error);
        if (status != HEAPTAP_OK)
            return status;
    }
}

/* ---- What callers see --------------------------------------------------------------- */

static enum heaptap_status end_with(struct heaptap_reader *reader, enum heaptap_status status,
                                    const struct heaptap_error *met, struct heaptap_error *error)
{
    reader->ended = status;
    reader->damage = *met;
    reader->only->quick_end = NULL;
    if (error && status != HEAPTAP_END)
        *error = *met;
    return status;
}

/* All but the quick way; out of line, so that that one needs no frame. */
static __attribute__((noinline)) enum heaptap_status
next_slowly(struct heaptap_reader *reader, struct heaptap_event *event, struct heaptap_error *error)
{
    struct heaptap_error met;
    if (reader->ended != HEAPTAP_OK) {
        met = reader->damage;
        return end_with(reader, reader->ended, &met, error);
    }
    enum heaptap_status status = reader->calls   ? reader->calls->next(reader, event, &met)
                                 : reader->merge ? merge_next(reader, event, &met)
                                                 : next_in_file(reader, event, &met);
    if (status == HEAPTAP_OK)
        return HEAPTAP_OK;
    if (reader->ending.told)
        reader->ending.told(reader, reader->ending.context);
    return end_with(reader, status, &met, error);
}

enum heaptap_status heaptap_reader_next(struct heaptap_reader *reader, struct heaptap_event *event,
                                        struct heaptap_error *error)
{
    if (!reader || !event)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "there is no reader, or no place for the event");
    if (cursor_quick_next(reader, reader->only, event))
        return HEAPTAP_OK;
    return next_slowly(reader, event, error);
}

enum heaptap_status heaptap_reader_next_many(struct heaptap_reader *reader,
                                             struct heaptap_event *events, size_t max,
                                             size_t *count, struct heaptap_error *error)
{
    if (!reader || !events || !count)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "there is no reader, or no place for the events");
    struct cursor cursor = *reader->only; /* a copy, to be kept in registers */
    size_t most = reader->options.skip_stacks ? max : 1, done = 0;
    while (done < most && cursor_quick_next(reader, &cursor, &events[done]))
        done++;
    *reader->only = cursor;
    *count = done ? done : 1;
    return done ? HEAPTAP_OK : next_slowly(reader, events, error);
}

const struct heaptap_trace_info *heaptap_reader_info(const struct heaptap_reader *reader)
{
    if (!reader)
        return NULL;
    return &reader->info;
}

const struct heaptap_reader_notes *heaptap_reader_notes(const struct heaptap_reader *reader)
{
    if (!reader)
        return NULL;
    return &reader->notes;
}

const char *heaptap_reader_compression(const struct heaptap_reader *reader)
{
    if (!reader)
        return NULL;
    return reader->calls ? reader->calls->compression(reader) : input_compression(reader->input);
}

uint64_t heaptap_reader_stored_bytes(const struct heaptap_reader *reader)
{
    if (!reader)
        return 0;
    return reader->calls ? reader->calls->stored_bytes(reader) : input_stored_bytes(reader->input);
}

uint32_t heaptap_reader_frame_count(const struct heaptap_reader *reader)
{
    if (!reader)
        return 0;
    return (uint32_t)reader->frames.count;
}

uint64_t heaptap_reader_frame_code(const struct heaptap_reader *reader, uint32_t frame)
{
    if (!reader || frame >= reader->frames.count)
        return 0;
    return reader->frames.items[frame].code;
}

bool heaptap_reader_find_frame(const struct heaptap_reader *reader, uint64_t code, uint32_t *frame)
{
    const uint32_t *found = reader ? map_find(&reader->frames.by_code, code) : NULL;
    if (found && frame)
        *frame = *found;
    return found;
}

const struct heaptap_location *heaptap_reader_frame_locations(const struct heaptap_reader *reader,
                                                              uint32_t frame, size_t *count)
{
    static const struct frame none;
    bool is_there = reader && frame < reader->frames.count;
    const struct frame *item = is_there ? &reader->frames.items[frame] : &none;
    if (count)
        *count = item->location_count;
    return item->location_count > 0 ? reader->frames.locations + item->first_location : NULL;
}

const struct heaptap_metadata *heaptap_reader_metadata(const struct heaptap_reader *reader,
                                                       size_t *count)
{
    if (count)
        *count = reader ? reader->metadata_count : 0;
    return reader ? reader->metadata : NULL;
}
