/* Exact recording between the hooks and the streams: which events come of which calls, in which
 * order, when they take the short way, and what becomes of those of a signal handler that comes
 * while an event is being written.  The streams are stood in for: events become lines of a log. */
#include "run_tests.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "../helpers/sanitized.h"
#include "tap/record/event.h"
#include "tap/record/exact.h"
#include "tap/record/gate.h"
#include "tap/native/modules.h"
#include "tap/record/recorder.h"

struct recorder recorder;
__thread struct record_self record_self;
struct clock_rate clock_rate;

/* ---- Streams that log --------------------------------------------------------------- */

static char log_text[4096];
static struct stream stream = {.deadline_us = INT64_MAX};
static uint64_t next_id;
static bool no_stream;
static void (*handler)(void); /* comes once, while an allocation is written */

static void write_log(const char *format, uint64_t number)
{
    size_t used = strlen(log_text);
    snprintf(log_text + used, sizeof log_text - used, format, (unsigned long long)number);
}

static void interrupt(void)
{
    void (*now)(void) = handler;
    handler = NULL;
    if (now)
        now();
}

bool event_alloc(uint64_t size, uint64_t samples, const struct unwind_start *start, uint64_t *id)
{
    interrupt();
    if (no_stream)
        return false;
    assert_int_equal(samples, size + !size);
    write_log("alloc %llu\n", size);
    *id = next_id++;
    return true;
}

void event_end(uint64_t id)
{
    write_log("end %llu\n", id);
}

struct stream *event_enter(bool *lent)
{
    *lent = false;
    return &stream;
}

void event_leave(struct stream *entered, bool lent, int64_t now_us)
{
    assert_ptr_equal(entered, &stream);
}

uint64_t stream_alloc(struct stream *entered, int64_t now_us, uint64_t size, uint64_t samples,
                      const struct unwind_start *start)
{
    assert_ptr_equal(entered, &stream);
    assert_int_equal(entered->busy, 1);
    interrupt();
    write_log("quick alloc %llu\n", size);
    return next_id++;
}

void heaptap_domain_collect(struct heaptap_domain *domain, int64_t now_us, uint64_t id)
{
    write_log("quick end %llu\n", id);
}

bool modules_unwritten(void)
{
    return false;
}

int64_t clock_read_base(struct clock_base *base)
{
    return 1;
}

void unwind_modules_unwatched(void)
{
}

/* ---- What the hooks do -------------------------------------------------------------- */

enum { A = 0x10000, B = 0x10040, MANY = 0x20000, APART = 64 };

static void allocate(uint64_t address, uint64_t size)
{
    static const struct unwind_start start;
    if (!exact_allocated_quickly(address, size, &start))
        exact_allocated_slowly(address, size, &start);
}

static void end(uint64_t address)
{
    uint64_t word = shadow_take(address);
    if (word && !exact_ended(word))
        exact_restore(address, word);
}

static void assert_log(const char *wanted)
{
    assert_string_equal(log_text, wanted);
    log_text[0] = 0;
}

/* A thread that hasn't been met yet, for which there is no short way; or one that has. */
static void begin(bool met)
{
    exact_clear();
    assert_true(exact_init(true));
    record_self = (struct record_self){.stream = &stream, .met = met};
    recorder.dropped = 0;
    no_stream = false;
    next_id = 0;
    log_text[0] = 0;
    if (!met)
        return;
    allocate(A, 1);
    end(A);
    assert_ptr_equal(record_self.quick, &stream);
    next_id = 0;
    log_text[0] = 0;
}

static void a_block_and_its_end(void **state)
{
    begin(false);
    allocate(A, 100);
    allocate(B, 0);
    end(A);
    end(A); /* twice: nothing */
    end(B);
    assert_log("alloc 100\nalloc 0\nend 0\nend 1\n");
    assert_null(record_self.quick);
    begin(true);
    allocate(A, 100);
    end(A);
    end(A);
    assert_log("quick alloc 100\nquick end 0\n");
    assert_int_equal(stream.busy, 0);
}

