/* A regular file is replaced by a new one, so that there is always a whole one.  What else may stand
 * there, a device, a pipe, a socket, is not ours to replace: it is written to.  Links stay, and what
 * they lead to is replaced. */
#include <string.h>

#include "tap/inside/kernel.h"
#include "tap/inside/text.h"
#include "tap/gather/profile.h"

enum { MOST_LINKS = 40 };

/* ---- Names -------------------------------------------------------------------------- */

static bool put(char *to, size_t size, const char *folder, size_t folder_size, const char *rest)
{
    struct text text;
    text_init(&text, to, size);
    text_add_bytes(&text, folder, folder_size);
    text_add(&text, rest);
    return !text.cut;
}

/* Puts what the link profile->target leads to in its place: 0, EINVAL where it is no link, or
 * another errno. */
static int follow(struct heaptap_pprof *profile)
{
    char *target = profile->target, *link = profile->new_path;
    long size = kernel_call(SYS_readlinkat, AT_FDCWD, (long)target, (long)link,
                            sizeof profile->new_path - 1, 0, 0);
    if (kernel_failed(size))
        return kernel_errno(size);
    link[size] = 0;
    const char *slash = strrchr(target, '/');
    size_t folder_size = link[0] == '/' || !slash ? 0 : (size_t)(slash + 1 - target);
    if (!put(target + folder_size, sizeof profile->target - folder_size, "", 0, link))
        return ENAMETOOLONG;
    return 0;
}

/* Finds what is to be replaced: 0 or an errno. */
static int find_target(struct heaptap_pprof *profile, const char *path)
{
    int code = 0;
    if (!put(profile->target, sizeof profile->target, "", 0, path))
        return ENAMETOOLONG;
    for (int i = 0; i < MOST_LINKS && code == 0; i++)
        code = follow(profile);
    return code == 0 ? ELOOP : code == EINVAL || code == ENOENT ? 0 : code;
}

/* ---- Writing ------------------------------------------------------------------------ */

static int write_pieces(void *context, const void *data, size_t size)
{
    return kernel_write_whole((int)(intptr_t)context, data, size);
}

/* The signals of a limit on files, and of a pipe without a reader, would end the program. */
static void hold_signals(struct kernel_signals *before)
{
    const uint64_t set = kernel_signal_bit(SIGPIPE) | kernel_signal_bit(SIGXFSZ);
    before->held = kernel_call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&set, (long)&before->set,
                               KERNEL_SIGNALS_BYTES, 0, 0) == 0;
}

/* With these held. */
static int write_file(struct heaptap_pprof *profile, int64_t time_us, int fd)
{
    bool pipe_waited = kernel_signal_waits(SIGPIPE), limit_waited = kernel_signal_waits(SIGXFSZ);
    struct heaptap_sink sink = {.write = write_pieces, .context = (void *)(intptr_t)fd};
    int code = pprof_write_to(profile, time_us, sink);
    if (code == EPIPE && !pipe_waited)
        kernel_take_signal(SIGPIPE);
    if (code == EFBIG && !limit_waited)
        kernel_take_signal(SIGXFSZ);
    int closed = kernel_errno(kernel_close(fd));
    return code ? code : closed;
}

/* A pipe without a reader would keep the program waiting: that is ENXIO. */
static int save_in_place(struct heaptap_pprof *profile, int64_t time_us, const char *path)
{
    int fd = kernel_open(path, O_WRONLY | O_TRUNC | O_NOCTTY | O_NONBLOCK, 0);
    if (fd < 0)
        return -fd;
    kernel_fcntl(fd, F_SETFL, 0); /* but a slow one is waited for */
    int code = write_file(profile, time_us, fd);
    if (code == 0)
        pprof_saying(profile, time_us);
    return code;
}

static int save_anew(struct heaptap_pprof *profile, int64_t time_us, const char *path)
{
    char *name = profile->new_path;
    int code = find_target(profile, path);
    if (code)
        return code;
    if (!put(name, sizeof profile->new_path, profile->target, strlen(profile->target), ".new"))
        return ENAMETOOLONG;
    kernel_unlink(name);
    int fd = kernel_open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY, 0666);
    if (fd < 0)
        return -fd;
    code = write_file(profile, time_us, fd);
    if (code == 0) {
        pprof_saying(profile, time_us);
        code = kernel_errno(kernel_rename(name, profile->target));
    }
    if (code != 0)
        kernel_unlink(name);
    return code;
}

int heaptap_pprof_save(struct heaptap_pprof *profile, int64_t time_us, const char *path)
{
    if (!profile || !path)
        return EINVAL;
    struct stat status;
    struct kernel_signals signals;
    hold_signals(&signals);
    bool is_other = kernel_stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    int code = is_other ? save_in_place(profile, time_us, path) : save_anew(profile, time_us, path);
    kernel_release_signals(&signals);
    if (code == 0)
        pprof_said(profile);
    return code;
}
