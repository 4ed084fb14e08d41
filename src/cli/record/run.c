#include "cli/record/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

static const int passed[] = {SIGINT,  SIGTERM,  SIGHUP,  SIGQUIT, SIGUSR1,
                             SIGUSR2, SIGWINCH, SIGCONT, SIGTSTP};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- The command's side ------------------------------------------------------------- */

static bool is_text(const char *path)
{
    char head[128];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, head, sizeof head) : -1;
    if (fd >= 0)
        close(fd);
    return size >= 0 && !memchr(head, 0, (size_t)size);
}

/* A text file without #! is the shell's; a program of another architecture is not. */
static void execute(const char *path, char *const *arguments, char *const *environment)
{
    size_t count = 0;
    execve(path, arguments, environment);
    if (errno != ENOEXEC)
        return;
    if (!is_text(path)) {
        errno = ENOEXEC;
        return;
    }
    while (arguments[count])
        count++;
    char **shell = calloc(count + 2, sizeof *shell);
    if (!shell)
        return;
    shell[0] = (char *)"/bin/sh";
    shell[1] = (char *)path;
    for (size_t i = 1; i < count; i++)
        shell[i + 1] = arguments[i];
    execve(shell[0], shell, environment);
}

static _Noreturn void become(const char *path, char *const *arguments, char *const *environment,
                             int report)
{
    execute(path, arguments, environment);
    int code = errno;
    ssize_t ignored = write(report, &code, sizeof code);
    (void)ignored;
    _exit(127);
}

/* ---- This side ---------------------------------------------------------------------- */

/* Stops this process as ^Z would have, and goes on when it is continued. */
static void stop_here(void)
{
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    kill(getpid(), SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stop, NULL);
    sigprocmask(SIG_BLOCK, &stop, NULL);
}

/* A signal from the terminal (the kernel sent it) has reached the command too; one from a process
 * hasn't, unless the command itself is the sender. */
static void pass_on(const siginfo_t *signal, pid_t pid)
{
    if (signal->si_code <= 0 && signal->si_pid != pid)
        kill(pid, signal->si_signo);
    if (signal->si_signo == SIGTSTP)
        stop_here();
}

static void wait_for(pid_t pid, const sigset_t *signals, int *status, struct rusage *usage)
{
    siginfo_t signal;
    while (wait4(pid, status, WNOHANG, usage) == 0)
        if (sigwaitinfo(signals, &signal) > 0 && signal.si_signo != SIGCHLD)
            pass_on(&signal, pid);
    /* What came with the end, such as ^C, was meant for the command. */
    while (sigtimedwait(signals, &signal, &(struct timespec){0, 0}) > 0)
        ;
}

/* Until exec the command is a copy of this process, and the kernel counts that. */
static uint64_t peak_rss(const struct rusage *usage)
{
    struct rusage own;
    bool is_told = getrusage(RUSAGE_SELF, &own) == 0 && usage->ru_maxrss > own.ru_maxrss;
    return is_told ? (uint64_t)usage->ru_maxrss * 1024 : 0;
}

static int read_errno(int report)
{
    int code = 0;
    ssize_t got;
    do
        got = read(report, &code, sizeof code);
    while (got < 0 && errno == EINTR);
    return got == sizeof code ? code : 0;
}

bool run_command(const char *path, char *const *arguments, char *const *environment,
                 void (*started)(void *context), void *context, struct run_result *result)
{
    sigset_t signals, before;
    struct sigaction child_action;
    int report[2];
    struct rusage usage = {0};
    *result = (struct run_result){0};
    if (pipe2(report, O_CLOEXEC) != 0)
        return false;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        sigaddset(&signals, passed[i]);
    sigprocmask(SIG_BLOCK, &signals, &before);
    /* Were SIGCHLD ignored, the command's end could not be waited for. */
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &child_action);
    double start = seconds_now();
    result->pid = fork();
    if (result->pid == 0) {
        cli_restore_reader_signal();
        sigaction(SIGCHLD, &child_action, NULL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        become(path, arguments, environment, report[1]);
    }
    int fork_errno = errno;
    close(report[1]);
    if (result->pid > 0) {
        result->exec_errno = read_errno(report[0]);
        if (started && !result->exec_errno)
            started(context);
        wait_for(result->pid, &signals, &result->status, &usage);
        result->peak_rss_bytes = peak_rss(&usage);
        result->seconds = seconds_now() - start;
    }
    close(report[0]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = fork_errno;
    return result->pid > 0;
}

int run_lend_output(void)
{
    int own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (own >= 0)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    return own;
}

void run_take_output_back(int own)
{
    int code = errno;
    if (own >= 0) {
        dup2(own, STDOUT_FILENO);
        close(own);
    }
    errno = code;
}

int run_exit_status(const struct run_result *result)
{
    if (result->exec_errno)
        return result->exec_errno == ENOENT ? 127 : 126;
    if (WIFSIGNALED(result->status))
        return 128 + WTERMSIG(result->status);
    return WEXITSTATUS(result->status);
}
