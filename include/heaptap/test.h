/* Limits on the memory of tests.
 *
 *     heaptap_test_begin("parser: a large file", "peak <= 20 MB; live-at-end <= 0");
 *     ... the test ...
 *     heaptap_test_end();
 *
 *     $ heaptap record --all -o tests.ctf -- ./tests
 *     $ heaptap check --tests tests.ctf
 *
 * These functions find heaptap's recorder in the process, if there is one; if not, they do nothing.  So the program is not
 * linked to heaptap, and runs the same without it.  docs/ci.md describes the whole; heaptap/gtest.h does this for GoogleTest.
 *
 * A test counts what is allocated between its begin and its end, by any thread.  One test runs at a time: the begin of
 * another one ends it.  Call the functions from one thread.  Each costs a few microseconds; none allocates, but for the
 * first, which may (dlsym). */
#ifndef HEAPTAP_TEST_H
#define HEAPTAP_TEST_H

#include <dlfcn.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls a function of the recorder with up to two texts; nothing if there is none. */
static inline void heaptap_test_call(const char *function, const char *first, const char *second)
{
    void *found = dlsym(0, function); /* 0 is RTLD_DEFAULT */
    void (*call)(const char *first, const char *second);
    if (!found)
        return;
    memcpy(&call, &found, sizeof call);
    call(first, second);
}

/* A test begins.  Both texts are copied, at most 1023 bytes of each.  `limits` are budgets as `heaptap check --budgets` has them,
 * separated by semicolons: a measure (peak, allocated, live-at-end, objects), optionally `where` and a filter, `<=` and
 * a limit.  NULL or "" for none. */
static inline void heaptap_test_begin(const char *name, const char *limits)
{
    heaptap_test_call("heaptap_recorder_test_begin", name, limits);
}

/* More limits for the running test. */
static inline void heaptap_test_limit(const char *limits)
{
    heaptap_test_call("heaptap_recorder_test_limit", limits, 0);
}

/* The test ends: its live-at-end is what is alive now. */
static inline void heaptap_test_end(void)
{
    heaptap_test_call("heaptap_recorder_test_end", 0, 0);
}

#ifdef __cplusplus
}
#endif

#endif
