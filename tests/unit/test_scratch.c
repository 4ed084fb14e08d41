/* A stack of its own: from the smallest stacks that threads have, and with signals held. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "run_tests.h"
#include "tap/inside/scratch.h"

static volatile sig_atomic_t came;

static void on_signal(int number)
{
    came++;
}

static void use_much(void *context)
{
    volatile char much[200000];
    memset((char *)much, 7, sizeof much);
    raise(SIGUSR1);
    errno = EIO;
    *(int *)context = much[sizeof much - 1] + came;
}

static int found;
static ucontext_t outside, inside;

static void on_a_small_stack(void)
{
    scratch_run(use_much, &found);
}

static void deep_work_is_done_from_a_stack_of_4_kb(void **state)
{
    static char stack[4096];
    came = 0;
    signal(SIGUSR1, on_signal);
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof stack;
    inside.uc_link = &outside;
    makecontext(&inside, on_a_small_stack, 0);
    errno = ENOENT;
    swapcontext(&outside, &inside);
    assert_int_equal(found, 7); /* the signal had not come yet */
    assert_int_equal(errno, ENOENT);
    assert_int_equal(came, 1);
}

int main(void)
{
    return RUN_TESTS(deep_work_is_done_from_a_stack_of_4_kb);
}
