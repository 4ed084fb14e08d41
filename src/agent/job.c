#include "agent/job.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GRACE_MS = 5000 };

int64_t job_now_ms(void)
{
    return clock_us(CLOCK_MONOTONIC) / 1000;
}

/* ---- Its beginning ----------------------------------------------------------------------- */

/* In the child: only async-signal-safe calls. */
static void run(const struct words *words, const char *folder, int out, int err)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* it ends with the agent */
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
        dup2(err, STDERR_FILENO) >= 0 && chdir(folder) == 0)
        execv(words->items[0], words->items);
    _exit(127);
}

static void close_both(const int pipe[2])
{
    close(pipe[0]);
    close(pipe[1]);
}

static bool fork_it(struct job *job, const struct words *words, const char *folder,
                    const int out[2], const int err[2])
{
    job->pid = fork();
    if (job->pid == 0)
        run(words, folder, out[1], err[1]);
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
        kill(-job->pid, SIGKILL);
}

void job_watch(struct job *job)
{
    if (!job->pid || job_now_ms() < job->end_ms)
        return;
    kill(-job->pid, job->is_late ? SIGKILL : SIGTERM);
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
