/* The mended trace is written into a new file beside the old one, which it replaces by rename: whoever is killed
 * on the way leaves the old one, and a file with six random characters behind its name.
 *
 * Packets are copied one after another with their rooms taken off; an open one gets its end and its end id, for which
 * its events are decoded.  What holds nothing, fillers and open packets without events, is left out. */
#include "trace/mend.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "heaptap/trace.h"
#include "trace/reader.h"
#include "spec/trace_format.h"
#include "tap/trace/put.h"

enum { END_OFFSET = 16, IDS_BEFORE_BODY = 8, MARK_MOST = 64 };

struct mending {
    struct input *input;
    struct heaptap_reader *reader; /* for what its domains remember from packet to packet */
    struct packet_walk walk;
    struct heaptap_sink output;
    struct packet_header header; /* of the packet at hand ... */
    uint8_t *bytes;              /* ... and its bytes, with slack behind them */
    size_t capacity;
    size_t copied; /* packets */
};

/* HEAPTAP_END at the end of the trace. */
static enum heaptap_status find_packet(struct mending *mending, struct heaptap_error *error)
{
    uint8_t head[FORMAT_HEADER_BYTES_DOMAIN];
    size_t got;
    enum walk_step step;
    do {
        enum heaptap_status status =
            input_read_at(mending->input, mending->walk.offset, head, sizeof head, &got, error);
        if (status != HEAPTAP_OK || got == 0)
            return status == HEAPTAP_OK ? HEAPTAP_END : status;
        step = packet_walk_look(&mending->walk, head, got);
    } while (step == WALK_MOVED);
    enum heaptap_status status =
        packet_header_decode(&mending->header, head, got, mending->walk.offset, error);
    return status == HEAPTAP_OK ? packet_walk_take(&mending->walk, &mending->header, error)
                                : status;
}

static enum heaptap_status load_packet(struct mending *mending, struct heaptap_error *error)
{
    const struct packet_header *header = &mending->header;
    size_t got;
    if (!ARRAY_RESERVE(&mending->bytes, &mending->capacity, header->bytes + WINDOW_SLACK_BYTES))
        return error_no_memory(error);
    memset(mending->bytes + header->bytes, 0, WINDOW_SLACK_BYTES);
    enum heaptap_status status =
        input_read_at(mending->input, header->offset, mending->bytes, header->bytes, &got, error);
    if (status == HEAPTAP_OK && got < header->bytes)
        return error_at(error, header->offset + got, "the trace ends here, inside a packet");
    return status;
}

/* Decodes the events of an open packet: when the last one was, and the id behind the last block. */
static enum heaptap_status find_end(struct mending *mending, int64_t *end_us, uint64_t *end_id,
                                    struct heaptap_error *error)
{
    struct cursor cursor = {.header = mending->header};
    struct heaptap_event event = {0};
    int64_t start_us = mending->reader->info.start_us;
    *end_us = mending->header.begin_us;
    enum heaptap_status status =
        cursor_open(mending->reader, &cursor, mending->bytes, mending->header.bytes, error);
    while (status == HEAPTAP_OK && cursor.at < cursor.end) {
        enum step step = cursor_step(mending->reader, &cursor, &event, &status, error);
        int64_t time_us = (int64_t)((uint64_t)event.time_us + (uint64_t)start_us);
        if (step == STEP_EVENT && time_us > *end_us)
            *end_us = time_us;
    }
    *end_id = cursor.next_id;
    return status;
}

/* Nothing but records that mean nothing. */
static bool is_filler(const struct mending *mending)
{
    const uint8_t *at = mending->bytes + mending->header.header_bytes;
    const uint8_t *end = mending->bytes + mending->header.bytes;
    if (mending->header.pid != FORMAT_METADATA_PID)
        return false;
    while (at < end && *at == 0)
        at++;
    return at == end;
}

static bool holds_nothing(const struct mending *mending)
{
    const struct packet_header *header = &mending->header;
    return (header->is_open && header->bytes == header->header_bytes) || is_filler(mending);
}

static enum heaptap_status put_bytes(struct mending *mending, const void *bytes, size_t size,
                                     struct heaptap_error *error)
{
    errno = mending->output.write(mending->output.context, bytes, size);
    return errno ? error_system(error, "writing the finished trace") : HEAPTAP_OK;
}

/* A packet of metadata with that record alone (spec/trace_format.h), of which the header is in most the one at hand. */
static enum heaptap_status put_mark(struct mending *mending, const char *text,
                                    struct heaptap_error *error)
{
    uint8_t packet[FORMAT_HEADER_BYTES_DOMAIN + MARK_MOST];
    size_t header_bytes = mending->header.header_bytes, text_bytes = strlen(text) + 1;
    size_t size = header_bytes + FORMAT_RECORD_HEADER_BYTES + sizeof(uint64_t) + text_bytes;
    uint8_t *record = packet + header_bytes;
    if (header_bytes > FORMAT_HEADER_BYTES_DOMAIN)
        return HEAPTAP_OK;
    memcpy(packet, mending->bytes, header_bytes);
    put_32(packet + FORMAT_SIZE_OFFSET, (uint32_t)(8 * size));
    put_64(packet + END_OFFSET, (uint64_t)mending->header.begin_us);
    put_32(packet + PACKET_ROOM_OFFSET, 0);
    put_64(packet + PACKET_PID_OFFSET, FORMAT_METADATA_PID);
    put_64(packet + header_bytes - IDS_BEFORE_BODY, mending->header.first_id);
    record[0] = HEAPTAP_STOPPED;
    put_32(record + 1, (uint32_t)(sizeof(uint64_t) + text_bytes));
    put_64(record + FORMAT_RECORD_HEADER_BYTES, UINT64_MAX);
    memcpy(record + FORMAT_RECORD_HEADER_BYTES + sizeof(uint64_t), text, text_bytes);
    return put_bytes(mending, packet, size, error);
}

