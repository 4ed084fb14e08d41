#include "agent/job.h"
#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GRACE_MS = 5000, STOP_SIGNAL = SIGUSR1 };

int64_t job_now_ms(void)
{
    return clock_us(CLOCK_MONOTONIC) / 1000;
}

/* ---- Its tree ---------------------------------------------------------------------------- */

/* A process of its own stands between the agent and the command: whatever that starts, and leaves behind, becomes a child of it in
 * the end, were it a daemon, and is killed with it. */

/* The parent of a process, by its number in /proc; 0 where it can't be told. */
static pid_t parent_of(const char *number)
{
    char path[64], line[512];
    long parent = 0;
    snprintf(path, sizeof path, "/proc/%.20s/stat", number);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, line, sizeof line - 1) : 0;
    if (fd >= 0)
        close(fd);
    line[size > 0 ? size : 0] = 0;
    const char *end = strrchr(line, ')'); /* of the name, which may have anything in it */
    if (end && sscanf(end, ") %*c %ld", &parent) != 1)
        parent = 0;
    return (pid_t)parent;
}

/* False where there is none that can be killed. */
static bool kill_children(void)
{
    DIR *directory = opendir("/proc");
    struct dirent *entry;
    bool any = false;
    while (directory && (entry = readdir(directory))) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid > 0 && parent_of(entry->d_name) == getpid())
            any |= kill(pid, SIGKILL) == 0;
    }
    if (directory)
        closedir(directory);
    return any;
}

static void kill_tree(void)
{
    int status;
    while (kill_children() && waitpid(-1, &status, 0) > 0)
        ;
}

/* Waits for the command's end, or for STOP_SIGNAL.  Its exit status, or 128 and a signal. */
static int await(pid_t command, const sigset_t *signals)
{
    for (;;) {
        int status, which = sigwaitinfo(signals, NULL);
        pid_t ended;
        if (which == STOP_SIGNAL)
            return 128 + SIGKILL;
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
            if (ended == command)
                return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
}

/* ---- Its beginning ----------------------------------------------------------------------- */

static void run(const struct words *words, const char *folder, int out, int err)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
        dup2(err, STDERR_FILENO) >= 0 && chdir(folder) == 0)
        execv(words->items[0], words->items);
    _exit(127);
}

/* The process between.  The group that it leads may be asked to end (SIGTERM), which is for the command to do. */
static void look_after(const struct words *words, const char *folder, int out, int err, pid_t agent)
{
    sigset_t signals;
    setpgid(0, 0);
    signal(SIGTERM, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); /* whatever the agent was started with */
    signal(STOP_SIGNAL, SIG_DFL);
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, STOP_SIGNAL);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, STOP_SIGNAL); /* it ends with the agent */
    pid_t command = getppid() == agent ? fork() : -1;
    if (command == 0)
        run(words, folder, out, err);
    close(out);
    close(err);
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    int status = command < 0 ? 127 : await(command, &signals);
    kill_tree();
    _exit(status);
}

static void close_both(const int pipe[2])
{
    close(pipe[0]);
    close(pipe[1]);
}

static bool fork_it(struct job *job, const struct words *words, const char *folder,
                    const int out[2], const int err[2])
{
    pid_t agent = getpid();
    job->pid = fork();
    if (job->pid == 0)
        look_after(words, folder, out[1], err[1], agent);
    if (job->pid < 0) {
        job->pid = 0;
        return false;
    }
    setpgid(job->pid, job->pid); /* whichever of the two is first */
    return true;
}

bool job_start(struct job *job, const struct words *words, const char *folder, long seconds)
{
    int out[2], err[2];
    *job = (struct job){.out = -1, .err = -1};
    if (pipe2(out, O_CLOEXEC) != 0)
        return false;
    if (pipe2(err, O_CLOEXEC) != 0) {
        close_both(out);
        return false;
    }
    if (!fork_it(job, words, folder, out, err)) {
        close_both(out);
        close_both(err);
        return false;
    }
    close(out[1]);
    close(err[1]);
    job->out = out[0];
    job->err = err[0];
    job->end_ms = job_now_ms() + (int64_t)seconds * 1000;
    return true;
}

/* ---- What it says ------------------------------------------------------------------------ */

static void keep(struct job *job, bool is_out, const char *bytes, size_t size)
{
    struct text *text = is_out ? &job->said : &job->warned;
    size_t most = is_out ? JOB_OUTPUT_MAX : JOB_ERRORS_MAX, room = most - text->size;
    text_put(text, bytes, size < room ? size : room);
    if (is_out && size > room) {
        job->is_too_long = true;
        job_kill(job);
    }
}

void job_read(struct job *job, int fd)
{
    char bytes[65536];
    bool is_out = fd == job->out;
    ssize_t size = read(fd, bytes, sizeof bytes);
    if (size > 0) {
        keep(job, is_out, bytes, (size_t)size);
    } else if (size == 0 || errno != EINTR) {
        close(fd);
        *(is_out ? &job->out : &job->err) = -1;
    }
}

bool job_is_over(const struct job *job)
{
    return job->pid && job->out < 0 && job->err < 0;
}

/* ---- Its end ----------------------------------------------------------------------------- */

void job_kill(struct job *job)
{
    if (job->pid)
        kill(job->pid, STOP_SIGNAL);
}

void job_watch(struct job *job)
{
    if (!job->pid || job_now_ms() < job->end_ms)
        return;
    if (job->is_late)
        job_kill(job);
    else
        kill(-job->pid, SIGTERM);
    job->end_ms += GRACE_MS;
    job->is_late = true;
}

int job_wait(struct job *job)
{
    int status = 0;
    while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
        ;
    job->pid = 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void job_release(struct job *job)
{
    if (job->out >= 0)
        close(job->out);
    if (job->err >= 0)
        close(job->err);
    text_release(&job->said);
    text_release(&job->warned);
}
