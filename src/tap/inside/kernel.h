/* System calls without libc between.  libc's open, read, write, close and fcntl are cancellation
 * points: called from a hook they would make malloc one, and a thread that is cancelled there
 * leaves locked what its program never expected to lose.  These are none, and leave errno alone:
 * they return what the kernel does, which is minus the errno for a failure.
 *
 * A signal handler of the program may allocate, and so come back to us.  What can't bear that holds
 * all signals meanwhile, those that libc keeps to itself included. */
#ifndef TAP_INSIDE_KERNEL_H
#define TAP_INSIDE_KERNEL_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "tap/inside/confined.h"

static inline long kernel_call_anyway(long number, long a, long b, long c, long d, long e, long f)
{
#ifdef __x86_64__
    long result;
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#else
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c, x3 __asm__("x3") = d, x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
#endif
}

static inline long kernel_call(long number, long a, long b, long c, long d, long e, long f)
{
    return __builtin_expect(confined_on(), 0) ? -ENOSYS
                                              : kernel_call_anyway(number, a, b, c, d, e, f);
}

static inline bool kernel_failed(long result)
{
    return result < 0 && result >= -4095;
}

/* The errno of a result: 0 where the call succeeded. */
static inline int kernel_errno(long result)
{
    return kernel_failed(result) ? (int)-result : 0;
}

/* ---- Files -------------------------------------------------------------------------- */

static inline int kernel_open_at(int folder, const char *path, int flags, mode_t mode)
{
    return (int)kernel_call(SYS_openat, folder, (long)path, flags, (long)mode, 0, 0);
}

/* The descriptor is closed in programs that this one becomes. */
static inline int kernel_open(const char *path, int flags, mode_t mode)
{
    return kernel_open_at(AT_FDCWD, path, flags | O_CLOEXEC, mode);
}

