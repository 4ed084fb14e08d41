/* Two layers.  Below, raw bytes from a descriptor or from memory, with a buffer in front of a
 * descriptor.  Above, a decoder that turns raw bytes into the trace's: none, zlib or zstd.  Only a
 * plain input over a regular file or memory can seek; any other becomes one by being spooled. */
#include "trace/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/error.h"
#include "base/temporary.h"
#include "heaptap/trace.h"

enum { RAW_BYTES = 256 << 10, MAGIC_BYTES = 4 };

enum encoding { PLAIN, GZIP, ZSTD };

struct input {
    int fd;                 /* -1 for memory */
    bool is_regular;        /* the descriptor can seek */
    const uint8_t *raw;     /* raw bytes not yet consumed ... */
    size_t raw_size;        /* ... and how many */
    uint8_t *raw_buffer;    /* RAW_BYTES, for a descriptor */
    bool raw_ended;         /* the descriptor has no more */
    const uint8_t *memory;  /* all of the input, where it is memory */
    size_t memory_size;     /* bytes of it */
    off_t start;            /* where in a regular file the trace begins */
    enum encoding encoding; /* of the raw bytes */
    z_stream gzip;          /* its decoder */
    ZSTD_DStream *zstd;     /* its decoder */
    size_t zstd_wants; /* how much it takes for its next block: never fed more, so that a damaged
                          block doesn't take the sound ones before it along */
    bool inside;       /* a member (gzip) or frame (zstd) has begun and not ended */
    uint64_t produced; /* decompressed bytes so far */
    uint8_t ahead[INPUT_PEEK_BYTES]; /* decompressed bytes that were peeked at ... */
    size_t ahead_begin, ahead_end;   /* ... and are still to be read */
    uint64_t taken;          /* raw bytes read so far, of a stream; all of them, once spooled */
    bool spooled;            /* the descriptor is that of a copy */
    enum encoding stored_as; /* what the trace came in, also after spooling */
    struct heaptap_error late_error; /* met while spooling; to be reported at the end */
};

/* Makes at least one raw byte available unless the end has come. */
static enum heaptap_status raw_fill(struct input *input, struct heaptap_error *error)
{
    if (input->raw_size > 0 || input->raw_ended)
        return HEAPTAP_OK;
    ssize_t got;
    do
        got = read(input->fd, input->raw_buffer, RAW_BYTES);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return error_system(error, "reading the trace");
    input->raw = input->raw_buffer;
    input->raw_size = (size_t)got;
    input->taken += input->spooled ? 0 : (uint64_t)got;
    input->raw_ended = got == 0;
    return HEAPTAP_OK;
}

/* Reads on until `wanted` bytes are there, as pipes give what they please. */
static enum heaptap_status raw_fill_up(struct input *input, size_t wanted,
                                       struct heaptap_error *error)
{
    enum heaptap_status status = raw_fill(input, error);
    if (input->fd >= 0 && input->raw_size > 0 && input->raw_size < wanted)
        input->raw = memmove(input->raw_buffer, input->raw, input->raw_size);
    while (status == HEAPTAP_OK && input->fd >= 0 && !input->raw_ended &&
           input->raw_size < wanted) {
        ssize_t got =
            read(input->fd, input->raw_buffer + input->raw_size, RAW_BYTES - input->raw_size);
        if (got < 0 && errno != EINTR)
            return error_system(error, "reading the trace");
        input->raw_ended = got == 0;
        input->raw_size += got > 0 ? (size_t)got : 0;
        input->taken += got > 0 && !input->spooled ? (uint64_t)got : 0;
    }
    return status;
}

static void raw_consume(struct input *input, size_t size)
{
    input->raw += size;
    input->raw_size -= size;
}

static enum encoding encoding_of(const uint8_t *bytes, size_t size)
{
    if (size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b)
        return GZIP;
    if (size >= MAGIC_BYTES && memcmp(bytes, "\x28\xb5\x2f\xfd", MAGIC_BYTES) == 0)
        return ZSTD;
    return PLAIN;
}

static enum heaptap_status start_decoder(struct input *input, struct heaptap_error *error)
{
    enum heaptap_status status = raw_fill_up(input, MAGIC_BYTES, error);
    if (status != HEAPTAP_OK)
        return status;
    input->encoding = input->stored_as = encoding_of(input->raw, input->raw_size);
    if (input->encoding == GZIP && inflateInit2(&input->gzip, 15 + 16) != Z_OK)
        return error_no_memory(error);
    if (input->encoding == ZSTD && !(input->zstd = ZSTD_createDStream()))
        return error_no_memory(error);
    if (input->encoding == ZSTD)
        input->zstd_wants = ZSTD_initDStream(input->zstd);
    return HEAPTAP_OK;
}

