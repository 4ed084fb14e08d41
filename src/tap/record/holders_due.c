#include "tap/record/holders_due.h"

#include <unistd.h>

#include "tap/inside/kernel.h"
#include "tap/record/requests.h"

static struct {
    int64_t look_us;    /* atomic; from this time on, the next look */
    int64_t next_us;    /* at this time the next interval ends */
    uint64_t above;     /* bytes at which the next one is due */
    uint32_t cause;     /* of the one that is due; HOLDERS_CAUSE_END: none is */
    unsigned page_bits; /* a page has 1 << page_bits bytes */
} due;

/* Of memory that is in use and of no file; 0 where the kernel doesn't tell. */
static uint64_t resident_bytes(void)
{
    enum { RESIDENT = 1, OF_FILES = 2, FIELDS };
    char line[128];
    uint64_t pages[FIELDS] = {0};
    int fd = kernel_open("/proc/self/statm", O_RDONLY, 0);
    long got = fd >= 0 ? kernel_read(fd, line, sizeof line) : 0;
    if (fd >= 0)
        kernel_close(fd);
    for (long i = 0, field = 0; i < got && field < FIELDS; i++)
        if (line[i] == ' ')
            field++;
        else
            pages[field] = pages[field] * 10 + (uint64_t)(line[i] - '0');
    return (pages[RESIDENT] - pages[OF_FILES]) << due.page_bits;
}

static uint32_t find_cause(int64_t now_us)
{
    const struct settings *settings = &recorder.settings;
    uint64_t bytes = settings->holders_above_bytes ? resident_bytes() : 0;
    if (settings->holders_above_bytes && bytes >= due.above) {
        while (due.above <= bytes && !(due.above >> 62))
            due.above *= 2;
        return HOLDERS_CAUSE_SIZE;
    }
    if (!settings->holders_every_us || now_us < due.next_us)
        return HOLDERS_CAUSE_END;
    due.next_us = now_us + (int64_t)settings->holders_every_us;
    return HOLDERS_CAUSE_INTERVAL;
}

void holders_due_look(int64_t now_us)
{
    int64_t look_us = __atomic_load_n(&due.look_us, __ATOMIC_RELAXED);
    if (now_us < look_us ||
        !__atomic_compare_exchange_n(&due.look_us, &look_us, now_us + HOLDERS_LOOK_US, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    if (due.cause == HOLDERS_CAUSE_END)
        due.cause = find_cause(now_us);
    if (due.cause != HOLDERS_CAUSE_END)
        requests_add(REQUEST_HOLDERS);
}

enum holders_cause holders_due_cause(void)
{
    return (enum holders_cause)due.cause;
}

void holders_due_taken(void)
{
    due.cause = HOLDERS_CAUSE_END;
}

void holders_due_begin(void)
{
    due.page_bits = (unsigned)__builtin_ctzl((unsigned long)getpagesize());
    due.above = recorder.settings.holders_above_bytes;
    due.look_us = 0;
    due.next_us = recorder.start_us + (int64_t)recorder.settings.holders_every_us;
    due.cause = HOLDERS_CAUSE_END;
}