static inline int kernel_close(int fd)
{
    return (int)kernel_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

static inline long kernel_read(int fd, void *to, size_t size)
{
    return kernel_call(SYS_read, fd, (long)to, (long)size, 0, 0, 0);
}

static inline long kernel_read_at(int fd, void *to, size_t size, uint64_t offset)
{
    return kernel_call(SYS_pread64, fd, (long)to, (long)size, (long)offset, 0, 0);
}

static inline long kernel_write(int fd, const void *data, size_t size)
{
    return kernel_call(SYS_write, fd, (long)data, (long)size, 0, 0, 0);
}

static inline long kernel_write_at(int fd, const void *data, size_t size, uint64_t offset)
{
    return kernel_call(SYS_pwrite64, fd, (long)data, (long)size, (long)offset, 0, 0);
}

static inline int kernel_fcntl(int fd, int command, long argument)
{
    return (int)kernel_call(SYS_fcntl, fd, command, argument, 0, 0, 0);
}

/* Puts an open descriptor above the numbers that programs get, where one is free.  The descriptor that it has then. */
static inline int kernel_out_of_the_way(int fd)
{
    enum { HIGH = 900 };
    int high = kernel_fcntl(fd, F_DUPFD_CLOEXEC, HIGH);
    if (high < 0)
        return fd;
    kernel_close(fd);
    return high;
}

static inline int kernel_stat(const char *path, struct stat *status)
{
    return (int)kernel_call(SYS_newfstatat, AT_FDCWD, (long)path, (long)status, 0, 0, 0);
}

/* Of a link, itself. */
static inline int kernel_stat_link(const char *path, struct stat *status)
{
    return (int)kernel_call(SYS_newfstatat, AT_FDCWD, (long)path, (long)status, AT_SYMLINK_NOFOLLOW,
                            0, 0);
}

static inline int kernel_stat_fd(int fd, struct stat *status)
{
    return (int)kernel_call(SYS_fstat, fd, (long)status, 0, 0, 0, 0);
}

static inline int kernel_truncate(const char *path, uint64_t size)
{
    return (int)kernel_call(SYS_truncate, (long)path, (long)size, 0, 0, 0, 0);
}

static inline int kernel_unlink(const char *path)
{
    return (int)kernel_call(SYS_unlinkat, AT_FDCWD, (long)path, 0, 0, 0, 0);
}

static inline int kernel_rename(const char *from, const char *to)
{
    return (int)kernel_call(SYS_renameat, AT_FDCWD, (long)from, AT_FDCWD, (long)to, 0, 0);
}

/* ---- Threads ------------------------------------------------------------------------ */

static inline int kernel_thread_id(void)
{
    return (int)kernel_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

static inline int kernel_process_id(void)
{
    return (int)kernel_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

/* A copy of the process, of this thread alone: 0 in the copy, which is to run nothing of the program's, so that signals are held.  Its end
 * tells nobody anything, as no signal is asked for: __WCLONE waits for it. */
static inline long kernel_copy_process(void)
{
    return kernel_call(SYS_clone, 0, 0, 0, 0, 0, 0);
}

static inline void kernel_yield(void)
{
    kernel_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

/* ---- Signals ------------------------------------------------------------------------ */

enum { KERNEL_SIGNALS_BYTES = 8 };

/* The signals that a thread held before. */
struct kernel_signals {
    uint64_t set;
    bool held; /* else nothing has been changed */
};

/* But for SIGBUS, which would end the process where it is held. */
static inline void kernel_hold_signals(struct kernel_signals *before)
{
    const uint64_t most = ~(UINT64_C(1) << (SIGBUS - 1));
    before->held = kernel_call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&most, (long)&before->set,
                               KERNEL_SIGNALS_BYTES, 0, 0) == 0;
}

static inline void kernel_release_signals(const struct kernel_signals *before)
{
    if (before->held)
        kernel_call_anyway(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before->set, 0,
                           KERNEL_SIGNALS_BYTES, 0, 0);
}

static inline uint64_t kernel_signal_bit(int number)
{
    return UINT64_C(1) << (number - 1);
}

static inline bool kernel_signal_waits(int number)
{
    uint64_t waiting = 0;
    kernel_call(SYS_rt_sigpending, (long)&waiting, KERNEL_SIGNALS_BYTES, 0, 0, 0, 0);
    return waiting & kernel_signal_bit(number);
}

/* Removes a held signal that one of the recorder's own calls has raised in this thread. */
static inline void kernel_take_signal(int number)
{
    const struct {
        long seconds, nanoseconds;
    } at_once = {0, 0};
    uint64_t set = kernel_signal_bit(number);
    kernel_call(SYS_rt_sigtimedwait, (long)&set, 0, (long)&at_once, KERNEL_SIGNALS_BYTES, 0, 0);
}

/* Between these all signals are held, and SIGPIPE and SIGXFSZ, which writing may bring upon a program
 * that by itself writes nothing, are taken away. */
struct kernel_quiet {
    struct kernel_signals signals;
    bool pipe_waited, size_waited;
};

static inline void kernel_quiet_begin(struct kernel_quiet *quiet)
{
    kernel_hold_signals(&quiet->signals);
    quiet->pipe_waited = kernel_signal_waits(SIGPIPE);
    quiet->size_waited = kernel_signal_waits(SIGXFSZ);
}

static inline void kernel_quiet_end(const struct kernel_quiet *quiet)
{
    if (!quiet->pipe_waited && kernel_signal_waits(SIGPIPE))
        kernel_take_signal(SIGPIPE);
    if (!quiet->size_waited && kernel_signal_waits(SIGXFSZ))
        kernel_take_signal(SIGXFSZ);
    kernel_release_signals(&quiet->signals);
}

/* ---- Writing whole ------------------------------------------------------------------- */

/* All of it: 0 or an errno. */
static inline int kernel_write_whole(int fd, const void *data, size_t size)
{
    const char *at = (const char *)data;
    while (size > 0) {
        long written = kernel_write(fd, at, size);
        if (kernel_errno(written) == EINTR)
            continue;
        if (kernel_failed(written))
            return kernel_errno(written);
        at += written;
        size -= (size_t)written;
    }
    return 0;
}

/* The same, for a program that is not ours: a limit, or a reader that is gone, is an errno. */
static inline int kernel_write_quietly(int fd, const void *data, size_t size)
{
    struct kernel_quiet quiet;
    kernel_quiet_begin(&quiet);
    int code = kernel_write_whole(fd, data, size);
    kernel_quiet_end(&quiet);
    return code;
}

#endif
