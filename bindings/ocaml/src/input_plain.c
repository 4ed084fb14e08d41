/* The bytes of a trace for the library's reader: a plain file, and no more, so that a traced
 * program needs no library for compressed ones.  (Trace.Reader has a compressed trace decompressed
 * by another program.)  heaptap's own is src/trace/input.c. */
#include "trace/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

struct input {
    int fd;
    uint64_t taken;                  /* bytes read so far */
    uint8_t ahead[INPUT_PEEK_BYTES]; /* peeked at ... */
    size_t ahead_begin, ahead_end;   /* ... and still to be read */
};

enum heaptap_status input_open_fd(struct input **input, int fd, struct heaptap_error *error)
{
    *input = calloc(1, sizeof **input);
    if (!*input) {
        close(fd);
        return error_set(error, HEAPTAP_NO_MEMORY, "out of memory");
    }
    (*input)->fd = fd;
    return HEAPTAP_OK;
}

enum heaptap_status input_open(struct input **input, const char *path, struct heaptap_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *input = NULL;
    return fd < 0 ? error_system(error, "cannot open") : input_open_fd(input, fd, error);
}

enum heaptap_status input_open_memory(struct input **input, const void *data, size_t size,
                                      struct heaptap_error *error)
{
    (void)data;
    (void)size;
    *input = NULL;
    return error_set(error, HEAPTAP_BAD_ARGUMENT, "this reader reads files only");
}

void input_close(struct input *input)
{
    if (!input)
        return;
    close(input->fd);
    free(input);
}

static enum heaptap_status read_fd(struct input *input, void *to, size_t size, size_t *got,
                                   struct heaptap_error *error)
{
    ssize_t result;
    do
        result = read(input->fd, to, size);
    while (result < 0 && errno == EINTR);
    *got = result < 0 ? 0 : (size_t)result;
    input->taken += *got;
    return result < 0 ? error_system(error, "reading the trace") : HEAPTAP_OK;
}

enum heaptap_status input_read(struct input *input, void *to, size_t size, size_t *got,
                               struct heaptap_error *error)
{
    size_t ahead = input->ahead_end - input->ahead_begin;
    if (ahead == 0)
        return read_fd(input, to, size, got, error);
    *got = ahead < size ? ahead : size;
    memcpy(to, input->ahead + input->ahead_begin, *got);
    input->ahead_begin += *got;
    return HEAPTAP_OK;
}

enum heaptap_status input_peek(struct input *input, uint8_t *to, size_t *got,
                               struct heaptap_error *error)
{
    enum heaptap_status status = HEAPTAP_OK;
    size_t more = 1;
    while (status == HEAPTAP_OK && more > 0 && input->ahead_end < INPUT_PEEK_BYTES) {
        status = read_fd(input, input->ahead + input->ahead_end,
                         INPUT_PEEK_BYTES - input->ahead_end, &more, error);
        input->ahead_end += more;
    }
    *got = input->ahead_end;
    memcpy(to, input->ahead, *got);
    return status;
}

const char *input_compression(const struct input *input)
{
    (void)input;
    return "none";
}

uint64_t input_stored_bytes(const struct input *input)
{
    return input->taken;
}

/* Only reading in true order would need it. */
bool input_seekable(const struct input *input)
{
    (void)input;
    return false;
}

enum heaptap_status input_read_at(struct input *input, uint64_t offset, void *to, size_t size,
                                  size_t *got, struct heaptap_error *error)
{
    (void)input;
    (void)offset;
    (void)to;
    (void)size;
    *got = 0;
    return error_set(error, HEAPTAP_BAD_ARGUMENT, "this reader goes forward only");
}

enum heaptap_status input_spool(struct input *input, input_goes_on *goes_on, void *context,
                                struct heaptap_error *error)
{
    (void)input;
    (void)goes_on;
    (void)context;
    return error_set(error, HEAPTAP_BAD_ARGUMENT, "this reader goes forward only");
}

enum heaptap_status input_rewind(struct input *input, struct heaptap_error *error)
{
    (void)input;
    return error_set(error, HEAPTAP_BAD_ARGUMENT, "this reader goes forward only");
}

bool input_late_error(const struct input *input, struct heaptap_error *error)
{
    (void)input;
    (void)error;
    return false;
}
