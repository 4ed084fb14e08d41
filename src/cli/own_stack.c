/* The limit on the first thread's stack may be one that can't be raised, and no limit for other threads': so a second
 * one does the work, and gets all signals. */
#include "cli/own_stack.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

enum { WANTED_BYTES = 8 << 20 };

struct call {
    int (*function)(int argc, char **argv);
    int argc;
    char **argv;
    int result;
};

static void *run(void *context)
{
    struct call *call = context;
    call->result = call->function(call->argc, call->argv);
    return NULL;
}

static bool has_room(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= WANTED_BYTES;
}

static bool run_in_thread(struct call *call)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    bool made = pthread_attr_setstacksize(&attributes, WANTED_BYTES) == 0 &&
                pthread_setattr_default_np(&attributes) == 0 &&
                pthread_create(&thread, &attributes, run, call) == 0;
    pthread_attr_destroy(&attributes);
    if (!made)
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_join(thread, NULL);
    return true;
}

int own_stack_run(int (*function)(int argc, char **argv), int argc, char **argv)
{
    struct call call = {function, argc, argv, 0};
    if (!has_room() && run_in_thread(&call))
        return call.result;
    return function(argc, argv);
}
