/* Asks for nothing of a later glibc than 2.2.5, whichever it is built with: so it has no start files.  It makes BLOCKS blocks of 1, 2, 3,
 * ... bytes, frees every second one, and ends; where KILLED is defined, by SIGKILL:  gcc -nostartfiles. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCKS = 1000 };

static void *volatile last;

__attribute__((noinline)) static void make_blocks(void)
{
    for (size_t i = 1; i <= BLOCKS; i++) {
        last = malloc(i);
        if (i % 2)
            free(last);
    }
}

__attribute__((force_align_arg_pointer, noreturn)) void _start(void)
{
    make_blocks();
#ifdef KILLED
    kill(getpid(), SIGKILL);
#endif
    _exit(0);
}
