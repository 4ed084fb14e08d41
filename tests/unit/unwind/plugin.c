/* Two libraries of nearly the same layout (VARIANT 1 and 2) whose functions lie at the same
 * addresses but have different frames: what is remembered of one is wrong for the other. */
#include <stdint.h>

#if VARIANT == 1
enum { WORDS = 40 };
#else
enum { WORDS = 72 };
#endif

__attribute__((visibility("default"))) uint64_t plugin_run(void (*visit)(void), uint64_t n);

static __attribute__((noinline)) uint64_t inner(void (*visit)(void), volatile uint64_t *words)
{
    volatile uint64_t more[WORDS];
    more[1] = words[1];
    visit();
    return more[1] + words[2];
}

uint64_t plugin_run(void (*visit)(void), uint64_t n)
{
    volatile uint64_t words[2 * WORDS];
    words[1] = words[2] = n;
    return inner(visit, words) + words[1];
}
