/* A trace's first packet: is it a trace at all, and what does it say of the run. */
#include <string.h>

#include "base/error.h"
#include "trace/get.h"
#include "trace/reader.h"

/* The strings of the trace info packet, one after another. */
struct info_cursor {
    const uint8_t *at, *end;
    bool ok;
};

static const char *info_string(struct heaptap_reader *reader, struct info_cursor *cursor)
{
    const uint8_t *stop = cursor->ok && cursor->at < cursor->end
                              ? memchr(cursor->at, 0, (size_t)(cursor->end - cursor->at))
                              : NULL;
    cursor->ok = stop;
    if (!stop)
        return "";
    const char *text =
        names_intern(&reader->frames.names, (const char *)cursor->at, (size_t)(stop - cursor->at));
    cursor->ok = text;
    cursor->at = stop + 1;
    return text ? text : "";
}

static uint64_t info_number(struct info_cursor *cursor, size_t size)
{
    uint64_t value = 0;
    cursor->ok = cursor->ok && (size_t)(cursor->end - cursor->at) >= size;
    for (size_t i = 0; cursor->ok && i < size; i++)
        value |= (uint64_t)cursor->at[i] << (8 * i);
    cursor->at += cursor->ok ? size : 0;
    return value;
}

static bool take_info(struct heaptap_reader *reader, const struct packet_header *header,
                      struct info_cursor *cursor)
{
    struct heaptap_trace_info *info = &reader->info;
    uint64_t rate = info_number(cursor, sizeof rate);
    memcpy(&info->sample_rate, &rate, sizeof rate);
    info->word_bits = (unsigned)info_number(cursor, 1);
    info->executable = info_string(reader, cursor);
    info->host = info_string(reader, cursor);
    info->runtime_params = info_string(reader, cursor);
    info->pid = info_number(cursor, 8);
    info->context = header->version >= FORMAT_VERSION_CONTEXT ? info_string(reader, cursor) : "";
    info->version = header->version;
    info->start_us = header->begin_us;
    info->initial_domain = header->domain;
    return cursor->ok;
}

static enum heaptap_status check_info(const struct heaptap_trace_info *info, uint64_t offset,
                                      struct heaptap_error *error)
{
    if (!(info->sample_rate > 0 && info->sample_rate <= 1))
        return error_at(error, offset,
                        "the sampling rate is %g; expected more than 0 and at most 1",
                        info->sample_rate);
    if (info->word_bits == 0 || info->word_bits % 8 != 0)
        return error_at(error, offset + 8, "the word size is %u bits; expected a multiple of 8",
                        info->word_bits);
    return HEAPTAP_OK;
}

/* Damage to the first packet's size, or to a pid, would pass for a trace without events. */
static enum heaptap_status check_info_packet(const struct heaptap_reader *reader,
                                             const struct packet_header *header, size_t end,
                                             size_t available, struct heaptap_error *error)
{
    if (header->bytes > available)
        return error_at(error, available,
                        "the trace ends here, in the packet that began at byte 0 and should go on "
                        "to byte %zu",
                        header->bytes);
    if (header->bytes != end)
        return error_at(error, end,
                        "the description of the trace ends here, but its packet goes on to byte "
                        "%zu",
                        header->bytes);
    if (header->pid != reader->info.pid)
        return error_at(error, PACKET_PID_OFFSET,
                        "the first packet is of process %llu, but describes a trace of process "
                        "%llu",
                        (unsigned long long)header->pid, (unsigned long long)reader->info.pid);
    return HEAPTAP_OK;
}

/* Is this a trace at all? */
static enum heaptap_status check_beginning(const struct window *window, size_t available,
                                           struct heaptap_error *error)
{
    if (available == 0 && window->input_error.status != HEAPTAP_OK) {
        if (error)
            *error = window->input_error;
        return window->input_error.status;
    }
    if (available == 0)
        return error_at(error, 0, "this is empty, not a memtrace trace");
    if (get_32(window_at(window)) != FORMAT_MAGIC)
        return error_at(
            error, 0, "this is not a memtrace trace, which would begin with the bytes c1 1f fc c1");
    return HEAPTAP_OK;
}

enum heaptap_status reader_read_info(struct heaptap_reader *reader, struct heaptap_error *error)
{
    struct window *window = &reader->window;
    struct packet_header header;
    size_t available;
    enum heaptap_status status = window_fill(window, FORMAT_HEADER_BYTES_DOMAIN, &available, error);
    if (status == HEAPTAP_OK)
        status = check_beginning(window, available, error);
    if (status == HEAPTAP_OK)
        status = packet_header_decode(&header, window_at(window), available, 0, error);
    if (status == HEAPTAP_OK)
        status = packet_walk_take(&reader->walk, &header, error);
    if (status == HEAPTAP_OK)
        status = window_fill(window, header.bytes, &available, error);
    if (status != HEAPTAP_OK)
        return status;
    const uint8_t *start = window_at(window), *event = start + header.header_bytes;
    struct info_cursor cursor = {
        event + 4, start + (available < header.bytes ? available : header.bytes), true};
    if (cursor.at > cursor.end || get_32(event) >> FORMAT_TIME_BITS != EVENT_INFO)
        return error_at(error, header.header_bytes,
                        "the first event of a trace should be its description (code 0)");
    if (!take_info(reader, &header, &cursor))
        return error_at(error, (uint64_t)(cursor.at - start),
                        "the description of the trace is cut short");
    status = check_info(&reader->info, header.header_bytes + 4, error);
    if (status == HEAPTAP_OK)
        status = check_info_packet(reader, &header, (size_t)(cursor.at - start), available, error);
    window_skip(window, header.bytes < available ? header.bytes : available);
    return status;
}
