/* A profile that outlives its process: what it gathers lies in a file (kept.h). */
#include "tap/inside/growing_file.h"
#include "tap/inside/kernel.h"
#include "tap/inside/pages.h"
#include "tap/gather/keep.h"
#include "tap/gather/profile.h"

/* A file of that name may be mapped by somebody, whom cutting it short would kill: it makes way. */
static int open_new(const char *path)
{
    kernel_unlink(path);
    return kernel_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY, 0600);
}

int keep_begin(struct heaptap_pprof *profile, const char *path)
{
    int fd = open_new(path);
    struct growing_file *file = fd >= 0 ? pages_map(sizeof *file) : NULL;
    int code = fd < 0 ? -fd : file ? growing_file_open(file, fd, path, 0) : ENOMEM;
    if (fd >= 0)
        kernel_close(fd);
    if (code == 0) {
        profile->file = file;
        profile->kept = growing_file_take(file, sizeof *profile->kept);
        code = atomic_load(&file->failed);
    }
    if (profile->kept)
        return 0;
    if (profile->file)
        keep_end(profile);
    else
        pages_unmap(file, sizeof *file);
    if (fd >= 0)
        kernel_unlink(path);
    return code;
}

void keep_end(struct heaptap_pprof *profile)
{
    growing_file_close(profile->file);
    pages_unmap(profile->file, sizeof *profile->file);
    profile->file = NULL;
}

void keep_recording(struct heaptap_pprof *profile, uint64_t number)
{
    profile->kept->recording = number;
}

void keep_goes_on(struct heaptap_pprof *profile, bool goes_on)
{
    profile->goes_on = goes_on;
}

int keep_failure(const struct heaptap_pprof *profile)
{
    return profile->keep_failure;
}

struct growing_file *keep_file(struct heaptap_pprof *profile)
{
    return profile->file;
}

void keep_is_locked(struct heaptap_pprof *profile, int fd)
{
    growing_file_use_descriptor(profile->file, fd);
    atomic_store(&profile->kept->locked, 1);
}

void keep_leave_to_parent(struct heaptap_pprof *profile)
{
    if (profile->file)
        growing_file_leave_to_parent(profile->file, true);
}

void keep_count_anew(struct heaptap_pprof *profile)
{
    atomic_store(&profile->kept->saying_number, 0);
    atomic_store(&profile->kept->said_number, 0);
}
