/* A test is a stretch of time, so that any filter on times picks its blocks.  Times are microseconds, and in one of these a
 * thread has many events.  So the calls wait for the clock: before the microsecond in which a test begins, the thread has its
 * last event from before the test; and the microsecond in which it ends has none at all. */
#include "tap/record/tests.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "tap/inside/text.h"
#include "tap/record/event.h"
#include "tap/record/recorder.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void heaptap_recorder_test_begin(const char *name, const char *limits);
EXPORTED void heaptap_recorder_test_limit(const char *limits, const char *unused);
EXPORTED void heaptap_recorder_test_end(void);

enum { TEST_TEXT_BYTES = 1024 };

/* The test that runs. */
static struct {
    bool runs;
    int64_t begin_us; /* since the Unix epoch */
    struct text limits;
    char name[TEST_TEXT_BYTES], limits_text[TEST_TEXT_BYTES];
} test;

static bool can_record(void)
{
    recorder_wake();
    return __atomic_load_n(&recorder.phase, __ATOMIC_ACQUIRE) == RECORDER_ON &&
           recorder_is_owner() && !recorder.profile;
}

/* Waits until the clock is `ticks` microseconds on. */
static int64_t wait_for_clock(struct stream *stream, int64_t ticks)
{
    int64_t before = clock_thread_now(&stream->clock), now;
    do
        now = clock_thread_now(&stream->clock);
    while (now < before + ticks);
    return now;
}

/* Between these the stream is this thread's, and nothing is recorded. */
static struct stream *enter(bool *lent)
{
    recorder_suspend();
    struct stream *stream = event_enter(lent);
    if (!stream)
        recorder_resume();
    return stream;
}

static void leave(struct stream *stream, bool lent, int64_t now_us)
{
    event_leave(stream, lent, now_us);
    recorder_resume();
}

static void end_test(void)
{
    bool lent;
    struct stream *stream = enter(&lent);
    test.runs = false;
    if (!stream)
        return;
    int64_t now = wait_for_clock(stream, 2);
    struct heaptap_metadata record = {.kind = HEAPTAP_TEST,
                                      .name = test.name,
                                      .value = test.limits_text,
                                      .begin_us = test.begin_us - recorder.start_us,
                                      .end_us = now - 1 - recorder.start_us};
    heaptap_domain_metadata(stream->domain, &record, 1);
    leave(stream, lent, now);
}

void heaptap_recorder_test_limit(const char *limits, const char *unused)
{
    if (!test.runs || !limits || !*limits)
        return;
    if (test.limits_text[0])
        text_add(&test.limits, "; ");
    text_add(&test.limits, limits);
}

void heaptap_recorder_test_begin(const char *name, const char *limits)
{
    bool lent;
    struct text text;
    int saved_errno = errno;
    if (can_record()) {
        if (test.runs)
            end_test();
        text_init(&text, test.name, sizeof test.name);
        text_add(&text, name ? name : "");
        text_init(&test.limits, test.limits_text, sizeof test.limits_text);
        struct stream *stream = enter(&lent);
        if (stream) {
            test.runs = true;
            test.begin_us = wait_for_clock(stream, 1);
            leave(stream, lent, test.begin_us);
            heaptap_recorder_test_limit(limits, NULL);
        }
    }
    errno = saved_errno;
}

void heaptap_recorder_test_end(void)
{
    int saved_errno = errno;
    if (test.runs && can_record())
        end_test();
    errno = saved_errno;
}

void tests_forked(void)
{
    test.runs = false;
}
