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

static inline void teardown(struct fixture *f)
{
    heaptap_engine_release(&f->engine);
}

/* The fixture of a test, as its state. */
static inline struct fixture *fixture_begin(void **state,
                                            const struct heaptap_engine_options *options)
{
    static struct fixture f;
    fixture_init(&f, options);
    return *state = &f;
}

static inline int fixture_end(void **state)
{
    teardown(*state);
    return 0;
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

static inline void play_minor(struct fixture *f, uint64_t tag, uint64_t address)
{
    fixture_allocate(f, address, tag, true);
}

static inline void play_major(struct fixture *f, uint64_t tag, uint64_t address)
{
    fixture_allocate(f, address, tag, false);
}

static inline void play_free(struct fixture *f, uint64_t address, uint64_t unused)
{
    (void)unused;
    fixture_free(f, address);
}

static inline void play_move(struct fixture *f, uint64_t from, uint64_t to)
{
    heaptap_thread_move(&f->engine, &f->thread, from, to, false);
}

static inline void play_promote(struct fixture *f, uint64_t from, uint64_t to)
{
    heaptap_thread_move(&f->engine, &f->thread, from, to, true);
}

static inline void play_reset(struct fixture *f, uint64_t from, uint64_t to)
{
    heaptap_thread_region_reset(&f->engine, &f->thread, from, to);
}

/* What happens in the fixture's thread: "minor 1 0x1000; promote 0x1000 0x2000; gc_end; ".  Blocks
 * are allocated with their tags, and known by their addresses from then on. */
static inline void play(struct fixture *f, const char *steps)
{
    static const struct {
        const char *name;
        void (*with)(struct fixture *f, uint64_t first, uint64_t second);
        void (*alone)(struct heaptap_engine *engine, struct heaptap_thread *thread);
    } known[] = {
        {"minor", play_minor, NULL},
        {"major", play_major, NULL},
        {"free", play_free, NULL},
        {"move", play_move, NULL},
        {"promote", play_promote, NULL},
        {"reset", play_reset, NULL},
        {"gc_begin", NULL, heaptap_thread_gc_begin},
        {"gc_end", NULL, heaptap_thread_gc_end},
        {"run", NULL, heaptap_thread_run_pending},
    };
    const size_t count = sizeof known / sizeof *known;
    for (const char *step = steps; *step; step += strcspn(step, ";"), step += strspn(step, "; ")) {
        char name[16];
        uint64_t first = 0, second = 0;
        size_t i = 0;
        sscanf(step, "%15[a-z_]%" SCNi64 "%" SCNi64, name, (int64_t *)&first, (int64_t *)&second);
        while (i < count && strcmp(known[i].name, name) != 0)
            i++;
        if (i == count)
            fail_msg("no step of a test: %s", step);
        if (known[i].with)
            known[i].with(f, first, second);
        else
            known[i].alone(&f->engine, &f->thread);
    }
}

/* What the tracker is told when this happens. */
#define assert_told(f, steps, expected)                                                            \
    do {                                                                                           \
        play((f), steps);                                                                          \
        assert_log(&(f)->log, expected);                                                           \
    } while (0)

static inline struct heaptap_engine_counts fixture_counts(const struct fixture *f)
{
    struct heaptap_engine_counts counts;
    heaptap_engine_read_counts(&f->engine, &counts);
    return counts;
}

#endif