static enum heaptap_status copy_packet(struct mending *mending, struct heaptap_error *error)
{
    const struct packet_header *header = &mending->header;
    int64_t end_us = header->begin_us;
    uint64_t end_id = header->first_id;
    enum heaptap_status status = HEAPTAP_OK;
    if (holds_nothing(mending))
        return HEAPTAP_OK;
    if (header->is_open && header->pid == mending->reader->info.pid)
        status = find_end(mending, &end_us, &end_id, error);
    if (status != HEAPTAP_OK)
        return status;
    put_32(mending->bytes + PACKET_ROOM_OFFSET, 0);
    if (header->is_open) {
        put_64(mending->bytes + END_OFFSET, (uint64_t)end_us);
        put_64(mending->bytes + header->header_bytes - IDS_BEFORE_BODY, end_id);
    }
    status = put_bytes(mending, mending->bytes, header->bytes, error);
    return status == HEAPTAP_OK && mending->copied++ == 0
               ? put_mark(mending, STOP_END_FOLLOWS, error)
               : status;
}

static enum heaptap_status copy_packets(struct mending *mending, struct heaptap_error *error)
{
    enum heaptap_status status = HEAPTAP_OK;
    while (status == HEAPTAP_OK) {
        status = find_packet(mending, error);
        if (status == HEAPTAP_OK)
            status = load_packet(mending, error);
        if (status == HEAPTAP_OK)
            status = copy_packet(mending, error);
    }
    return status == HEAPTAP_END ? put_mark(mending, STOP_END, error) : status;
}

/* ---- Files -------------------------------------------------------------------------- */

/* A new file beside `path`, of the same mode, and of the same owner where that can be. */
static int open_beside(const char *path, char **name)
{
    struct stat status;
    int fd = -1;
    if (stat(path, &status) == 0 && asprintf(name, "%s.XXXXXX", path) >= 0)
        fd = mkostemp(*name, O_CLOEXEC);
    else
        *name = NULL;
    if (fd >= 0) {
        int ignored = fchown(fd, status.st_uid, status.st_gid);
        (void)ignored;
        fchmod(fd, status.st_mode & 07777);
    }
    return fd;
}

static enum heaptap_status replace(struct mending *mending, const char *path,
                                   struct heaptap_error *error)
{
    char *name = NULL;
    int fd = open_beside(path, &name);
    if (fd < 0) {
        free(name);
        return error_system(error, "making a file for the finished trace");
    }
    mending->output = heaptap_sink_fd(fd);
    enum heaptap_status status = copy_packets(mending, error);
    if (close(fd) != 0 && status == HEAPTAP_OK)
        status = error_system(error, "writing the finished trace");
    if (status == HEAPTAP_OK && rename(name, path) != 0)
        status = error_system(error, "renaming the finished trace");
    if (status != HEAPTAP_OK)
        unlink(name);
    free(name);
    return status;
}

/* Where blocks are left out, a copy of what is left is all that can be finished (thinning.h). */
static bool is_thinned(const char *path)
{
    static const struct heaptap_reader_options how = {.order = HEAPTAP_TRUE_ORDER,
                                                      .skip_stacks = true};
    struct heaptap_reader *reader;
    bool thins =
        heaptap_reader_open(&reader, path, &how, NULL) == HEAPTAP_OK && reader_thins(reader);
    heaptap_reader_close(reader);
    return thins;
}

/* Does the trace have regions?  A walk over its first packet tells. */
static bool is_for_mending(struct mending *mending)
{
    bool has_packet = input_seekable(mending->input) && find_packet(mending, NULL) == HEAPTAP_OK;
    bool has_regions = has_packet && mending->walk.has_regions;
    mending->walk = (struct packet_walk){0};
    return has_regions;
}

enum heaptap_status trace_mend(const char *path, struct heaptap_error *error)
{
    static const struct heaptap_reader_options how = {.skip_stacks = true};
    struct mending mending = {0};
    char *target = realpath(path, NULL); /* a symbolic link stays one */
    if (!target)
        return error_system(error, "cannot open");
    enum heaptap_status status = input_open(&mending.input, target, error);
    if (status == HEAPTAP_OK && is_for_mending(&mending) && !is_thinned(target)) {
        status = heaptap_reader_open(&mending.reader, target, &how, error);
        if (status == HEAPTAP_OK)
            status = replace(&mending, target, error);
    }
    heaptap_reader_close(mending.reader);
    input_close(mending.input);
    free(mending.bytes);
    free(target);
    return status;
}
