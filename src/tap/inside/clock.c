#include "tap/inside/clock.h"

#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/affix.h"
#include "tap/inside/kernel.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum {
    CALIBRATION_US = 2000, /* after which the counter's rate is trusted */
    BASE_US = 1000,        /* how long a reading of the clock serves */
};

struct clock_rate clock_rate;
static int64_t offset_us;    /* of the monotonic clock from the Unix epoch */
static uint64_t first_ticks; /* when the trace began; 0: no counter */
static int64_t first_us;
static bool without_counter;
static int64_t stopped_us; /* without the counter: when it was left */

static bool is_without_counter(void)
{
    return __builtin_expect(__atomic_load_n(&without_counter, __ATOMIC_ACQUIRE), 0);
}

/* A clock by a system call; false where there may be none. */
static bool ask_kernel(clockid_t clock, int64_t *us)
{
    struct timespec now;
    if (kernel_call(SYS_clock_gettime, clock, (long)&now, 0, 0, 0, 0) != 0)
        return false;
    *us = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
    return true;
}

int64_t clock_read(clockid_t clock)
{
    struct timespec now = {0};
    int64_t us = 0;
    if (is_without_counter())
        return ask_kernel(clock, &us) ? us : 0;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* A loop that waits for a time would never end if the clock stood still. */
int64_t clock_now(void)
{
    int64_t us;
    if (!is_without_counter())
        return clock_read(CLOCK_MONOTONIC) + offset_us;
    return ask_kernel(CLOCK_MONOTONIC, &us) ? us + offset_us
                                            : __atomic_fetch_add(&stopped_us, 1, __ATOMIC_RELAXED);
}

void clock_leave_counter(void)
{
    if (is_without_counter())
        return;
    __atomic_store_n(&stopped_us, clock_now(), __ATOMIC_RELAXED);
    __atomic_store_n(&without_counter, true, __ATOMIC_RELEASE);
    __atomic_store_n(&clock_rate.most_ticks, 0, __ATOMIC_RELEASE);
}

/* How fast the counter goes is found out again by the next reading of the clock. */
void clock_return_to_counter(void)
{
    __atomic_store_n(&without_counter, false, __ATOMIC_RELEASE);
}

/* By the names of the clocks that libc reads by itself. */
bool clock_needs_no_kernel(void)
{
    static const char *const names[] = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page",
                                        "arch_sys_counter"};
    static const char path[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    char name[64] = "";
    int fd = kernel_open(path, O_RDONLY, 0);
    long size = fd < 0 ? 0 : kernel_read(fd, name, sizeof name - 1);
    if (fd >= 0)
        kernel_close(fd);
    for (size_t i = 0; size > 0 && i < sizeof names / sizeof *names; i++)
        if (begins_with(name, names[i]) && name[strlen(names[i])] == '\n')
            return true;
    return false;
}

#if defined(__x86_64__)
static uint64_t read_ticks(void)
{
    return __builtin_ia32_rdtsc();
}

/* Whether the counter goes at one rate whatever the processor does. */
static bool is_constant(void)
{
    const unsigned leaf = 0x80000007, invariant_tsc = 1 << 8;
    unsigned a, b, c, d;
    return __get_cpuid(leaf, &a, &b, &c, &d) && (d & invariant_tsc);
}
#else
static uint64_t read_ticks(void)
{
    return 0;
}

static bool is_constant(void)
{
    return false;
}
#endif

/* Both clocks at one moment: a thread that loses the processor between the two readings would set
 * them apart for as long as it waits, so the closest of a few tries counts. */
static int64_t read_both(uint64_t *ticks)
{
    enum { TRIES = 8, CLOSE_TICKS = 1000 };
    uint64_t closest = UINT64_MAX;
    int64_t us = 0;
    for (int i = 0; i < TRIES && closest > CLOSE_TICKS; i++) {
        uint64_t before = read_ticks();
        int64_t now_us = clock_now();
        uint64_t after = read_ticks();
        if (after - before >= closest)
            continue;
        closest = after - before;
        *ticks = before + closest / 2;
        us = now_us;
    }
    return us;
}

/* The same for the two clocks of the kernel. */
static int64_t read_offset(void)
{
    enum { TRIES = 8, CLOSE_US = 2 };
    int64_t closest = INT64_MAX, offset = 0;
    for (int i = 0; i < TRIES && closest > CLOSE_US; i++) {
        int64_t before = clock_read(CLOCK_MONOTONIC);
        int64_t wall = clock_read(CLOCK_REALTIME);
        int64_t after = clock_read(CLOCK_MONOTONIC);
        if (after - before >= closest)
            continue;
        closest = after - before;
        offset = wall - before - closest / 2;
    }
    return offset;
}

/* The parent may have given it up. */
static bool may_read_counter(void)
{
    int mode = PR_TSC_ENABLE;
    kernel_call(SYS_prctl, PR_GET_TSC, (long)&mode, 0, 0, 0, 0);
    return mode == PR_TSC_ENABLE;
}

uint64_t clock_processor_us(void)
{
    struct rusage usage = {0};
    kernel_call(SYS_getrusage, RUSAGE_SELF, (long)&usage, 0, 0, 0, 0);
    return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
           (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

void clock_init(void)
{
    without_counter = !may_read_counter();
    offset_us = read_offset();
    first_ticks = 0;
    first_us = 0;
    clock_rate = (struct clock_rate){0};
    if (without_counter || !is_constant())
        return;
    first_us = read_both(&first_ticks);
}

/* Threads that find this out at once write nearly the same. */
static void calibrate(uint64_t ticks, int64_t us)
{
    uint64_t passed = ticks - first_ticks;
    if (us - first_us < CALIBRATION_US || passed == 0)
        return;
    double per_us = (double)passed / (double)(us - first_us);
    __atomic_store_n(&clock_rate.us_per_tick, (uint64_t)(4294967296.0 / per_us), __ATOMIC_RELAXED);
    __atomic_store_n(&clock_rate.most_ticks, (uint64_t)(BASE_US * per_us), __ATOMIC_RELEASE);
}

/* Without the counter. */
static int64_t read_kernel(const struct clock_base *base)
{
    int64_t us;
    if (ask_kernel(CLOCK_MONOTONIC, &us))
        return us + offset_us;
    return base->last_us ? base->last_us : __atomic_load_n(&stopped_us, __ATOMIC_RELAXED);
}

int64_t clock_read_base(struct clock_base *base)
{
    bool is_without = is_without_counter(), counts = first_ticks && !is_without;
    int64_t us = is_without ? read_kernel(base) : counts ? read_both(&base->ticks) : clock_now();
    if (counts && __atomic_load_n(&clock_rate.most_ticks, __ATOMIC_ACQUIRE) == 0)
        calibrate(base->ticks, us);
    base->us = us;
    if (us > base->last_us)
        base->last_us = us;
    return base->last_us;
}
