#include "tap/holders/snapshot.h"

#include <signal.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "tap/holders/output.h"
#include "tap/holders/room.h"
#include "tap/holders/scan.h"
#include "tap/holders/thread_list.h"
#include "tap/inside/kernel.h"
#include "tap/inside/pages.h"
#include "tap/inside/program_limits.h"
#include "tap/inside/say.h"
#include "tap/inside/scratch.h"

/* A snapshot that is being taken. */
struct taking {
    const struct snapshot_options *options;
    struct snapshot *snapshot;
    struct snapshot_thread *threads;
    uint8_t *bytes; /* of the copy's output */
    bool done;
};

static uint64_t now_us(void)
{
    struct timespec now = {0, 0};
    kernel_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static bool refuse(const char *why)
{
    say("no snapshot of what holds memory was taken: ", why, NULL);
    return false;
}

/* ---- The copy ------------------------------------------------------------------------ */

static void close_from_to(unsigned first, unsigned last)
{
    enum { CALL = 436, MOST_BY_HAND = 1 << 16 };
    if (first > last || !kernel_failed(kernel_call(CALL, first, last, 0, 0, 0, 0)))
        return;
    uint64_t most = limits_of(RLIMIT_NOFILE);
    most = most < MOST_BY_HAND ? most : MOST_BY_HAND;
    for (unsigned fd = first; fd <= last && fd < most; fd++)
        kernel_close((int)fd);
}

/* Who waits for the end of a pipe of the program's must not wait for us. */
static void close_others(int fd)
{
    if (fd > 0)
        close_from_to(0, (unsigned)fd - 1);
    close_from_to((unsigned)fd + 1, ~0U);
}

/* Whatever befalls it, it comes to an end. */
static void limit_itself(void)
{
    enum { MOST_SECONDS = 900 };
    const struct rlimit limit = {MOST_SECONDS, MOST_SECONDS};
    kernel_call(SYS_prlimit64, 0, RLIMIT_CPU, (long)&limit, 0, 0, 0);
}

static __attribute__((noreturn)) void run_copy(const struct scan_task *task, int fd, uint8_t *bytes)
{
    struct snapshot_output output = {.fd = fd, .bytes = bytes};
    close_others(fd);
    limit_itself();
    kernel_call(SYS_prctl, PR_SET_NAME, (long)"heaptap-holders", 0, 0, 0, 0);
    task->options->look(task, &output);
    for (;;)
        kernel_call(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

/* ---- Taking -------------------------------------------------------------------------- */

static const char *why_not(long result)
{
    switch (kernel_errno(result)) {
    case EAGAIN:
        return "the number of processes is limited (ulimit -u, or that of its control group)";
    case ENOMEM:
        return "there is too little memory for a copy of the process";
    case ENOSYS:
    case EPERM:
        return "the process may not start others (seccomp)";
    default:
        return say_errno(kernel_errno(result));
    }
}

static int open_output(const char *path)
{
    enum { LOCK_EXCLUSIVE = 2 };
    int fd = kernel_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_NOFOLLOW, 0600);
    if (fd < 0)
        return fd;
    fd = kernel_out_of_the_way(fd);
    kernel_call(SYS_flock, fd, LOCK_EXCLUSIVE, 0, 0, 0, 0);
    return fd;
}

static bool take(struct taking *taking)
{
    const char *lack = snapshot_room_lack();
    if (lack)
        return refuse(lack);
    int fd = open_output(taking->options->path);
    if (fd < 0)
        return refuse(say_errno(-fd));
    uint64_t start = now_us();
    struct scan_task task = {.options = taking->options, .threads = taking->threads};
    task.thread_count = threads_find(taking->threads, &taking->options->place);
    long pid = kernel_copy_process();
    if (pid == 0) {
        task.still_us = now_us() - start;
        run_copy(&task, fd, taking->bytes);
    }
    kernel_close(fd);
    if (kernel_failed(pid)) {
        kernel_unlink(taking->options->path);
        return refuse(why_not(pid));
    }
    taking->snapshot->pid = (int)pid;
    return true;
}

/* The stack that this runs on is heaptap's, and has signals held. */
static void take_on_own_stack(void *context)
{
    const size_t threads_bytes = THREADS_MOST * sizeof(struct snapshot_thread);
    struct taking *taking = context;
    taking->threads = pages_map(threads_bytes);
    taking->bytes = pages_map(SNAPSHOT_OUTPUT_BYTES);
    taking->done =
        taking->threads && taking->bytes ? take(taking) : refuse("there is too little memory");
    pages_unmap(taking->threads, threads_bytes);
    pages_unmap(taking->bytes, SNAPSHOT_OUTPUT_BYTES);
}

bool snapshot_take(struct snapshot *snapshot, const struct snapshot_options *options)
{
    struct taking taking = {.options = options, .snapshot = snapshot};
    snapshot->pid = 0;
    if (confined_on())
        return false;
    if (!scratch_run(take_on_own_stack, &taking))
        return refuse("there is too little memory");
    return taking.done;
}

bool snapshot_has_ended(struct snapshot *snapshot)
{
    long pid =
        snapshot->pid ? kernel_call(SYS_wait4, snapshot->pid, 0, WNOHANG | __WCLONE, 0, 0, 0) : 1;
    if (pid != 0)
        snapshot->pid = 0;
    return pid != 0;
}
