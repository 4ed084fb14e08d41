/* NULL for every pointer of every function that the headers declare (helpers/null-calls makes the calls): nothing crashes, and
 * the answer is what heaptap/status.h says.  Each call has a process of its own. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run_tests.h"
#include "heaptap/guest.h"
#include "heaptap/native.h"
#include "heaptap/profile.h"
#include "heaptap/version.h"
#include "helpers/story.h"

/* ---- What is given where something is ------------------------------------------------ */

static struct heaptap_error error;
static struct heaptap_engine engine, idle_engine;
static struct heaptap_thread thread;
static struct heaptap_engine_counts counts;
static struct heaptap_forgotten forgotten;
static struct heaptap_guest guest, idle_guest;
static struct heaptap_guest_thread guest_thread;
static struct heaptap_guest_resize resize = {.active = true};
static struct heaptap_native *native;
static struct heaptap_engine native_engine;
static struct heaptap_thread native_thread;
static struct heaptap_pprof *pprof;
static struct heaptap_pprof_domain *pprof_domain;
static struct heaptap_reader *reader;
static struct heaptap_writer *writer;
static struct heaptap_domain *domain;
static struct heaptap_profile *profile;
static struct heaptap_selection *selection;
static struct heaptap_event event;
static struct heaptap_location locations[4];
static struct heaptap_sample_type sample_type;
static const struct heaptap_row *rows;
static void *made; /* where a call puts what it makes */
static uint64_t word;
static size_t size;
static char folder[] = "/tmp/heaptap-null.XXXXXX";
static char trace_path[64];

static const uint64_t stack[] = {1, 2};
static const struct heaptap_allocation allocation = {
    .source = HEAPTAP_MAJOR, .length = 8, .samples = 1, .stack = stack, .stack_length = 2};
static const struct heaptap_block block = {.address = 0x1000, .words = 1 << 20, .size = 8};
static const struct heaptap_guest_block guest_block = {.address = 0x1000, .bytes = 8};
static const struct heaptap_metadata metadata = {
    .kind = HEAPTAP_MODULE, .name = "/m", .address = 1, .size_bytes = 1, .unloaded_us = -1};
static const struct heaptap_trace_info info = {.version = 3, .sample_rate = 1, .word_bits = 8};
static const struct heaptap_tracker tracker = {0};

static bool visit(void *context, const struct heaptap_location *at, size_t count, double value)
{
    return true;
}

static int swallow(void *context, const void *data, size_t bytes)
{
    return 0;
}

static const struct heaptap_sink sink = {.write = swallow};
static const struct heaptap_engine_options engine_options = {.capture = heaptap_native_capture};
static const struct heaptap_guest_options guest_options = {.alignment = 16};
static const struct heaptap_guest_request guest_request = {.directory = folder, .rate = 1};
static const struct heaptap_native_options native_options = {.rate = 1};
static const struct heaptap_pprof_options pprof_options = {.intervals = 1};
static const struct heaptap_reader_options reader_options = {.order = HEAPTAP_TRUE_ORDER};
static const struct heaptap_writer_options writer_options = {.sink = {.write = swallow}};

