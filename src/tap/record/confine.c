/* A program that takes system calls away from itself (seccomp) is ended by the kernel if one of ours
 * comes after that.  So none is made from then on (tap/inside/confined.h).  One that gives up the time stamp counter is ended if
 * we read that (tap/inside/clock.h).
 *
 * The hooks of syscall and prctl jump to the real functions in all other cases: what is called by
 * them may return on another stack.  They have a fixed number of arguments, where libc's have any
 * number; these are in the same places. */
#include <errno.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tap/inside/clock.h"
#include "tap/record/hook.h"
#include "tap/record/real.h"
#include "tap/record/recorder.h"

HOOK int hook_prctl(int option, long a, long b, long c, long d) __asm__("prctl");
HOOK long hook_syscall(long number, long a, long b, long c, long d, long e,
                       long f) __asm__("syscall");

/* Whether the call is one that succeeds by leaving fewer system calls.  Without a filter it is
 * asked whether the kernel knows the call at all. */
static bool confines(long mode, long filter)
{
    return mode == SECCOMP_MODE_STRICT || (mode == SECCOMP_MODE_FILTER && filter);
}

static long seccomp_mode(long operation)
{
    return operation == SECCOMP_SET_MODE_STRICT   ? SECCOMP_MODE_STRICT
           : operation == SECCOMP_SET_MODE_FILTER ? SECCOMP_MODE_FILTER
                                                  : 0;
}

/* Strict seccomp and PR_SET_TSC take the time stamp counter from the thread. */
static bool takes_counter(int option, long mode)
{
    return option == PR_SET_TSC ? mode == PR_TSC_SIGSEGV : mode == SECCOMP_MODE_STRICT;
}

static int restrict_calls(int option, long mode, long filter, long c, long d)
{
    bool ours = recorder_confine_begin();
    int result = real.prctl(option, mode, filter, c, d);
    recorder_confine_end(ours, result == 0);
    return result;
}

SLOW int slow_prctl(int option, long mode, long filter, long c, long d)
{
    bool takes = takes_counter(option, mode);
    if (takes)
        clock_leave_counter();
    int result = option == PR_SET_SECCOMP && confines(mode, filter)
                     ? restrict_calls(option, mode, filter, c, d)
                     : real.prctl(option, mode, filter, c, d);
    if (takes ? result != 0 : option == PR_SET_TSC && mode == PR_TSC_ENABLE && result == 0)
        clock_return_to_counter();
    return result;
}

int hook_prctl(int option, long a, long b, long c, long d)
{
    if (__builtin_expect(option == PR_SET_SECCOMP || option == PR_SET_TSC, 0))
        return slow_prctl(option, a, b, c, d);
    return real.prctl(option, a, b, c, d);
}

static long slow_seccomp(long operation, long flags, long filter)
{
    bool takes = seccomp_mode(operation) == SECCOMP_MODE_STRICT;
    if (takes)
        clock_leave_counter();
    bool ours = confines(seccomp_mode(operation), filter) && recorder_confine_begin();
    long result = real.syscall(SYS_seccomp, operation, flags, filter, 0, 0, 0);
    recorder_confine_end(ours, result >= 0);
    if (takes && result < 0)
        clock_return_to_counter();
    return result;
}

/* The arguments of these are no more than five. */
SLOW long slow_syscall(long number, long a, long b, long c, long d, long e)
{
    switch (number) {
    case SYS_prctl:
        return hook_prctl((int)a, b, c, d, e);
    case SYS_seccomp:
        return slow_seccomp(a, b, c);
    case SYS_execve:
        return execve((const char *)a, (char *const *)b, (char *const *)c);
    default:
        return execveat((int)a, (const char *)b, (char *const *)c, (char *const *)d, (int)e);
    }
}

static inline bool is_special(long number)
{
    return number == SYS_prctl || number == SYS_seccomp || number == SYS_execve ||
           number == SYS_execveat;
}

long hook_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    if (__builtin_expect(is_special(number), 0))
        return slow_syscall(number, a, b, c, d, e);
    return real.syscall(number, a, b, c, d, e, f);
}
