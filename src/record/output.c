/* Packets are appended with write(2), whole, so that those of several threads never mix and what
 * was written outlives the process.
 *
 * The descriptor is in a process that is not ours: programs close all descriptors when they become
 * daemons, and the number then goes to a file of theirs.  So it is put out of the way, above the
 * numbers that programs get, and before each packet the kernel is asked whether it still is our
 * file.
 *
 * A write that fails is no business of the program either, which by itself writes nothing: the
 * signals that come of it, where nobody reads a pipe any more or a file may not grow further, are
 * taken away before they act.  It is said once, and the recording ends. */
#include "record/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inside/say.h"
#include "record/paths.h"
#include "record/requests.h"
#include "inside/text.h"

/* ---- Names -------------------------------------------------------------------------- */

/* A day of the era, as year, month and day (the proleptic Gregorian calendar). */
static void civil(int64_t days, uint64_t *year, uint64_t *month, uint64_t *day)
{
    int64_t z = days + 719468, era = z / 146097;
    int64_t of_era = z - era * 146097;
    int64_t of_year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t left = of_era - (365 * of_year + of_year / 4 - of_year / 100);
    int64_t shifted = (5 * left + 2) / 153; /* months since March */
    *day = (uint64_t)(left - (153 * shifted + 2) / 5 + 1);
    *month = (uint64_t)(shifted < 10 ? shifted + 3 : shifted - 9);
    *year = (uint64_t)(of_year + era * 400 + (*month <= 2));
}

