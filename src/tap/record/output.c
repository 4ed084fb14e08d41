/* A trace in a regular file is memory that the file keeps (tap/inside/growing_file.h): an event takes no
 * system call, there is no descriptor that the program could close or put to another use, and what
 * was written outlives the process, however that ends.
 *
 * Into what can't be mapped (pipes, terminals, some filesystems) packets are appended with
 * write(2), whole, so that those of several threads never mix.  That takes a descriptor in a
 * process that is not ours: programs close all descriptors when they become daemons, and the number
 * then goes to a file of theirs.  So it is put out of the way, above the numbers that programs get,
 * and before each packet the kernel is asked whether it still is our file.  What is left is a
 * program that replaces this very descriptor between the two calls.
 *
 * A failure is no business of the program either, which by itself writes nothing: the signals that
 * come of it, where nobody reads a pipe any more or a file may not grow further, are taken away
 * before they act.  It is said once, and the recording ends. */
#include "tap/record/output.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tap/inside/kernel.h"
#include "tap/inside/name_pattern.h"
#include "tap/inside/say.h"
#include "tap/record/requests.h"
#include "tap/trace/stop_room.h"
#include "tap/trace/writer.h"

enum { MOST_NAMES = 10000 };

/* ---- Opening ------------------------------------------------------------------------ */

static bool is_file(const struct output *output, int fd)
{
    struct stat status;
    return kernel_stat_fd(fd, &status) == 0 && status.st_dev == output->device &&
           status.st_ino == output->inode;
}

/* A file that another process may still be writing loses its name, and not its pages: cutting it
 * would be that process's end.  Not where the name is a link, or the folder is not ours to change. */
static int open_anew(const char *name)
{
    struct stat status;
    const int flags = O_CREAT | O_NOCTTY;
    if (kernel_stat_link(name, &status) == 0 && S_ISREG(status.st_mode) &&
        kernel_call(SYS_faccessat, AT_FDCWD, (long)name, W_OK, 0, 0, 0) == 0)
        kernel_unlink(name);
    if (kernel_stat(name, &status) == 0 && !S_ISREG(status.st_mode))
        return kernel_open(name, O_WRONLY | O_APPEND | flags, 0666);
    int fd = kernel_open(name, O_RDWR | O_TRUNC | O_APPEND | flags, 0666);
    return fd == -EACCES ? kernel_open(name, O_WRONLY | O_TRUNC | O_APPEND | flags, 0666) : fd;
}

static int create(const char *name)
{
    return kernel_open(name, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOCTTY, 0666);
}

/* The first of NAME, NAME-2, NAME-3, ... that does not exist. */
static int open_fresh(char name[PATH_MAX])
{
    char other[PATH_MAX];
    int fd = create(name);
    for (unsigned i = 2; fd == -EEXIST && i < MOST_NAMES; i++) {
        if (!name_pattern_number(other, sizeof other, name, i))
            return -ENAMETOOLONG;
        fd = create(other);
        if (fd >= 0)
            memcpy(name, other, sizeof other);
    }
    return fd;
}

int output_open(struct output *output, bool fresh)
{
    struct stat status;
    output->fd = -1;
    output->room = 0;
    output->stop = NULL;
    atomic_store(&output->bytes, 0);
    atomic_store(&output->full, false);
    atomic_store(&output->failed, false);
    int fd = fresh ? open_fresh(output->name) : open_anew(output->name);
    if (fd < 0)
        return -fd;
    int code = kernel_errno(kernel_stat_fd(fd, &status));
    if (code)
        return code;
    output->device = status.st_dev;
    output->inode = status.st_ino;
    output->is_stream = !S_ISREG(status.st_mode);
    code = output->only_name
               ? 0
               : growing_file_open(&output->file, fd, output->name, output->max_bytes);
    if (code)
        output->fd = kernel_out_of_the_way(fd);
    else if (is_file(output, fd))
        kernel_close(fd);
    return 0;
}

