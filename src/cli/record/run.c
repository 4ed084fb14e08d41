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

#include "base/clock.h"
#include "cli/cli.h"

static const int passed[] = {SIGINT,  SIGTERM,  SIGHUP,  SIGQUIT, SIGUSR1,
                             SIGUSR2, SIGWINCH, SIGCONT, SIGTSTP};

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

enum { FILES_WANTED = 64, FILES_LEAST = 16 };

static struct rlimit files_before; /* 0: not changed */

bool run_raise_files(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= FILES_WANTED)
        return true;
    files_before = files;
    files.rlim_cur = FILES_WANTED;
    if (files.rlim_max < FILES_WANTED)
        files.rlim_max = FILES_WANTED; /* which takes a capability */
    if (setrlimit(RLIMIT_NOFILE, &files) == 0)
        return true;
    files.rlim_cur = files.rlim_max = files_before.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    return files.rlim_cur >= FILES_LEAST;
}

/* What the command is to have of before. */
struct inherited {
    sigset_t signals;
    struct sigaction child_action, size_action; /* SIGCHLD's, SIGXFSZ's */
};

static _Noreturn void become(const char *path, char *const *arguments, char *const *environment,
                             const struct inherited *inherited, volatile int *code)
{
    cli_restore_reader_signal();
    sigaction(SIGCHLD, &inherited->child_action, NULL);
    sigaction(SIGXFSZ, &inherited->size_action, NULL);
    sigprocmask(SIG_SETMASK, &inherited->signals, NULL);
    if (files_before.rlim_max)
        setrlimit(RLIMIT_NOFILE, &files_before);
    execute(path, arguments, environment);
    *code = errno;
    _exit(127);
}

/* Returns when the command runs or could not be started: until then its process has this one's memory, in which it leaves
 * why.  A pipe for that would take two descriptors, which may be all that there are. */
static __attribute__((noinline)) pid_t start(const char *path, char *const *arguments,
                                             char *const *environment,
                                             const struct inherited *inherited, volatile int *code)
{
    pid_t pid = vfork();
    if (pid == 0)
        become(path, arguments, environment, inherited, code);
    return pid;
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

/* Until exec the command has this process's memory, and the kernel counts that. */
static uint64_t peak_rss(const struct rusage *usage)
{
    struct rusage own;
    bool is_told = getrusage(RUSAGE_SELF, &own) == 0 && usage->ru_maxrss > own.ru_maxrss;
    return is_told ? (uint64_t)usage->ru_maxrss * 1024 : 0;
}

bool run_command(const char *path, char *const *arguments, char *const *environment,
                 void (*started)(void *context), void *context, struct run_result *result)
{
    sigset_t signals;
    struct inherited before;
    struct rusage usage = {0};
    volatile int exec_errno = 0;
    *result = (struct run_result){0};
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        sigaddset(&signals, passed[i]);
    sigprocmask(SIG_BLOCK, &signals, &before.signals);
    /* Were SIGCHLD ignored, the command's end could not be waited for. */
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &before.child_action);
    /* A limit on the size of files ends the messages, not heaptap. */
    sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = SIG_IGN}, &before.size_action);
    double begun = 1e-6 * (double)clock_us(CLOCK_MONOTONIC);
    result->pid = start(path, arguments, environment, &before, &exec_errno);
    int fork_errno = errno;
    if (result->pid > 0) {
        result->exec_errno = exec_errno;
        if (started && !result->exec_errno)
            started(context);
        wait_for(result->pid, &signals, &result->status, &usage);
        result->peak_rss_bytes = peak_rss(&usage);
        result->seconds = 1e-6 * (double)clock_us(CLOCK_MONOTONIC) - begun;
        result->ended_us = clock_us(CLOCK_REALTIME);
    }
    sigprocmask(SIG_SETMASK, &before.signals, NULL);
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
