/* The name is the only way to the file once it is open, unless the owner keeps a descriptor.  Each time it is to become longer, or
 * shorter, the name is asked first whether it still leads there: the user may have moved or removed
 * the file, or the program may have changed its root or its user.
 *
 * A limit on the length of files is asked for before; SIGXFSZ, which could still come of it, is
 * taken away. */
#include "inside/growing_file.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "inside/kernel.h"
#include "inside/program_limits.h"
#include "inside/text.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* How long a window may become, and where it is looked for: places one such length apart, which
 * neither the kernel nor other runtimes choose by themselves.  ARM's processes may have no more than
 * 39 bits of addresses, and emulators of them keep a record for each page. */
#ifdef __aarch64__
#define WINDOW_BYTES (UINT64_C(1) << 34)
#define FIRST_PLACE (UINT64_C(1) << 36)
#else
#define WINDOW_BYTES (UINT64_C(1) << 38)
#define FIRST_PLACE (UINT64_C(3) << 45)
#endif
#define PLACES 8
#define FIRST_WINDOW_BYTES (2 * (uint64_t)GROWING_FILE_PAGE_BYTES)
#define SMALLEST_WINDOW_BYTES (UINT64_C(1) << 20)
#define LEAST_STEP_BYTES (UINT64_C(256) << 10)
#define MOST_STEP_BYTES (UINT64_C(16) << 20)

/* ---- Opening ------------------------------------------------------------------------ */

static uint64_t window_wanted(void)
{
    uint64_t limit = limits_of(RLIMIT_AS), bytes = WINDOW_BYTES;
    while (bytes > limit / LIMITS_SHARE && bytes > SMALLEST_WINDOW_BYTES)
        bytes /= 2;
    return bytes;
}

static long map_at(uint64_t place, uint64_t bytes, int fd)
{
    return kernel_call(SYS_mmap, (long)place, (long)bytes, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_NORESERVE, fd, 0);
}

/* In place: the program's threads write into it meanwhile. */
static int resize_mapping(long mapped, uint64_t from, uint64_t to)
{
    return kernel_errno(kernel_call(SYS_mremap, mapped, (long)from, (long)to, 0, 0, 0));
}

/* A window of FIRST_WINDOW_BYTES in one of the places; 0, and nothing is mapped, where none is free, or what lies
 * between us and the kernel, such as valgrind, lengthens no mapping of a file. */
static long map_growing(int fd)
{
    for (uint64_t i = 0; i < PLACES; i++) {
        uint64_t place = FIRST_PLACE + i * WINDOW_BYTES;
        long mapped = map_at(place, GROWING_FILE_PAGE_BYTES, fd);
        if (kernel_failed(mapped))
            return mapped;
        bool there = (uint64_t)mapped == place;
        if (there && resize_mapping(mapped, GROWING_FILE_PAGE_BYTES, FIRST_WINDOW_BYTES) == 0)
            return mapped;
        kernel_call(SYS_munmap, mapped, GROWING_FILE_PAGE_BYTES, 0, 0, 0, 0);
        if (there)
            break;
    }
    return 0;
}

/* The whole at once, wherever there is room. */
static long map_whole(struct growing_file *file, int fd)
{
    long mapped = -ENOMEM;
    for (uint64_t bytes = window_wanted(); bytes >= SMALLEST_WINDOW_BYTES; bytes /= 2) {
        mapped = map_at(0, bytes, fd);
        file->window_bytes = file->most_window = bytes;
        if (kernel_errno(mapped) != ENOMEM)
            break;
    }
    return mapped;
}

static int map_window(struct growing_file *file, int fd)
{
    file->window_bytes = FIRST_WINDOW_BYTES;
    file->most_window = WINDOW_BYTES;
    long mapped = map_growing(fd);
    if (mapped == 0)
        mapped = map_whole(file, fd);
    if (kernel_failed(mapped))
        return kernel_errno(mapped);
    file->base = (uint8_t *)mapped;
    return 0;
}

/* So that the file's first `size` bytes are in it.  With the file's lock held. */
static int widen_window(struct growing_file *file, uint64_t size)
{
    if (size <= file->window_bytes)
        return 0;
    int code = resize_mapping((long)file->base, file->window_bytes, size);
    if (code == 0)
        file->window_bytes = size;
    return code;
}

static bool put_path(struct growing_file *file, const char *path)
{
    struct text text;
    char *at = file->path;
    size_t size = sizeof file->path;
    long folder = 0;
    if (path[0] != '/') {
        folder = kernel_call(SYS_getcwd, (long)at, (long)size, 0, 0, 0, 0);
        if (kernel_failed(folder) || at[0] != '/')
            return false;
        at[folder - 1] = '/';
    }
    text_init(&text, at + folder, size - (size_t)folder);
    text_add(&text, path);
    return !text.cut;
}

