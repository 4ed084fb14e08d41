/* What a stack of 23 frames costs: nanoseconds a stack and a frame, against libgcc's
 * _Unwind_Backtrace on the same stack.  The chain is compiled without frame pointers, each function
 * with a frame of its own size.
 *
 *   same         every capture from the same place: all frames but the site are shared
 *   leaf         the innermost function changes each time: all but two are shared
 *   half         the inner half of the stack changes each time
 *   no re-use    the previous stack is forgotten each time; rules are in the cache
 *   changed      a module was opened or closed: the cache is empty, pages are compiled
 *   first        a new thread's first stack: in addition, its bounds are found in /proc/self/maps
 *   libgcc       _Unwind_Backtrace, warm
 *
 * Each figure is the least of several rounds. */
#include "tap/unwind/unwind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unwind.h>

enum { DEPTH = 23, ROUNDS = 15, CAPTURES = 2000 };

#define CHAIN __attribute__((noinline))

enum mode { SAME, LEAF, HALF, NO_REUSE, CHANGED, FIRST, LIBGCC, MODES };
static const char *const mode_names[MODES] = {"same",    "leaf",  "half",  "no re-use",
                                              "changed", "first", "libgcc"};

static enum mode mode;
static struct unwind_thread *thread;
static struct unwind_stack stack;
static uint64_t spent_ns, taken, sum;
static volatile uint64_t sink;

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *context, void *argument)
{
    uint64_t *count = argument;
    sum += _Unwind_GetIP(context);
    return ++*count == DEPTH ? _URC_END_OF_STACK : _URC_NO_REASON;
}

__attribute__((noinline)) static void hook(void)
{
    struct unwind_start start = unwind_start_at_caller();
    if (mode == LIBGCC) {
        uint64_t count = 0;
        _Unwind_Backtrace(count_frame, &count);
        taken++;
        return;
    }
    if (mode == NO_REUSE)
        unwind_thread_forget(thread);
    if (mode == CHANGED)
        unwind_modules_changed();
    if (mode == FIRST)
        unwind_thread_init(thread, DEPTH);
    unwind_capture(thread, &start, &stack);
    sum += stack.addresses[0];
    taken++;
}

/* Two sites, so that the leaf can change; HALF calls higher up instead. */
CHAIN static void leaf_a(uint64_t n)
{
    hook();
    sink = n;
}

CHAIN static void leaf_b(uint64_t n)
{
    hook();
    sink = n + 1;
}

static void measure(uint64_t n)
{
    unsigned captures = mode == FIRST || mode == CHANGED ? CAPTURES / 20 : CAPTURES;
    uint64_t began = now_ns();
    for (unsigned i = 0; i < captures; i++) {
        if (mode == LEAF && (i & 1))
            leaf_b(n);
        else
            leaf_a(n);
    }
    spent_ns += now_ns() - began;
}

#define LINK(name, next, words)                                                                    \
    CHAIN static void name(uint64_t n)                                                             \
    {                                                                                              \
        volatile uint64_t room[words];                                                             \
        room[0] = n;                                                                               \
        next(n + room[0]);                                                                         \
        sink = room[0];                                                                            \
    }

LINK(link_c, measure, 3)
LINK(link_d, link_c, 8)
LINK(link_e, link_d, 1)
LINK(link_f, link_e, 20)
LINK(link_g, link_f, 5)
LINK(link_h, link_g, 2)
LINK(link_i, link_h, 9)
LINK(link_j, link_i, 4)

/* The other way to half depth, for HALF. */
LINK(other_c, leaf_b, 3)
LINK(other_d, other_c, 6)
LINK(other_e, other_d, 2)
LINK(other_f, other_e, 11)
LINK(other_g, other_f, 3)
LINK(other_h, other_g, 4)
LINK(other_i, other_h, 7)
LINK(other_j, other_i, 1)
LINK(same_c, leaf_a, 2)
LINK(same_d, same_c, 3)
LINK(same_e, same_d, 5)
LINK(same_f, same_e, 1)
LINK(same_g, same_f, 8)
LINK(same_h, same_g, 4)
LINK(same_i, same_h, 6)
LINK(same_j, same_i, 2)

CHAIN static void middle(uint64_t n)
{
    if (mode != HALF) {
        link_j(n);
        return;
    }
    uint64_t began = now_ns();
    for (unsigned i = 0; i < CAPTURES / 2; i++) {
        same_j(n);
        other_j(n);
    }
    spent_ns += now_ns() - began;
}

LINK(link_k, middle, 6)
LINK(link_l, link_k, 3)
LINK(link_m, link_l, 14)
LINK(link_n, link_m, 2)
LINK(link_o, link_n, 1)
LINK(link_p, link_o, 7)
LINK(link_q, link_p, 30)
LINK(link_r, link_q, 4)
LINK(link_s, link_r, 2)
LINK(link_t, link_s, 5)

int main(void)
{
    thread = unwind_thread_init(aligned_alloc(64, (unwind_thread_size(DEPTH) + 63) & ~(size_t)63),
                                DEPTH);
    unwind_modules_init();
    double best[MODES];
    for (unsigned i = 0; i < MODES; i++)
        best[i] = 1e9;
    uint32_t frames[MODES] = {0}, shared[MODES] = {0};
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (mode = SAME; mode < MODES; mode++) {
            spent_ns = taken = 0;
            link_t(round);
            double ns = (double)spent_ns / (double)taken;
            best[mode] = ns < best[mode] ? ns : best[mode];
            frames[mode] = mode == LIBGCC ? DEPTH : stack.length;
            shared[mode] = mode == LIBGCC ? 0 : stack.shared;
        }
    }
    printf("%-12s %10s %10s %8s %8s %10s\n", "", "ns/stack", "ns/frame", "frames", "shared",
           "of libgcc");
    for (unsigned i = 0; i < MODES; i++)
        printf("%-12s %10.1f %10.2f %8u %8u %9.1f%%\n", mode_names[i], best[i], best[i] / frames[i],
               frames[i], shared[i], 100 * best[i] / best[LIBGCC]);
    return sum == 0;
}
