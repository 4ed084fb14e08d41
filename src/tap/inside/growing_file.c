/* The name is the only way to the file once it is open, unless the owner keeps a descriptor.  Each time it is to become longer, or
 * shorter, the name is asked first whether it still leads there: the user may have moved or removed
 * the file, or the program may have changed its root or its user.
 *
 * A limit on the length of files is asked for before; SIGXFSZ, which could still come of it, is
 * taken away. */
#include "tap/inside/growing_file.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "tap/inside/kernel.h"
#include "tap/inside/program_limits.h"
#include "tap/inside/text.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define FIRST_VIEW_BYTES (2 * (uint64_t)GROWING_FILE_PAGE_BYTES)
#define SMALLEST_VIEW_BYTES (UINT64_C(1) << 20)
#define LEAST_STEP_BYTES (UINT64_C(256) << 10)
#define MOST_STEP_BYTES (UINT64_C(16) << 20)

/* ---- Opening ------------------------------------------------------------------------ */

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
    atomic_store(&file->mark, NULL);
    return file_view_map(&file->view, &file_view_area_of_files, 0, fd, 0, FIRST_VIEW_BYTES,
                         file_view_area_of_files.stride_bytes);
}

void growing_file_close(struct growing_file *file)
{
    file_view_unmap(&file->view);
}

void growing_file_leave_to_parent(struct growing_file *file, bool interrupted)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    const struct file_view *view = &file->view;
    if (view->base && interrupted)
        kernel_call(SYS_mmap, (long)view->base, (long)view->bytes, PROT_READ | PROT_WRITE, flags,
                    -1, 0);
    else
        growing_file_close(file);
    file->view = (struct file_view){0};
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

static bool name_leads_there(const struct growing_file *file, struct stat *status)
{
    return !kernel_failed(kernel_stat(file->path, status)) && is_it(file, status);
}

static bool descriptor_leads_there(const struct growing_file *file, struct stat *status)
{
    return file->has_descriptor && !kernel_failed(kernel_stat_fd(file->descriptor, status)) &&
           is_it(file, status);
}

/* `status` is that of the file; false where nothing leads there any more. */
static bool leads_there(const struct growing_file *file, struct stat *status, bool *by_descriptor)
{
    *by_descriptor = descriptor_leads_there(file, status);
    return *by_descriptor || name_leads_there(file, status);
}

static bool is_cut(const struct growing_file *file, const struct stat *status)
{
    return (uint64_t)status->st_size < atomic_load(&file->size);
}

static int truncate_descriptor(const struct growing_file *file, uint64_t size)
{
    return kernel_errno(kernel_call(SYS_ftruncate, file->descriptor, (long)size, 0, 0, 0, 0));
}

/* With all signals held. */
static int set_size(struct growing_file *file, uint64_t size)
{
    struct stat status;
    bool waited = kernel_signal_waits(SIGXFSZ), by_descriptor;
    if (!leads_there(file, &status, &by_descriptor))
        return ENOENT;
    if (is_cut(file, &status))
        return GROWING_FILE_CUT;
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
static uint64_t most_view(const struct growing_file *file)
{
    uint64_t most = file->view.most_bytes;
    return atomic_load(&file->sealed) ? most : file_view_share(most, SMALLEST_VIEW_BYTES);
}

static uint64_t most_bytes(const struct growing_file *file)
{
    uint64_t most = file->most_bytes / GROWING_FILE_PAGE_BYTES * GROWING_FILE_PAGE_BYTES;
    uint64_t view = most_view(file);
    return file->most_bytes && most < view ? most : view;
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
        return file->most_bytes && needed <= most_view(file) ? EFBIG : ENOMEM;
    ahead = ahead < most ? ahead : most;
    int code = file_view_widen(&file->view, ahead);
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

void growing_file_mark(struct growing_file *file, const uint8_t *byte)
{
    const uint8_t *last = atomic_load_explicit(&file->mark, memory_order_relaxed);
    while (last < byte && !atomic_compare_exchange_weak(&file->mark, &last, byte))
        ;
}

/* With no signal held: to read what is gone may be a SIGBUS. */
static bool lost_its_mark(const struct growing_file *file)
{
    const volatile uint8_t *mark = atomic_load(&file->mark);
    return mark && *mark == 0;
}

static int grow(struct growing_file *file, uint64_t needed)
{
    struct kernel_signals signals;
    if (atomic_load(&file->size) >= needed)
        return 0;
    lock(file, &signals);
    int code = grow_held(file, needed);
    unlock(file, &signals);
    return code == 0 && lost_its_mark(file) ? GROWING_FILE_CUT : code;
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
    uint8_t *at = file->view.base + from;
    if (from >= to)
        return 0;
    int code = kernel_errno(
        kernel_call(SYS_madvise, (long)at, (long)(to - from), MADV_POPULATE_WRITE, 0, 0, 0));
    if (code == EINVAL || code == ENOSYS || code == EPERM) /* before Linux 5.14 */
        return write_each(at, to - from);
    return code == EFAULT ? ENOSPC : code;
}

/* What is cut off gets no page either. */
static int reason_of(const struct growing_file *file, int code)
{
    struct stat status;
    bool by_descriptor;
    bool cut =
        code == ENOSPC && leads_there(file, &status, &by_descriptor) && is_cut(file, &status);
    return cut ? GROWING_FILE_CUT : code;
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
    if (code)
        return code;
    return reason_of(file, make_present(file, from > present ? from : present, to));
}

bool growing_file_take_fault(struct growing_file *file, const void *address)
{
    const int flags =
        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED; /* no data, for limits */
    uint64_t at = growing_file_offset(file, address), page = at - at % GROWING_FILE_PAGE_BYTES;
    if (!file->view.base || at >= file->view.bytes)
        return false;
    fail_once(file, GROWING_FILE_CUT);
    return !kernel_failed(kernel_call(SYS_mmap, (long)(file->view.base + page),
                                      (long)(file->view.bytes - page), PROT_READ | PROT_WRITE,
                                      flags, -1, 0));
}

void *growing_file_take(struct growing_file *file, size_t bytes)
{
    uint64_t size = growing_file_whole_pages(bytes);
    if (!file->view.base || atomic_load(&file->failed))
        return NULL;
    uint64_t present = atomic_load(&file->present); /* before: a later one may leave ours out */
    uint64_t from = atomic_fetch_add(&file->used, size), to = from + size;
    int code = make_room(file, from, to, present);
    if (code == 0)
        return file->view.base + from;
    fail_once(file, code);
    atomic_compare_exchange_strong(&file->used, &to, from);
    return NULL;
}

/* What can't be had whole is had in halves. */
void growing_file_reserve(struct growing_file *file, uint64_t bytes, bool present)
{
    uint64_t least = GROWING_FILE_PAGE_BYTES;
    if (!file->view.base || atomic_load(&file->sealed))
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
    if (!file->view.base || atomic_load(&file->sealed))
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
