/* A tracker for tests: writes down what it is told, and does in its callbacks what a test asks for.
 */
#ifndef TESTS_ENGINE_LOG_H
#define TESTS_ENGINE_LOG_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "heaptap/engine.h"

struct log {
    char text[4096]; /* "alloc_minor 1; promote 1 -> 2; ": the tag of the block, later the metadata
                      */
    size_t length;
    struct heaptap_sample last; /* with `stack` pointing to `frames` */
    uint64_t frames[64];
    bool refuse_alloc, refuse_promote;                              /* return NULL */
    void (*inside)(struct log *log, struct heaptap_thread *thread); /* run in each callback */
    struct heaptap_engine *engine;                                  /* for `inside` */
};

__attribute__((format(printf, 2, 3))) static inline void log_add(struct log *log,
                                                                 const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(log->text + log->length, sizeof log->text - log->length, format, arguments);
    va_end(arguments);
    if (n > 0 && log->length + (size_t)n < sizeof log->text)
        log->length += (size_t)n;
}

static inline void *log_alloc(struct log *log, struct heaptap_thread *thread, const char *kind,
                              const struct heaptap_sample *sample)
{
    log_add(log, "%s %" PRIu64 "; ", kind, sample->tag);
    log->last = *sample;
    memcpy(log->frames, sample->stack, sample->stack_length * sizeof log->frames[0]);
    log->last.stack = log->frames;
    if (log->inside)
        log->inside(log, thread);
    return log->refuse_alloc ? NULL : (void *)(uintptr_t)sample->tag;
}

static inline void *log_alloc_minor(void *context, struct heaptap_thread *thread,
                                    const struct heaptap_sample *sample)
{
    return log_alloc(context, thread, "alloc_minor", sample);
}

static inline void *log_alloc_major(void *context, struct heaptap_thread *thread,
                                    const struct heaptap_sample *sample)
{
    return log_alloc(context, thread, "alloc_major", sample);
}

/* The new metadata are the old ones plus 1000. */
static inline void *log_promote(void *context, struct heaptap_thread *thread, void *minor)
{
    struct log *log = context;
    log_add(log, "promote %" PRIuPTR "; ", (uintptr_t)minor);
    if (log->inside)
        log->inside(log, thread);
    return log->refuse_promote ? NULL : (void *)((uintptr_t)minor + 1000);
}

static inline void log_dealloc_minor(void *context, struct heaptap_thread *thread, void *minor)
{
    struct log *log = context;
    log_add(log, "dealloc_minor %" PRIuPTR "; ", (uintptr_t)minor);
    if (log->inside)
        log->inside(log, thread);
}

static inline void log_dealloc_major(void *context, struct heaptap_thread *thread, void *major)
{
    struct log *log = context;
    log_add(log, "dealloc_major %" PRIuPTR "; ", (uintptr_t)major);
    if (log->inside)
        log->inside(log, thread);
}

static inline struct heaptap_tracker log_tracker(struct log *log)
{
    return (struct heaptap_tracker){log_alloc_minor,   log_alloc_major,   log_promote,
                                    log_dealloc_minor, log_dealloc_major, log};
}

/* The log since the last call must be this text. */
#define assert_log(log, expected)                                                                  \
    do {                                                                                           \
        assert_string_equal((log)->text, expected);                                                \
        (log)->text[0] = '\0';                                                                     \
        (log)->length = 0;                                                                         \
    } while (0)

/* One engine, one thread, one log, from a test's setup to its teardown. */
struct fixture {
    struct heaptap_engine engine;
    struct heaptap_thread thread;
    struct log log;
    struct heaptap_tracker tracker;
};

static inline void fixture_init(struct fixture *f, const struct heaptap_engine_options *options)
{
    memset(f, 0, sizeof *f);
    assert_int_equal(heaptap_engine_init(&f->engine, options, NULL), HEAPTAP_OK);
    f->tracker = log_tracker(&f->log);
    f->log.engine = &f->engine;
}

static inline void fixture_start(struct fixture *f, double rate)
{
    assert_int_equal(heaptap_engine_start(&f->engine, &f->thread, rate, 64, &f->tracker, NULL),
                     HEAPTAP_OK);
}

static inline void fixture_allocate(struct fixture *f, uint64_t address, uint64_t tag, bool minor)
{
    struct heaptap_block block = {
        .address = address, .words = 2, .size = 1, .tag = tag, .minor = minor};
    heaptap_thread_allocate(&f->engine, &f->thread, &block);
}

static inline void fixture_free(struct fixture *f, uint64_t address)
{
    heaptap_thread_free(&f->engine, &f->thread, address);
}

static inline struct heaptap_engine_counts fixture_counts(const struct fixture *f)
{
    struct heaptap_engine_counts counts;
    heaptap_engine_read_counts(&f->engine, &counts);
    return counts;
}

#endif
