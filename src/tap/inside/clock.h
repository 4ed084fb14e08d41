/* Time, in microseconds since the Unix epoch, by a clock that never steps: the monotonic one, set
 * to the wall clock when the trace began.
 *
 * Two readings a block are a tenth of what exact recording costs.  So where the processor has a
 * constant time stamp counter, a thread asks the kernel's clock once in a while, and counts from
 * there.  How fast the counter goes is known from the time since then; being wrong by a
 * thousandth would make a microsecond between two readings of the clock.
 *
 * A thread can give up the counter (prctl's PR_SET_TSC, and strict seccomp does so, too), and to read it is SIGSEGV then, for
 * libc's clock_gettime as well.  From then on the kernel is asked by a system call; and where there may be none, time stands
 * still. */
#ifndef TAP_INSIDE_CLOCK_H
#define TAP_INSIDE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* What the kernel's clock says, as it is, in microseconds; 0 where it can't be asked. */
int64_t clock_read(clockid_t clock);

/* The processor's time that this process has used, in microseconds. */
uint64_t clock_processor_us(void);

/* To be called once, when the trace begins. */
void clock_init(void);

int64_t clock_now(void);

/* From now on the counter is not read; and back again, once it may be.  The caller knows of no thread that reads it meanwhile
 * and may not: it is the calling thread that loses it. */
void clock_leave_counter(void);
void clock_return_to_counter(void);

/* Whether the clock is read without a system call, as far as can be found out. */
bool clock_needs_no_kernel(void);

/* A thread's own copy: the counter's value at a reading of the clock. */
struct clock_base {
    uint64_t ticks; /* 0: none yet */
    int64_t us;
    int64_t last_us; /* what was returned last: times of a thread never go back */
};

/* Written once it is known, by whichever thread finds it out, the second word last. */
struct clock_rate {
    uint64_t us_per_tick; /* times 2^32; 0 while unknown, or where there is no such counter */
    uint64_t most_ticks;  /* until the clock is read again; 0 if the counter is not to be read */
};

extern struct clock_rate clock_rate;

int64_t clock_read_base(struct clock_base *base);

static inline int64_t clock_thread_now(struct clock_base *base)
{
#if defined(__x86_64__)
    uint64_t most_ticks = __atomic_load_n(&clock_rate.most_ticks, __ATOMIC_ACQUIRE);
    uint64_t ticks = most_ticks ? __builtin_ia32_rdtsc() - base->ticks : 0;
    if (__builtin_expect(ticks < most_ticks, 1)) {
        uint64_t us_per_tick = __atomic_load_n(&clock_rate.us_per_tick, __ATOMIC_RELAXED);
        int64_t us = base->us + (int64_t)((ticks * us_per_tick) >> 32);
        if (us > base->last_us)
            base->last_us = us;
        return base->last_us;
    }
#endif
    return clock_read_base(base);
}

#endif