int growing_file_open(struct growing_file *file, int fd, const char *path, uint64_t most_bytes)
{
    struct stat status;
    int code = kernel_errno(kernel_stat_fd(fd, &status));
    if (code)
        return code;
    if (!S_ISREG(status.st_mode) || !put_path(file, path))
        return ENODEV;
    file->device = status.st_dev;
    file->inode = status.st_ino;
    file->most_bytes = most_bytes;
    file->has_descriptor = false;
    atomic_store(&file->used, 0);
    atomic_store(&file->size, 0);
    atomic_store(&file->present, 0);
    atomic_store(&file->failed, 0);
    atomic_store(&file->sealed, false);
    atomic_store(&file->locked, 0);
    return map_window(file, fd);
}

void growing_file_close(struct growing_file *file)
{
    if (!file->base)
        return;
    kernel_call(SYS_munmap, (long)file->base, (long)file->window_bytes, 0, 0, 0, 0);
    file->base = NULL;
}

void growing_file_leave_to_parent(struct growing_file *file, bool interrupted)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (file->base && interrupted)
        kernel_call(SYS_mmap, (long)file->base, (long)file->window_bytes, PROT_READ | PROT_WRITE,
                    flags, -1, 0);
    else
        growing_file_close(file);
    file->base = NULL;
}

/* ---- The file's length -------------------------------------------------------------- */

void growing_file_use_descriptor(struct growing_file *file, int fd)
{
    file->descriptor = fd;
    file->has_descriptor = true;
}

static bool is_it(const struct growing_file *file, const struct stat *status)
{
    return status->st_dev == file->device && status->st_ino == file->inode;
}

static bool name_leads_there(const struct growing_file *file)
{
    struct stat status;
    return !kernel_failed(kernel_stat(file->path, &status)) && is_it(file, &status);
}

static bool descriptor_leads_there(const struct growing_file *file)
{
    struct stat status;
    return file->has_descriptor && !kernel_failed(kernel_stat_fd(file->descriptor, &status)) &&
           is_it(file, &status);
}

static int truncate_descriptor(const struct growing_file *file, uint64_t size)
{
    return kernel_errno(kernel_call(SYS_ftruncate, file->descriptor, (long)size, 0, 0, 0, 0));
}

/* With all signals held. */
static int set_size(struct growing_file *file, uint64_t size)
{
    bool waited = kernel_signal_waits(SIGXFSZ);
    bool by_descriptor = descriptor_leads_there(file);
    if (!by_descriptor && !name_leads_there(file))
        return ENOENT;
    if (size > limits_of(RLIMIT_FSIZE))
        return EFBIG;
    int code = by_descriptor ? truncate_descriptor(file, size)
                             : kernel_errno(kernel_truncate(file->path, size));
    if (code == EFBIG && !waited)
        kernel_take_signal(SIGXFSZ);
    if (code == 0)
        atomic_store(&file->size, size);
    return code;
}

/* Steps double with the file, so that there are few of them. */
static uint64_t step_ahead(uint64_t size)
{
    uint64_t step = size / 2;
    step = step < LEAST_STEP_BYTES ? LEAST_STEP_BYTES : step;
    return growing_file_whole_pages(step < MOST_STEP_BYTES ? step : MOST_STEP_BYTES);
}

/* Without a limit of the file's own.  The program may have limited itself since it was opened. */
static uint64_t most_window(const struct growing_file *file)
{
    uint64_t wanted = atomic_load(&file->sealed) ? file->most_window : window_wanted();
    return wanted < file->most_window ? wanted : file->most_window;
}

static uint64_t most_bytes(const struct growing_file *file)
{
    uint64_t most = file->most_bytes / GROWING_FILE_PAGE_BYTES * GROWING_FILE_PAGE_BYTES;
    uint64_t window = most_window(file);
    return file->most_bytes && most < window ? most : window;
}

uint64_t growing_file_left(const struct growing_file *file)
{
    uint64_t most = most_bytes(file), used = atomic_load(&file->used), limit;
    if (atomic_load(&file->sealed))
        limit = atomic_load(&file->present);
    else
        limit = limits_of(RLIMIT_FSIZE);
    most = most < limit ? most : limit;
    return used < most ? most - used : 0;
}

