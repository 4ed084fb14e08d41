/* The handler of SIGBUS is ours while there is a recording, and the program neither sees it nor loses its own: what it sets is kept
 * here, and gets every signal that is not of the trace, with the flags and the mask that it asked for.  Around the
 * functions that ask for or set a disposition, the program's is in place for a moment.
 *
 * A program that ignores SIGBUS keeps that, as what it executes inherits it.  One that sets a handler by an inline system
 * call, or holds the signal in a thread, ends when that thread's next event meets the cut. */
#include "tap/record/fault.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tap/inside/kernel.h"
#include "tap/record/hook.h"
#include "tap/record/real.h"
#include "tap/record/recorder.h"

typedef void handler(int number);

int sigaction(int number, const struct sigaction *action, struct sigaction *before);
handler *signal(int number, handler *action);
handler *bsd_signal(int number, handler *action);
handler *ssignal(int number, handler *action);
handler *sysv_signal(int number, handler *action);
handler *__sysv_signal(int number, handler *action);

static bool watched;
static uint32_t locked;         /* atomic */
static struct sigaction theirs; /* what the program has set */

/* ---- The signal --------------------------------------------------------------------- */

static bool is_handler(const struct sigaction *action)
{
    return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

/* One that the kernel sends for what the thread just did comes again, if it returns. */
static bool comes_again(const siginfo_t *info)
{
    return info->si_code > 0 && info->si_code != BUS_MCEERR_AO;
}

/* As if there were no handler. */
static void end_by(int number, siginfo_t *info)
{
    const struct sigaction end = {.sa_handler = SIG_DFL};
    real.sigaction(number, &end, NULL);
    if (!comes_again(info))
        kernel_call(SYS_rt_tgsigqueueinfo, kernel_process_id(), kernel_thread_id(), number,
                    (long)info, 0, 0);
}

static void hand_on(int number, siginfo_t *info, void *context)
{
    const struct sigaction action = theirs;
    if (!is_handler(&action)) {
        end_by(number, info);
        return;
    }
    if (action.sa_flags & (int)SA_RESETHAND)
        theirs.sa_handler = SIG_DFL;
    if (action.sa_flags & SA_SIGINFO)
        action.sa_sigaction(number, info, context);
    else
        action.sa_handler(number);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    if (info->si_code == BUS_ADRERR && output_take_fault(&recorder.output, info->si_addr))
        errno = saved_errno;
    else
        hand_on(number, info, context);
}

/* ---- Its disposition ---------------------------------------------------------------- */

static void take(void)
{
    struct sigaction ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    real.sigaction(SIGBUS, NULL, &theirs);
    if (is_handler(&theirs)) {
        ours.sa_mask = theirs.sa_mask;
        ours.sa_flags = SA_SIGINFO | (theirs.sa_flags & ~(int)SA_RESETHAND);
    }
    if (is_handler(&theirs) || theirs.sa_handler == SIG_DFL)
        real.sigaction(SIGBUS, &ours, NULL);
}

void fault_watch(void)
{
    if (watched)
        return;
    take();
    watched = true;
}

/* Before a function asks for the disposition or sets it, and after it. */
static bool begin(int number, struct kernel_signals *signals)
{
    if (__builtin_expect(number != SIGBUS, 1) || !watched)
        return false;
    kernel_hold_signals(signals);
    while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE))
        kernel_yield();
    real.sigaction(SIGBUS, &theirs, NULL);
    return true;
}

static void end(const struct kernel_signals *signals)
{
    int saved_errno = errno;
    take();
    __atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
    kernel_release_signals(signals);
    errno = saved_errno;
}

#define THROUGH(number, call)                                                                      \
    __extension__({                                                                                \
        struct kernel_signals signals;                                                             \
        bool of_ours = begin(number, &signals);                                                    \
        __auto_type result = call;                                                                 \
        if (of_ours)                                                                               \
            end(&signals);                                                                         \
        result;                                                                                    \
    })

HOOK int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    return THROUGH(number, real.sigaction(number, action, before));
}

HOOK handler *signal(int number, handler *action)
{
    return THROUGH(number, real.signal(number, action));
}

HOOK handler *bsd_signal(int number, handler *action)
{
    return signal(number, action);
}

HOOK handler *ssignal(int number, handler *action)
{
    return signal(number, action);
}

HOOK handler *sysv_signal(int number, handler *action)
{
    return THROUGH(number, real.sysv_signal(number, action));
}

HOOK handler *__sysv_signal(int number, handler *action)
{
    return sysv_signal(number, action);
}
