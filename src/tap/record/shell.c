/* Commands that this program has a shell run.  libc starts the shell by functions that we don't see,
 * with the process's environment, to which nothing is added.  So system() is done here as POSIX
 * describes it; popen(), whose stream is libc's own, gets another `environ` for as long as it takes
 * to start the shell. */
#include "tap/record/hook.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap/record/above.h"
#include "tap/record/exec.h"
#include "tap/record/real.h"

#define SHELL "/bin/sh"

extern char **environ;

static uint32_t locked; /* atomic */

static void lock(void)
{
    while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void unlock(void)
{
    __atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
}

/* ---- system ------------------------------------------------------------------------- */

/* While commands run, the terminal's signals are theirs. */
static unsigned running;
static struct sigaction interrupt_before, quit_before;

static void leave_signals(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    lock();
    if (running++ == 0) {
        sigaction(SIGINT, &ignore, &interrupt_before);
        sigaction(SIGQUIT, &ignore, &quit_before);
    }
    unlock();
}

static void take_signals_back(void)
{
    lock();
    if (--running == 0) {
        sigaction(SIGINT, &interrupt_before, NULL);
        sigaction(SIGQUIT, &quit_before, NULL);
    }
    unlock();
}

struct command {
    pid_t pid;
    sigset_t mask_before;
};

static int wait_for(pid_t pid)
{
    int status;
    pid_t got;
    do
        got = waitpid(pid, &status, 0);
    while (got < 0 && errno == EINTR);
    return got == pid ? status : -1;
}

/* The thread that waits is cancelled. */
static void give_up(void *context)
{
    struct command *command = context;
    kill(command->pid, SIGKILL);
    wait_for(command->pid);
    take_signals_back();
    pthread_sigmask(SIG_SETMASK, &command->mask_before, NULL);
}

static int spawn(struct command *command, char *const *arguments, char *const *environment)
{
    posix_spawnattr_t attributes;
    sigset_t reset;
    sigemptyset(&reset);
    lock();
    if (interrupt_before.sa_handler != SIG_IGN)
        sigaddset(&reset, SIGINT);
    if (quit_before.sa_handler != SIG_IGN)
        sigaddset(&reset, SIGQUIT);
    unlock();
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &command->mask_before);
    posix_spawnattr_setsigdefault(&attributes, &reset);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    int code = real.posix_spawn(&command->pid, SHELL, NULL, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    return code;
}

static int run(const char *text, char *const *environment)
{
    enum { NOT_STARTED = 127 << 8 };
    char *arguments[] = {(char *)"sh", (char *)"-c", (char *)(uintptr_t)text, NULL};
    struct command command;
    sigset_t child;
    int status = NOT_STARTED;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    leave_signals();
    pthread_sigmask(SIG_BLOCK, &child, &command.mask_before);
    int code = spawn(&command, arguments, environment);
    if (code == 0) {
        pthread_cleanup_push(give_up, &command);
        status = wait_for(command.pid);
        pthread_cleanup_pop(0);
    }
    int wait_errno = errno;
    take_signals_back();
    pthread_sigmask(SIG_SETMASK, &command.mask_before, NULL);
    errno = code ? code : wait_errno;
    return status;
}

HOOK int system(const char *command)
{
    if (!command || !exec_goes_along(SHELL, environ))
        return real.system(command);
    return run(command, EXEC_ENVIRONMENT(environ, true));
}

/* ---- popen -------------------------------------------------------------------------- */

/* Puts back what was there before, with what other threads may have changed meanwhile: it is in the
 * entries before ours, or in a copy that setenv has made. */
static void take_back(char **before, char **ours, size_t count)
{
    char **now = environ, **to = before;
    if (now != ours) {
        environment_strip(now);
        return;
    }
    for (size_t i = 0; i < count && now[i]; i++)
        *to++ = now[i];
    if (to)
        *to = NULL;
    environ = before;
}

HOOK FILE *popen(const char *command, const char *mode)
{
    if (!exec_goes_along(SHELL, environ))
        return real.popen(command, mode);
    lock();
    char **before = environ, **ours = (char **)(uintptr_t)EXEC_ENVIRONMENT(environ, true);
    size_t count = 0;
    while (before && before[count])
        count++;
    environ = ours;
    FILE *stream = real.popen(command, mode);
    int saved_errno = errno;
    take_back(before, ours, count);
    unlock();
    errno = saved_errno;
    return stream;
}

/* ---- Fork --------------------------------------------------------------------------- */

void shell_forked(void)
{
    unlock();
    running = 0;
}