/* Of threads that come here at once the later ones find the file longer already. */
static int grow_held(struct growing_file *file, uint64_t needed)
{
    uint64_t most = most_bytes(file), ahead = needed + step_ahead(needed);
    if (atomic_load(&file->size) >= needed)
        return 0;
    if (needed > most)
        return file->most_bytes && needed <= most_window(file) ? EFBIG : ENOMEM;
    ahead = ahead < most ? ahead : most;
    int code = widen_window(file, ahead);
    if (code)
        return code;
    code = set_size(file, ahead);
    return code == EFBIG ? set_size(file, needed) : code;
}

static void lock(struct growing_file *file, struct kernel_signals *signals)
{
    kernel_hold_signals(signals);
    while (atomic_exchange_explicit(&file->locked, 1, memory_order_acquire))
        kernel_yield();
}

static void unlock(struct growing_file *file, const struct kernel_signals *signals)
{
    atomic_store_explicit(&file->locked, 0, memory_order_release);
    kernel_release_signals(signals);
}

static int grow(struct growing_file *file, uint64_t needed)
{
    struct kernel_signals signals;
    if (atomic_load(&file->size) >= needed)
        return 0;
    lock(file, &signals);
    int code = grow_held(file, needed);
    unlock(file, &signals);
    return code;
}

/* ---- Pages -------------------------------------------------------------------------- */

/* The kernel itself writes into each page: where there is no room for one it says so. */
static int write_each(uint8_t *at, uint64_t bytes)
{
    for (uint64_t done = 0; done < bytes; done += GROWING_FILE_PAGE_BYTES) {
        long result =
            kernel_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)(at + done), 0, 0, 0, 0);
        if (kernel_failed(result))
            return kernel_errno(result) == EFAULT ? ENOSPC : kernel_errno(result);
        memset(at + done, 0, sizeof(struct timespec));
    }
    return 0;
}

static int make_present(struct growing_file *file, uint64_t from, uint64_t to)
{
    uint8_t *at = file->base + from;
    if (from >= to)
        return 0;
    int code = kernel_errno(
        kernel_call(SYS_madvise, (long)at, (long)(to - from), MADV_POPULATE_WRITE, 0, 0, 0));
    if (code == EINVAL || code == ENOSYS || code == EPERM) /* before Linux 5.14 */
        return write_each(at, to - from);
    return code == EFAULT ? ENOSPC : code;
}

/* ---- Regions ------------------------------------------------------------------------ */

static void fail_once(struct growing_file *file, int code)
{
    int none = 0;
    atomic_compare_exchange_strong(&file->failed, &none, code);
}

/* Makes sure of the bytes between, of which those before `present` are reserved already. */
static int make_room(struct growing_file *file, uint64_t from, uint64_t to, uint64_t present)
{
    if (to <= present)
        return 0;
    if (atomic_load(&file->sealed))
        return EPERM;
    int code = grow(file, to);
    return code ? code : make_present(file, from > present ? from : present, to);
}

void *growing_file_take(struct growing_file *file, size_t bytes)
{
    uint64_t size = growing_file_whole_pages(bytes);
    if (!file->base || atomic_load(&file->failed))
        return NULL;
    uint64_t present = atomic_load(&file->present); /* before: a later one may leave ours out */
    uint64_t from = atomic_fetch_add(&file->used, size), to = from + size;
    int code = make_room(file, from, to, present);
    if (code == 0)
        return file->base + from;
    fail_once(file, code);
    atomic_compare_exchange_strong(&file->used, &to, from);
    return NULL;
}

/* What can't be had whole is had in halves. */
void growing_file_reserve(struct growing_file *file, uint64_t bytes, bool present)
{
    uint64_t least = GROWING_FILE_PAGE_BYTES;
    if (!file->base || atomic_load(&file->sealed))
        return;
    for (bytes = growing_file_whole_pages(bytes); bytes >= least;
         bytes = growing_file_whole_pages(bytes / 2)) {
        uint64_t from = atomic_load(&file->used), to = from + bytes;
        if (atomic_load(&file->size) >= to || grow(file, to) == 0) {
            if (!present || to <= atomic_load(&file->present))
                return;
            if (make_present(file, from, to) == 0) {
                atomic_store(&file->present, to);
                return;
            }
        }
        if (bytes == least)
            return;
    }
}

void growing_file_seal(struct growing_file *file)
{
    atomic_store(&file->sealed, true);
}

void growing_file_unseal(struct growing_file *file)
{
    atomic_store(&file->sealed, false);
}

void growing_file_trim(struct growing_file *file)
{
    struct kernel_signals signals;
    if (!file->base || atomic_load(&file->sealed))
        return;
    lock(file, &signals);
    uint64_t used = atomic_load(&file->used);
    if (used < atomic_load(&file->size)) {
        atomic_store(&file->present, 0);
        int ignored = set_size(file, used);
        (void)ignored;
    }
    unlock(file, &signals);
}