#define GIVE_bool true
#define GIVE_double 1.0
#define GIVE_int open(trace_path, O_RDONLY)
#define GIVE_int64_t 1
#define GIVE_size_t 1
#define GIVE_uint16_t 9
#define GIVE_uint32_t 1
#define GIVE_uint64_t 0x1000
#define GIVE_heaptap_granularity HEAPTAP_LINES
#define GIVE_heaptap_sink sink
#define GIVE_double_P ((double *)&word)
#define GIVE_int64_t_P ((int64_t *)&word)
#define GIVE_uint32_t_P ((uint32_t *)&word)
#define GIVE_uint64_t_P (&word)
#define GIVE_size_t_P (&size)
#define GIVE_void_P ((void *)stack)
#define GIVE_text_file "f"
#define GIVE_text_filter "size>=1"
#define GIVE_text_function "f"
#define GIVE_text_language "L"
#define GIVE_text_name "n"
#define GIVE_text_path trace_path
#define GIVE_text_reason "r"
#define GIVE_text_sample_type "alloc_space"
#define GIVE_text_script "s"
#define GIVE_text_sentence "s"
#define GIVE_heaptap_allocation_P (&allocation)
#define GIVE_heaptap_block_P (&block)
#define GIVE_heaptap_domain_P domain
#define GIVE_heaptap_domain_PP ((struct heaptap_domain **)&made)
#define GIVE_heaptap_engine_P (is_idle ? &idle_engine : &engine)
#define GIVE_heaptap_engine_counts_P (&counts)
#define GIVE_heaptap_engine_options_P (&engine_options)
#define GIVE_heaptap_error_P (&error)
#define GIVE_heaptap_event_P (&event)
#define GIVE_heaptap_forgotten_P (&forgotten)
#define GIVE_heaptap_guest_P give_guest()
#define GIVE_heaptap_guest_block_P (&guest_block)
#define GIVE_heaptap_guest_options_P (&guest_options)
#define GIVE_heaptap_guest_request_P ((struct heaptap_guest_request *)&request)
#define GIVE_heaptap_guest_resize_P (&resize)
#define GIVE_heaptap_guest_thread_P (&guest_thread)
#define GIVE_heaptap_location_P locations
#define GIVE_heaptap_metadata_P (&metadata)
#define GIVE_heaptap_native_P native
#define GIVE_heaptap_native_PP ((struct heaptap_native **)&made)
#define GIVE_heaptap_native_options_P (&native_options)
#define GIVE_heaptap_pprof_P pprof
#define GIVE_heaptap_pprof_PP ((struct heaptap_pprof **)&made)
#define GIVE_heaptap_pprof_domain_P pprof_domain
#define GIVE_heaptap_pprof_domain_PP ((struct heaptap_pprof_domain **)&made)
#define GIVE_heaptap_pprof_options_P (&pprof_options)
#define GIVE_heaptap_profile_P profile
#define GIVE_heaptap_profile_PP ((struct heaptap_profile **)&made)
#define GIVE_heaptap_reader_P reader
#define GIVE_heaptap_reader_PP ((struct heaptap_reader **)&made)
#define GIVE_heaptap_reader_options_P (&reader_options)
#define GIVE_heaptap_row_PP (&rows)
#define GIVE_heaptap_sample_type_P (&sample_type)
#define GIVE_heaptap_selection_P selection
#define GIVE_heaptap_selection_PP ((struct heaptap_selection **)&made)
#define GIVE_heaptap_stack_visitor_P visit
#define GIVE_heaptap_thread_P (&thread)
#define GIVE_heaptap_trace_info_P (&info)
#define GIVE_heaptap_tracker_P (&tracker)
#define GIVE_heaptap_writer_P writer
#define GIVE_heaptap_writer_PP ((struct heaptap_writer **)&made)
#define GIVE_heaptap_writer_options_P (&writer_options)

static bool is_idle; /* engines and heaps are given that nothing was started on */
static struct heaptap_guest_request request;

/* A watched heap makes every fork dear. */
static struct heaptap_guest *give_guest(void)
{
    if (!is_idle && !guest.state)
        assert_int_equal(heaptap_guest_start(&guest, "L", NULL, &guest_request, NULL), HEAPTAP_OK);
    return is_idle ? &idle_guest : &guest;
}

enum expected { STATUS, VALUE, NOTHING };

struct null_call {
    uint64_t (*call)(void);
    const char *function, *absent; /* the pointer that is NULL, or "all" */
    enum expected expected;
};

/* A result as a number. */
#define RESULT(value)                                                                              \
    _Generic((value), double                                                                       \
             : (uint64_t)((value) != (__typeof__(value))0), default                                \
             : (uint64_t)(value))
#define IS_SET(type) ((type).name != NULL || (type).unit != NULL)

#include "null_calls.h"

/* ---- Setting all up ------------------------------------------------------------------- */

static void write_story(void)
{
    struct bytes bytes = {0};
    story_write(&bytes);
    int fd = open(trace_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.items, bytes.size), (int)bytes.size);
    close(fd);
    bytes_release(&bytes);
}

static int set_up(void **state)
{
    const struct heaptap_tracker null = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(trace_path, sizeof trace_path, "%s/story.ctf", folder);
    write_story();
    request = guest_request;
    assert_int_equal(heaptap_engine_init(&engine, NULL, NULL), HEAPTAP_OK);
    assert_int_equal(heaptap_engine_init(&idle_engine, NULL, NULL), HEAPTAP_OK);
    assert_int_equal(heaptap_engine_start(&engine, &thread, 1, 4, &null, NULL), HEAPTAP_OK);
    assert_int_equal(
        heaptap_native_start(&native, "/dev/null", NULL, &native_engine, &native_thread, NULL),
        HEAPTAP_OK);
    assert_int_equal(heaptap_pprof_new(&pprof, &info, NULL, NULL), HEAPTAP_OK);
    assert_int_equal(heaptap_pprof_domain_new(&pprof_domain, pprof, NULL), HEAPTAP_OK);
    assert_int_equal(heaptap_reader_open(&reader, trace_path, NULL, NULL), HEAPTAP_OK);
    assert_int_equal(heaptap_reader_next(reader, &event, NULL), HEAPTAP_OK);
    assert_int_equal(heaptap_writer_new(&writer, &info, &writer_options, NULL), HEAPTAP_OK);
    assert_int_equal(heaptap_domain_new(&domain, writer, 1, NULL), HEAPTAP_OK);
    assert_int_equal(heaptap_profile_open(&profile, trace_path, NULL), HEAPTAP_OK);
    assert_int_equal(heaptap_profile_select(&selection, profile, NULL, NULL, NULL), HEAPTAP_OK);
    return 0;
}

