/* Clocks of the system. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* In microseconds: CLOCK_REALTIME since 1970, CLOCK_MONOTONIC since some moment of the system's run. */
static inline int64_t clock_us(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

/* The moment so many microseconds from now, as pthread_cond_timedwait takes it. */
static inline struct timespec clock_after(clockid_t clock, int64_t us)
{
    int64_t moment_us = clock_us(clock) + us;
    return (struct timespec){moment_us / 1000000, moment_us % 1000000 * 1000};
}

#endif