static enum heaptap_status finish_open(struct input **result, struct input *input,
                                       struct heaptap_error *error)
{
    enum heaptap_status status = start_decoder(input, error);
    if (status != HEAPTAP_OK) {
        input_close(input);
        return status;
    }
    *result = input;
    return HEAPTAP_OK;
}

enum heaptap_status input_open_fd(struct input **result, int fd, struct heaptap_error *error)
{
    struct input *input = calloc(1, sizeof *input);
    *result = NULL;
    if (!input || !(input->raw_buffer = malloc(RAW_BYTES))) {
        free(input);
        close(fd);
        return error_no_memory(error);
    }
    struct stat stat;
    input->fd = fd;
    input->is_regular = fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode);
    input->start = input->is_regular ? lseek(fd, 0, SEEK_CUR) : 0;
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return finish_open(result, input, error);
}

enum heaptap_status input_open(struct input **result, const char *path, struct heaptap_error *error)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
    *result = NULL;
    return fd < 0 ? error_system(error, "cannot open") : input_open_fd(result, fd, error);
}

enum heaptap_status input_open_memory(struct input **result, const void *data, size_t size,
                                      struct heaptap_error *error)
{
    struct input *input = calloc(1, sizeof *input);
    *result = NULL;
    if (!input)
        return error_no_memory(error);
    input->fd = -1;
    input->raw = input->memory = data;
    input->raw_size = input->memory_size = size;
    input->raw_ended = true;
    return finish_open(result, input, error);
}

void input_close(struct input *input)
{
    if (!input)
        return;
    if (input->encoding == GZIP)
        inflateEnd(&input->gzip);
    ZSTD_freeDStream(input->zstd);
    free(input->raw_buffer);
    if (input->fd >= 0)
        close(input->fd);
    free(input);
}

static enum heaptap_status damaged(const struct input *input, const char *what,
                                   struct heaptap_error *error)
{
    return error_at(error, input->produced, "%s after %llu decompressed bytes", what,
                    (unsigned long long)input->produced);
}

static enum heaptap_status read_plain(struct input *input, void *to, size_t size, size_t *got,
                                      struct heaptap_error *error)
{
    if (input->fd >= 0 && input->raw_size == 0 && size >= RAW_BYTES) { /* past the buffer */
        ssize_t direct;
        do
            direct = read(input->fd, to, size);
        while (direct < 0 && errno == EINTR);
        if (direct < 0)
            return error_system(error, "reading the trace");
        *got = (size_t)direct;
        input->taken += input->spooled ? 0 : (uint64_t)direct;
        return HEAPTAP_OK;
    }
    enum heaptap_status status = raw_fill(input, error);
    if (status != HEAPTAP_OK)
        return status;
    *got = size < input->raw_size ? size : input->raw_size;
    if (*got > 0)
        memcpy(to, input->raw, *got);
    raw_consume(input, *got);
    return HEAPTAP_OK;
}

/* One step of zlib over what is there. */
static enum heaptap_status step_gzip(struct input *input, void *to, size_t size, size_t *got,
                                     struct heaptap_error *error)
{
    z_stream *gzip = &input->gzip;
    if (!input->inside) {
        enum heaptap_status status = raw_fill_up(input, MAGIC_BYTES, error);
        if (status != HEAPTAP_OK)
            return status;
    }
    if (!input->inside &&
        encoding_of(input->raw, input->raw_size) != GZIP) { /* as gzip does: trailing garbage */
        raw_consume(input, input->raw_size);
        return HEAPTAP_OK;
    }
    input->inside = true;
    gzip->next_in = (unsigned char *)input->raw;
    gzip->avail_in = (unsigned)(input->raw_size < UINT32_MAX ? input->raw_size : UINT32_MAX);
    gzip->next_out = to;
    gzip->avail_out = (unsigned)(size < UINT32_MAX ? size : UINT32_MAX);
    size_t offered_in = gzip->avail_in, offered_out = gzip->avail_out;
    int code = inflate(gzip, Z_NO_FLUSH);
    raw_consume(input, offered_in - gzip->avail_in);
    *got = offered_out - gzip->avail_out;
    if (code == Z_STREAM_END) {
        input->inside = false;
        inflateReset(gzip);
    } else if (code != Z_OK && code != Z_BUF_ERROR && *got == 0) {
        return damaged(input, "the gzip data are damaged", error);
    }
    return HEAPTAP_OK;
}

