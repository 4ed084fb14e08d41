/* Limits that the program runs under, asked for without libc. */
#ifndef TAP_INSIDE_PROGRAM_LIMITS_H
#define TAP_INSIDE_PROGRAM_LIMITS_H

#include <stdint.h>
#include <sys/resource.h>

#include "tap/inside/kernel.h"

/* The address space is the program's: where that is limited, what we map is no longer than this part of it. */
enum { LIMITS_SHARE = 16 };

/* Of RLIMIT_AS and the like; UINT64_MAX for none. */
static inline uint64_t limits_of(int resource)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    kernel_call(SYS_prlimit64, 0, resource, 0, (long)&limit, 0, 0);
    return limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}

/* The part of the program's memory that is ours to take; UINT64_MAX / 2 or more where that is not limited. */
static inline uint64_t limits_share(void)
{
    uint64_t space = limits_of(RLIMIT_AS), data = limits_of(RLIMIT_DATA);
    uint64_t least = space < data ? space : data;
    return least == UINT64_MAX ? UINT64_MAX / 2 : least / LIMITS_SHARE;
}

#endif
