/* The last snapshot comes before the first handler of atexit and the first destructor, which take apart what holds blocks: when main
 * returns or exit is called.  Ends that nobody announces (_exit, quick_exit) are hooked elsewhere (process.c); there is one snapshot
 * in any case. */
#include "tap/record/holders.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tap/inside/say.h"
#include "tap/inside/text.h"
#include "spec/holders_dump.h"
#include "tap/record/hook.h"
#include "tap/record/real.h"
#include "tap/record/recorder.h"
#include "tap/record/shadow.h"

static uint32_t taken; /* atomic; the last one has been */

static void each_block(holders_tell_block *tell, void *context)
{
    shadow_each(tell, context);
}

static bool is_asked(void)
{
    return __atomic_load_n(&recorder.phase, __ATOMIC_ACQUIRE) == RECORDER_ON &&
           recorder.settings.holders && recorder.exact && recorder_is_owner();
}

/* Whose frame, of more than a small stack has, is made only where a snapshot is asked for. */
SLOW void take(uint64_t stack)
{
    char path[PATH_MAX + sizeof HOLDERS_DUMP_SUFFIX];
    struct text text;
    struct snapshot snapshot;
    struct snapshot_options options = {
        .path = path,
        .each_block = each_block,
        .stack = stack,
        .self_offset = (int64_t)((char *)&record_self - (char *)__builtin_thread_pointer()),
        .self_bytes = sizeof record_self,
    };
    if (shadow.granule_bits == SHADOW_ALIGN_BITS) { /* as it is where malloc isn't glibc's */
        say("no snapshot of what holds memory was taken: the program's malloc is not glibc's",
            NULL);
        return;
    }
    text_init(&text, path, sizeof path);
    text_add(&text, recorder.output.name);
    text_add(&text, HOLDERS_DUMP_SUFFIX);
    snapshot_take(&snapshot, &options);
}

void holders_at_end(uint64_t stack)
{
    if (is_asked() && !__atomic_exchange_n(&taken, 1, __ATOMIC_RELAXED))
        take(stack);
}

void holders_forked(void)
{
    taken = 0;
}

/* ---- Ends ---------------------------------------------------------------------------- */

typedef int main_function(int argument_count, char **arguments, char **environment);
typedef int start_function(main_function *main, int argument_count, char **arguments,
                           void (*init)(void), void (*fini)(void), void (*loader_fini)(void),
                           void *stack_end);

static main_function *program_main;

SLOW void holders_at_exit(void)
{
    uint64_t stack;
    SNAPSHOT_STACK(stack);
    holders_at_end(stack);
}

static int main_with_holders(int argument_count, char **arguments, char **environment)
{
    uint64_t stack;
    int status = program_main(argument_count, arguments, environment);
    SNAPSHOT_STACK(stack);
    holders_at_end(stack);
    return status;
}

HOOK start_function __libc_start_main;

int __libc_start_main(main_function *main, int argument_count, char **arguments, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
    void *found = real_next("__libc_start_main");
    start_function *next;
    memcpy(&next, &found, sizeof next);
    recorder_wake();
    if (is_asked()) {
        program_main = main;
        main = main_with_holders;
    }
    return next(main, argument_count, arguments, init, fini, loader_fini, stack_end);
}

/* The next exit is jumped to, so that what runs in it has no frame of ours in its stack: a call of what is said not to return would
 * be none that can be jumped to.  On a small stack there is no room to look for it now. */
HOOK void exit_hook(int status) __asm__("exit");

void exit_hook(int status)
{
    holders_at_exit();
    real.exit(status);
}