static int tear_down(void **state)
{
    char command[128];
    heaptap_selection_free(selection);
    heaptap_profile_close(profile);
    heaptap_domain_free(domain);
    heaptap_writer_free(writer);
    heaptap_reader_close(reader);
    heaptap_pprof_domain_free(pprof_domain);
    heaptap_pprof_free(pprof);
    assert_int_equal(heaptap_native_stop(native, NULL), HEAPTAP_OK);
    heaptap_engine_release(&engine);
    heaptap_engine_release(&idle_engine);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

/* ---- What comes of it ------------------------------------------------------------------- */

static uint64_t *outcome; /* of the child's call */

/* How the process of a call ended, as waitpid tells. */
static int run(const struct null_call *call, bool idle)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* cmocka has its own */
        is_idle = idle;
        alarm(20);
        *outcome = call->call();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* Calls whose answer is another than 0, or HEAPTAP_BAD_ARGUMENT, as their headers say. */
static const struct {
    const char *function, *absent;
    uint64_t answer;
} others[] = {
    {"heaptap_filter_check", "all", HEAPTAP_OK},
    {"heaptap_native_stop", "all", HEAPTAP_OK},
    {"heaptap_native_stop", "native", HEAPTAP_OK},
    {"heaptap_domain_alloc", "all", HEAPTAP_NO_ID},
    {"heaptap_domain_alloc", "domain", HEAPTAP_NO_ID},
    {"heaptap_domain_alloc", "allocation", HEAPTAP_NO_ID},
    {"heaptap_pprof_write", "all", EINVAL},
    {"heaptap_pprof_save", "all", EINVAL},
    {"heaptap_pprof_save", "profile", EINVAL},
    {"heaptap_pprof_save", "path", EINVAL},
};

/* Where a NULL says something. */
static const struct {
    const char *function; /* NULL: any */
    const char *absent;
} optional[] = {
    {NULL, "error"},
    {NULL, "options"},
    {NULL, "context"},
    {NULL, "hint"},
    {NULL, "shared"},
    {"heaptap_filter_check", "filter"},
    {"heaptap_filter_check", "length"},
    {"heaptap_profile_select", "filter"},
    {"heaptap_profile_select", "sample_type"},
    {"heaptap_native_capture", "thread"},
    {"heaptap_native_locate", "context"},
    {"heaptap_guest_location", "function"},
    {"heaptap_guest_allocated", "self"},
    {"heaptap_guest_resize_begun", "self"},
    {"heaptap_reader_find_frame", "frame"},
    {"heaptap_reader_metadata", "count"},
    {"heaptap_reader_frame_locations", "count"},
};

static bool is_optional(const struct null_call *call)
{
    for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++)
        if ((!optional[i].function || strcmp(optional[i].function, call->function) == 0) &&
            strcmp(optional[i].absent, call->absent) == 0)
            return strcmp(call->absent, "options") != 0 ||
                   strcmp(call->function, "heaptap_writer_new") != 0; /* which needs a sink */
    return false;
}

static uint64_t wanted(const struct null_call *call)
{
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(others[i].function, call->function) == 0 &&
            strcmp(others[i].absent, call->absent) == 0)
            return others[i].answer;
    return call->expected == STATUS ? HEAPTAP_BAD_ARGUMENT : 0;
}

static void test_null(void **state)
{
    unsigned wrong = 0;
    outcome =
        mmap(NULL, sizeof *outcome, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < 2 * sizeof calls / sizeof calls[0]; i++) {
        const struct null_call *call = &calls[i / 2];
        int status = run(call, i % 2);
        bool is_right = is_optional(call) || *outcome == wanted(call);
        if (status != 0)
            print_message("%s, %s NULL: ends by signal %d\n", call->function, call->absent,
                          WTERMSIG(status));
        else if (!is_right)
            print_message("%s, %s NULL: %lld where %lld is right\n", call->function, call->absent,
                          (long long)*outcome, (long long)wanted(call));
        wrong += status != 0 || !is_right;
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_null)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