void output_remove(struct output *output)
{
    struct stat status;
    if ((output->only_name || output_is_in_place(output)) &&
        kernel_stat(output->name, &status) == 0 && status.st_dev == output->device &&
        status.st_ino == output->inode && S_ISREG(status.st_mode))
        kernel_unlink(output->name);
}

/* ---- In place ----------------------------------------------------------------------- */

void output_no_room(void *context, int code)
{
    struct output *output = context;
    if (!output->stop)
        return; /* whoever opens it tells */
    if (code == EFBIG && output->max_bytes) {
        atomic_store(&output->full, true);
    } else {
        output->failure = code;
        if (!atomic_exchange(&output->failed, true) && !confined_on())
            say(output->name, ": ",
                code == ENOENT ? "removed, renamed or out of reach" : say_errno(code),
                "; the recording ends here", NULL);
    }
    requests_add(REQUEST_STOP);
}

bool output_take_fault(struct output *output, const void *address)
{
    if (!growing_file_take_fault(&output->file, address))
        return false;
    output_no_room(output, GROWING_FILE_CUT);
    return true;
}

/* ---- By write(2) -------------------------------------------------------------------- */

static bool reopen(struct output *output)
{
    int fd = kernel_open(output->name, O_WRONLY | O_APPEND | O_NOCTTY, 0);
    if (fd < 0)
        return false;
    if (!is_file(output, fd)) {
        kernel_close(fd);
        return false;
    }
    output->fd = kernel_out_of_the_way(fd);
    return true;
}

static void give_up(struct output *output, int code)
{
    if (atomic_exchange(&output->failed, true))
        return;
    output->failure = code;
    say(output->name, ": ", say_errno(code), "; the recording ends here", NULL);
    requests_add(REQUEST_STOP);
}

static int write_packet(void *context, const void *data, size_t size)
{
    struct output *output = context;
    int code = 0;
    if (output->max_bytes &&
        atomic_load_explicit(&output->bytes, memory_order_relaxed) + size > output->max_bytes) {
        atomic_store(&output->full, true);
        requests_add(REQUEST_STOP);
        return ENOSPC;
    }
    if (output->fd < 0 || (!is_file(output, output->fd) && !reopen(output)))
        code = EBADF;
    else
        code = kernel_write_quietly(output->fd, data, size);
    if (code == 0)
        atomic_fetch_add_explicit(&output->bytes, size, memory_order_relaxed);
    else if (atomic_load_explicit(&output->bytes, memory_order_relaxed) > 0)
        give_up(output, code); /* else whoever opens it tells */
    return code;
}

struct heaptap_sink output_sink(struct output *output)
{
    return (struct heaptap_sink){.write = write_packet, .context = output};
}

/* ---- Why it ends -------------------------------------------------------------------- */

void output_keep_stop_room(struct output *output, uint8_t *place)
{
    uint64_t bytes = atomic_load(&output->bytes);
    output->stop = place;
    output->room = bytes > STOP_ROOM_BYTES ? bytes - STOP_ROOM_BYTES : 0;
}

static void write_stop(const struct output *output, const uint8_t record[STOP_ROOM_BYTES])
{
    struct kernel_quiet quiet;
    kernel_quiet_begin(&quiet);
    int fd = kernel_open(output->name, O_WRONLY | O_NOCTTY | O_NONBLOCK, 0);
    if (fd >= 0 && is_file(output, fd))
        kernel_write_at(fd, record, STOP_ROOM_BYTES, output->room);
    if (fd >= 0)
        kernel_close(fd);
    kernel_quiet_end(&quiet);
}

/* Where the trace has a descriptor, that appends, so this takes another. */
void output_put_stop(struct output *output, int64_t time_us, const char *reason)
{
    uint8_t record[STOP_ROOM_BYTES];
    stop_room_fill(output->stop ? output->stop : record, time_us, reason);
    if (!output->stop && output->room)
        write_stop(output, record);
}