static enum heaptap_status step_zstd(struct input *input, void *to, size_t size, size_t *got,
                                     struct heaptap_error *error)
{
    ZSTD_inBuffer in = {
        input->raw, input->zstd_wants < input->raw_size ? input->zstd_wants : input->raw_size, 0};
    ZSTD_outBuffer out = {to, size, 0};
    size_t code = ZSTD_decompressStream(input->zstd, &out, &in);
    if (ZSTD_isError(code))
        return damaged(input, "the zstd data are damaged", error);
    raw_consume(input, in.pos);
    *got = out.pos;
    input->inside = code != 0;
    input->zstd_wants = code ? code : MAGIC_BYTES;
    return HEAPTAP_OK;
}

static enum heaptap_status read_compressed(struct input *input, void *to, size_t size, size_t *got,
                                           struct heaptap_error *error)
{
    while (*got == 0) {
        enum heaptap_status status = raw_fill(input, error);
        if (status != HEAPTAP_OK)
            return status;
        if (input->raw_size == 0 && !input->inside)
            return HEAPTAP_OK;
        size_t before = input->raw_size;
        status = input->encoding == GZIP ? step_gzip(input, to, size, got, error)
                                         : step_zstd(input, to, size, got, error);
        if (status != HEAPTAP_OK)
            return status;
        if (*got == 0 && input->raw_size == before && input->raw_ended)
            return damaged(input, "the compressed data are cut", error);
    }
    return HEAPTAP_OK;
}

enum heaptap_status input_peek(struct input *input, uint8_t *to, size_t *got,
                               struct heaptap_error *error)
{
    if (input->encoding == PLAIN) {
        enum heaptap_status status = raw_fill_up(input, INPUT_PEEK_BYTES, error);
        *got = input->raw_size < INPUT_PEEK_BYTES ? input->raw_size : INPUT_PEEK_BYTES;
        if (*got > 0)
            memcpy(to, input->raw, *got);
        return status;
    }
    enum heaptap_status status = HEAPTAP_OK;
    for (size_t more = 1; status == HEAPTAP_OK && more > 0 && input->ahead_end < INPUT_PEEK_BYTES;
         input->ahead_end += more) {
        more = 0;
        status = read_compressed(input, input->ahead + input->ahead_end,
                                 INPUT_PEEK_BYTES - input->ahead_end, &more, error);
        input->produced += more;
    }
    *got = input->ahead_end;
    memcpy(to, input->ahead, *got);
    return status == HEAPTAP_BAD_INPUT ? HEAPTAP_OK : status;
}

static void read_ahead(struct input *input, void *to, size_t size, size_t *got)
{
    size_t rest = input->ahead_end - input->ahead_begin;
    *got = size < rest ? size : rest;
    memcpy(to, input->ahead + input->ahead_begin, *got);
    input->ahead_begin += *got;
}

enum heaptap_status input_read(struct input *input, void *to, size_t size, size_t *got,
                               struct heaptap_error *error)
{
    *got = 0;
    if (input->ahead_begin < input->ahead_end) {
        read_ahead(input, to, size, got);
        return HEAPTAP_OK;
    }
    enum heaptap_status status = input->encoding == PLAIN
                                     ? read_plain(input, to, size, got, error)
                                     : read_compressed(input, to, size, got, error);
    input->produced += *got;
    if (status == HEAPTAP_OK && *got == 0 && input->late_error.status != HEAPTAP_OK) {
        if (error)
            *error = input->late_error;
        return input->late_error.status;
    }
    return status;
}

const char *input_compression(const struct input *input)
{
    static const char *const names[] = {"none", "gzip", "zstd"};
    return names[input->stored_as];
}

uint64_t input_stored_bytes(const struct input *input)
{
    struct stat stat;
    if (input->fd < 0)
        return input->memory_size;
    if (input->is_regular && !input->spooled && fstat(input->fd, &stat) == 0 &&
        stat.st_size > input->start)
        return (uint64_t)(stat.st_size - input->start);
    return input->taken;
}

uint64_t input_consumed_bytes(const struct input *input)
{
    return (input->fd < 0 ? input->memory_size : input->taken) - input->raw_size;
}

bool input_seekable(const struct input *input)
{
    return input->encoding == PLAIN && (input->fd < 0 || input->is_regular);
}

