#include "cli/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Ends with its parent, as it would have as a part of it; no core of it is of use to anybody. */
static _Noreturn void work(int (*function)(void *context), void *context, int report)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    int result = function(context);
    fflush(stdout);
    ssize_t ignored = write(report, &result, sizeof result);
    (void)ignored;
    _exit(0);
}

static bool read_result(int report, int *result)
{
    ssize_t got;
    do
        got = read(report, result, sizeof *result);
    while (got < 0 && errno == EINTR);
    return got == sizeof *result;
}

bool apart_run(int (*function)(void *context), void *context, int *result)
{
    int report[2];
    pid_t child = -1;
    fflush(stdout);
    if (pipe2(report, O_CLOEXEC) == 0) {
        child = fork();
        if (child == 0)
            work(function, context, report[1]);
        close(report[1]);
        if (child < 0)
            close(report[0]);
    }
    if (child < 0) {
        *result = function(context);
        return true;
    }
    bool done = read_result(report[0], result);
    close(report[0]);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    return done;
}