static void add_time(struct text *text, int64_t time_us)
{
    int64_t seconds = time_us / 1000000, of_day = seconds % 86400;
    uint64_t year, month, day;
    civil(seconds / 86400, &year, &month, &day);
    text_add_digits(text, year, 10, 4);
    text_add_digits(text, month, 10, 2);
    text_add_digits(text, day, 10, 2);
    text_add(text, "-");
    text_add_digits(text, (uint64_t)(of_day / 3600), 10, 2);
    text_add_digits(text, (uint64_t)(of_day / 60 % 60), 10, 2);
    text_add_digits(text, (uint64_t)(of_day % 60), 10, 2);
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool output_name(char *name, size_t size, const char *pattern, const char *executable, uint64_t pid,
                 int64_t time_us)
{
    struct text text;
    text_init(&text, name, size);
    for (const char *p = pattern; *p; p++) {
        if (p[0] != '%' || !p[1] || !strchr("pet%", p[1])) {
            text_add_bytes(&text, p, 1);
            continue;
        }
        p++;
        if (*p == 'p')
            text_add_number(&text, pid);
        else if (*p == 'e')
            text_add(&text, base_of(executable));
        else if (*p == 't')
            add_time(&text, time_us);
        else
            text_add(&text, "%");
    }
    return !text.cut;
}

/* Where the extension begins: at the last dot of the base name, unless that dot is its start; a
 * profile's is .pb.gz. */
static size_t stem_size(const char *name)
{
    const char *base = base_of(name), *dot = strrchr(base, '.');
    size_t size = strlen(base);
    if (size > 6 && strcmp(base + size - 6, ".pb.gz") == 0)
        dot = base + size - 6;
    return dot && dot > base ? (size_t)(dot - name) : strlen(name);
}

static bool has_pid(const char *pattern)
{
    for (const char *p = pattern; *p; p++) {
        if (p[0] == '%' && p[1] == 'p')
            return true;
        p += p[0] == '%' && p[1] == '%';
    }
    return false;
}

bool output_child_pattern(char *pattern, size_t size, const char *parent)
{
    struct text text;
    char directory[PATH_MAX];
    size_t stem = has_pid(parent) ? strlen(parent) : stem_size(parent);
    text_init(&text, pattern, size);
    if (parent[0] != '/') {
        paths_folder(directory); /* where there is none, opening the file tells why */
        for (const char *p = directory; *p; p++) {
            text_add_bytes(&text, p, 1);
            text_add(&text, *p == '%' ? "%" : "");
        }
        text_add(&text, "/");
    }
    text_add_bytes(&text, parent, stem);
    if (!has_pid(parent))
        text_add(&text, ".%p");
    text_add(&text, parent + stem);
    return !text.cut;
}

/* ---- The file ----------------------------------------------------------------------- */

enum { OUT_OF_THE_WAY = 900, MOST_NAMES = 10000 };

static int open_name(const char *name, int flags)
{
    int fd = open(name, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | flags, 0666);
    if (fd < 0)
        return -1;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
    if (high < 0)
        return fd;
    close(fd);
    return high;
}

/* The first of NAME, NAME-2, NAME-3, ... that does not exist. */
static int open_fresh(char name[PATH_MAX])
{
    char other[PATH_MAX];
    size_t stem = stem_size(name);
    int fd = open_name(name, O_CREAT | O_EXCL);
    for (unsigned i = 2; fd < 0 && errno == EEXIST && i < MOST_NAMES; i++) {
        struct text text;
        text_init(&text, other, sizeof other);
        text_add_bytes(&text, name, stem);
        text_add(&text, "-");
        text_add_number(&text, i);
        text_add(&text, name + stem);
        if (text.cut) {
            errno = ENAMETOOLONG;
            return -1;
        }
        fd = open_name(other, O_CREAT | O_EXCL);
        if (fd >= 0)
            memcpy(name, other, sizeof other);
    }
    return fd;
}

int output_open(struct output *output, bool fresh)
{
    struct stat status;
    output->fd = fresh ? open_fresh(output->name) : open_name(output->name, O_CREAT | O_TRUNC);
    if (output->fd < 0)
        return errno;
    if (fstat(output->fd, &status) != 0)
        return errno;
    output->device = status.st_dev;
    output->inode = status.st_ino;
    atomic_store(&output->bytes, 0);
    atomic_store(&output->full, false);
    atomic_store(&output->failed, false);
    output->room = 0;
    return 0;
}

static bool is_ours(const struct output *output, int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_dev == output->device &&
           status.st_ino == output->inode;
}

void output_close(struct output *output)
{
    if (output->fd >= 0 && is_ours(output, output->fd))
        close(output->fd);
    output->fd = -1;
}

static bool reopen(struct output *output)
{
    int fd = open_name(output->name, 0);
    if (fd < 0)
        return false;
    if (!is_ours(output, fd)) {
        close(fd);
        return false;
    }
    output->fd = fd;
    return true;
}

/* Writes without SIGPIPE and SIGXFSZ.  0 or an errno. */
static int write_quietly(int fd, const void *data, size_t size)
{
    const struct timespec at_once = {0, 0};
    sigset_t signals, before, pending;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    sigpending(&pending);
    int code = heaptap_sink_fd(fd).write((void *)(intptr_t)fd, data, size);
    int number = code == EPIPE ? SIGPIPE : SIGXFSZ;
    if ((code == EPIPE || code == EFBIG) && !sigismember(&pending, number)) {
        sigemptyset(&signals);
        sigaddset(&signals, number);
        sigtimedwait(&signals, NULL, &at_once);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

/* What was written of a packet that didn't fit is taken away again, so that the trace is whole. */
static void give_up(struct output *output, size_t size, int code)
{
    struct stat status;
    uint64_t whole = atomic_load(&output->bytes);
    if (atomic_exchange(&output->failed, true))
        return;
    output->failure = code;
    if (code != EBADF && fstat(output->fd, &status) == 0 && S_ISREG(status.st_mode) &&
        (uint64_t)status.st_size > whole && (uint64_t)status.st_size - whole < size) {
        int ignored = ftruncate(output->fd, (off_t)whole);
        (void)ignored;
    }
    say(output->name, ": ", say_errno(code), "; the recording ends here", NULL);
    requests_add(REQUEST_STOP);
}

static int write_packet(void *context, const void *data, size_t size)
{
    struct output *output = context;
    int saved_errno = errno, code = 0;
    if (output->max_bytes &&
        atomic_load_explicit(&output->bytes, memory_order_relaxed) + size > output->max_bytes) {
        atomic_store(&output->full, true);
        requests_add(REQUEST_STOP);
        return ENOSPC;
    }
    if (output->fd < 0 || (!is_ours(output, output->fd) && !reopen(output)))
        code = EBADF;
    else
        code = write_quietly(output->fd, data, size);
    if (code == 0)
        atomic_fetch_add_explicit(&output->bytes, size, memory_order_relaxed);
    else if (atomic_load_explicit(&output->bytes, memory_order_relaxed) > 0)
        give_up(output, size, code); /* else whoever opens it tells */
    errno = saved_errno;
    return code;
}

struct heaptap_sink output_sink(struct output *output)
{
    return (struct heaptap_sink){.write = write_packet, .context = output};
}

/* ---- Why it ends -------------------------------------------------------------------- */

enum { STOP_BYTES = sizeof(uint64_t) + sizeof OUTPUT_STOP_ROOM };

void output_keep_stop_room(struct output *output)
{
    uint64_t bytes = atomic_load(&output->bytes);
    output->room = bytes > STOP_BYTES ? bytes - STOP_BYTES : 0;
}

/* The trace's own descriptor appends, so this takes another. */
void output_put_stop(struct output *output, int64_t time_us, const char *reason)
{
    uint8_t record[STOP_BYTES] = {0};
    uint64_t time = (uint64_t)time_us;
    struct text text;
    if (!output->room)
        return;
    for (unsigned i = 0; i < sizeof time; i++)
        record[i] = (uint8_t)(time >> 8 * i);
    text_init(&text, (char *)record + sizeof time, sizeof OUTPUT_STOP_ROOM);
    text_add(&text, reason);
    int fd = open(output->name, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd >= 0 && is_ours(output, fd)) {
        ssize_t ignored = pwrite(fd, record, sizeof record, (off_t)output->room);
        (void)ignored;
    }
    if (fd >= 0)
        close(fd);
}