static void a_gate_that_is_closed(void **state)
{
    begin(true);
    allocate(A, 100);
    gate_close();
    allocate(B, 200);
    end(A);
    gate_close(); /* for a second reason */
    gate_open();
    end(B);
    gate_open();
    allocate(A, 300);
    assert_log("quick alloc 100\nalloc 200\nend 0\nend 1\nquick alloc 300\n");
    assert_int_equal(stream.busy, 0);
    assert_int_equal(record_self.inside, RECORD_OUTSIDE);
}

/* Somebody freed it past the hooks: its end is told when its place is used again. */
static void an_end_that_nobody_told(void **state)
{
    begin(true);
    allocate(A, 100);
    allocate(A, 200);
    gate_close();
    allocate(A, 300);
    gate_open();
    assert_log("quick alloc 100\nquick end 0\nquick alloc 200\nend 1\nalloc 300\n");
}

static void a_realloc_that_fails(void **state)
{
    begin(true);
    allocate(A, 100);
    uint64_t word = shadow_take(A);
    exact_restore(A, word);
    exact_restore(B, 0);
    end(A);
    end(B);
    assert_log("quick alloc 100\nquick end 0\n");
}

static void a_stream_that_takes_nothing(void **state)
{
    begin(false);
    no_stream = true;
    allocate(A, 100);
    end(A);
    assert_log("");
    no_stream = false;
    allocate(0, 100); /* an allocation that failed */
    assert_log("");
}

/* ---- Signal handlers ---------------------------------------------------------------- */

static void ends_and_allocates(void)
{
    end(A);
    allocate(A, 55);
    assert_null(strstr(log_text, "end"));
}

/* Within an event, ends are put off until it is whole; allocations are lost, and counted. */
static void a_handler_within_an_event(void **state)
{
    for (int met = 0; met < 2; met++) {
        begin(met);
        allocate(A, 100);
        handler = ends_and_allocates;
        allocate(B, 200);
        assert_log(met ? "quick alloc 100\nquick alloc 200\nend 0\n"
                       : "alloc 100\nalloc 200\nend 0\n");
        assert_int_equal(recorder.dropped, 55);
        assert_int_equal(record_self.deferred_count, 0);
        end(A);
        assert_log("");
    }
}

enum { PUT_OFF = RECORD_DEFERRED, BEYOND = 2 };

static void ends_many(void)
{
    for (uint64_t i = 0; i < PUT_OFF + BEYOND; i++)
        end(MANY + i * APART);
}

/* More of them than can be put off: those are told when their places are used again. */
static void a_handler_that_ends_too_many(void **state)
{
    char wanted[1024] = "quick alloc 200\n";
    begin(true);
    for (uint64_t i = 0; i < PUT_OFF + BEYOND; i++)
        allocate(MANY + i * APART, 10);
    log_text[0] = 0;
    handler = ends_many;
    allocate(B, 200);
    for (int i = 0; i < PUT_OFF; i++)
        snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "end %d\n", i);
    assert_log(wanted);
    allocate(MANY + PUT_OFF * APART, 20);
    assert_log("quick end 8\nquick alloc 20\n");
    end(MANY + (PUT_OFF + 1) * APART);
    assert_log("quick end 9\n");
}

/* ---- Memory ------------------------------------------------------------------------- */

static void no_memory_for_a_region(void **state)
{
    struct rlimit before, none = {0};
    if (IS_ADDRESS_SANITIZED)
        return;
    begin(true);
    allocate(A, 100);
    log_text[0] = 0;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    none.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
    allocate((uint64_t)1 << 40, 300);
    end((uint64_t)1 << 40);
    end(A);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_log("quick end 0\n");
    assert_int_equal(recorder.dropped, 300);
    allocate((uint64_t)1 << 40, 400);
    assert_log("alloc 400\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_and_its_end),          cmocka_unit_test(a_gate_that_is_closed),
        cmocka_unit_test(an_end_that_nobody_told),      cmocka_unit_test(a_realloc_that_fails),
        cmocka_unit_test(a_stream_that_takes_nothing),  cmocka_unit_test(a_handler_within_an_event),
        cmocka_unit_test(a_handler_that_ends_too_many), cmocka_unit_test(no_memory_for_a_region),
    };
    shadow_init(true);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("exact recording", tests, NULL, NULL);
}