static enum heaptap_status read_memory_at(struct input *input, uint64_t offset, void *to,
                                          size_t size, size_t *got)
{
    size_t rest = offset < input->memory_size ? input->memory_size - (size_t)offset : 0;
    *got = size < rest ? size : rest;
    if (*got > 0)
        memcpy(to, input->memory + offset, *got);
    return HEAPTAP_OK;
}

enum heaptap_status input_read_at(struct input *input, uint64_t offset, void *to, size_t size,
                                  size_t *got, struct heaptap_error *error)
{
    if (input->fd < 0)
        return read_memory_at(input, offset, to, size, got);
    *got = 0;
    while (*got < size) {
        ssize_t part =
            pread(input->fd, (char *)to + *got, size - *got, input->start + (off_t)(offset + *got));
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return error_system(error, "reading the trace");
        if (part == 0)
            break;
        *got += (size_t)part;
    }
    return HEAPTAP_OK;
}

/* What is nothing but zeros becomes a hole, so that a gap at the end, however long, takes no room. */
static int put_part(const struct heaptap_sink *sink, int fd, const uint8_t *buffer, size_t size)
{
    bool is_empty = buffer[0] == 0 && memcmp(buffer, buffer + 1, size - 1) == 0;
    if (!is_empty)
        return sink->write(sink->context, buffer, size);
    off_t end = lseek(fd, (off_t)size, SEEK_CUR);
    return end < 0 || ftruncate(fd, end) != 0 ? errno : 0;
}

/* Copies until the end; damage ends the copy and is kept for later. */
static enum heaptap_status copy_rest(struct input *input, int fd, uint8_t *buffer,
                                     input_goes_on *goes_on, void *context,
                                     struct heaptap_error *error)
{
    struct heaptap_sink sink = heaptap_sink_fd(fd);
    for (;;) {
        size_t got;
        struct heaptap_error met = {0};
        enum heaptap_status status = input_read(input, buffer, RAW_BYTES, &got, &met);
        if (status == HEAPTAP_BAD_INPUT) {
            input->late_error = met;
            return HEAPTAP_OK;
        }
        if (status != HEAPTAP_OK && error)
            *error = met;
        if (status != HEAPTAP_OK || got == 0)
            return status;
        if ((errno = put_part(&sink, fd, buffer, got)) != 0)
            return error_system(error, "copying the trace to a temporary file");
        if (!goes_on(context, buffer, got))
            return HEAPTAP_OK;
    }
}

static void become_plain_file(struct input *input, int fd)
{
    input->taken = input_stored_bytes(input);
    input->spooled = true;
    if (input->encoding == GZIP)
        inflateEnd(&input->gzip);
    ZSTD_freeDStream(input->zstd);
    input->zstd = NULL;
    if (input->fd >= 0)
        close(input->fd);
    input->fd = fd;
    input->encoding = PLAIN;
    input->is_regular = true;
    input->start = 0;
    input->raw_size = 0;
    input->raw_ended = false;
}

enum heaptap_status input_spool(struct input *input, input_goes_on *goes_on, void *context,
                                struct heaptap_error *error)
{
    int fd = temporary_nameless();
    if (fd < 0)
        return error_system(error, "making a temporary file for the trace");
    uint8_t *buffer = malloc(RAW_BYTES);
    enum heaptap_status status =
        buffer ? copy_rest(input, fd, buffer, goes_on, context, error) : error_no_memory(error);
    if (status != HEAPTAP_OK || (!input->raw_buffer && !(input->raw_buffer = malloc(RAW_BYTES)))) {
        free(buffer);
        close(fd);
        return status != HEAPTAP_OK ? status : error_no_memory(error);
    }
    free(buffer);
    lseek(fd, 0, SEEK_SET);
    become_plain_file(input, fd);
    return HEAPTAP_OK;
}

bool input_late_error(const struct input *input, struct heaptap_error *error)
{
    if (input->late_error.status != HEAPTAP_OK)
        *error = input->late_error;
    return input->late_error.status != HEAPTAP_OK;
}

enum heaptap_status input_rewind(struct input *input, struct heaptap_error *error)
{
    if (input->fd >= 0 && lseek(input->fd, input->start, SEEK_SET) < 0)
        return error_system(error, "reading the trace again");
    input->raw = input->memory;
    input->raw_size = input->memory_size;
    input->raw_ended = input->fd < 0;
    input->ahead_begin = input->ahead_end = 0;
    input->produced = 0;
    return HEAPTAP_OK;
}
