/* heaptap/native.h: stacks that are taken in this program, and traces that it writes of itself. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run_tests.h"
#include "heaptap/native.h"

#define APART __attribute__((noinline))

enum { MOST = 64 };

/* ---- Stacks ------------------------------------------------------------------------- */

struct taken {
    uint64_t codes[MOST];
    size_t count;
    uint64_t here; /* the return address of the function that the stack is to begin with */
};

static volatile int after; /* keeps calls from being the last thing of their functions */

static uint64_t return_address(void *address)
{
    return (uint64_t)__builtin_extract_return_addr(address) - 1;
}

static APART void take(struct taken *taken, size_t max)
{
    taken->count = heaptap_native_capture(NULL, NULL, NULL, taken->codes, max, NULL);
    taken->here = return_address(__builtin_return_address(0));
    after++;
}

static APART void middle(struct taken *taken, size_t max)
{
    take(taken, max);
    after++;
}

/* As an allocator would. */
static APART void take_above(struct taken *taken, size_t max)
{
    taken->count =
        heaptap_native_capture(NULL, NULL, HEAPTAP_NATIVE_CALLER, taken->codes, max, NULL);
    taken->here = return_address(__builtin_return_address(0));
    after++;
}

static void test_direct(void **state)
{
    struct taken whole = {0}, above = {0}, inner = {0};
    heaptap_native_refresh();
    middle(&whole, MOST);
    assert_in_range(whole.count, 4, MOST);
    assert_int_equal(whole.codes[1], whole.here); /* [0] is in take itself */
    assert_true(whole.codes[0] - (uint64_t)take < 4096);
    take_above(&above, MOST);
    assert_int_equal(above.codes[0], above.here);
    assert_memory_equal(above.codes + 1, whole.codes + 3,
                        (above.count - 1) * sizeof above.codes[0]);
    assert_int_equal(above.count + 2, whole.count);
    middle(&inner, 3);
    assert_int_equal(inner.count, 3);
    assert_int_equal(inner.codes[1], whole.codes[1]);
    assert_int_equal(inner.codes[2], HEAPTAP_CODE_TRUNCATED);
    middle(&inner, 1);
    assert_int_equal(inner.count, 1);
    assert_int_equal(inner.codes[0], HEAPTAP_CODE_TRUNCATED);
    middle(&inner, whole.count);
    assert_int_equal(inner.count, whole.count);
    assert_int_not_equal(inner.codes[inner.count - 1], HEAPTAP_CODE_TRUNCATED);
    middle(&inner, 0);
    assert_int_equal(inner.count, 0);
    assert_int_equal(heaptap_native_capture(NULL, NULL, NULL, NULL, MOST, NULL), 0);
}

static void test_names(void **state)
{
    struct taken taken = {0};
    struct heaptap_location location;
    middle(&taken, MOST);
    assert_int_equal(heaptap_native_describe(NULL, taken.codes[0], &location, 1), 1);
    assert_non_null(strstr(location.file, "/test_native"));
    assert_memory_equal(location.function, "test_native+0x", strlen("test_native+0x"));
    assert_int_equal(heaptap_native_describe(NULL, 1, &location, 1), 0);
    assert_int_equal(heaptap_native_describe(NULL, taken.codes[0], &location, 0), 0);
    assert_int_equal(heaptap_native_describe(NULL, taken.codes[0], NULL, 1), 0);
}

static struct taken handled;

static void on_signal(int number)
{
    middle(&handled, MOST);
}

static void test_in_a_handler(void **state)
{
    struct taken taken = {0};
    middle(&taken, MOST);
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    signal(SIGUSR1, SIG_DFL);
    assert_int_equal(handled.codes[1], handled.here);
#ifdef __x86_64__ /* by frame pointers, what libc has none of is left out */
    assert_true(handled.count > taken.count);
    assert_memory_equal(handled.codes + handled.count - 2, taken.codes + taken.count - 2,
                        2 * sizeof taken.codes[0]);
#endif
}

/* More threads at a time than there are unwinders kept. */
enum { THREADS = 100, ROUNDS = 200 };

static pthread_barrier_t all_there;

static void *take_many(void *wrong)
{
    struct taken taken = {0};
    pthread_barrier_wait(&all_there);
    for (int i = 0; i < ROUNDS; i++) {
        middle(&taken, MOST);
        if (taken.count < 4 || taken.codes[1] != taken.here)
            __atomic_fetch_add((int *)wrong, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t threads[THREADS];
    int wrong = 0;
    pthread_barrier_init(&all_there, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_many, &wrong), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&all_there);
    assert_int_equal(wrong, 0);
}

/* ---- Recordings --------------------------------------------------------------------- */

static struct heaptap_engine engine;
static __thread struct heaptap_thread self;

static __thread uint64_t allocate_called, hidden_called; /* from these addresses */

static APART void allocate(uint64_t address, uint64_t size, bool minor, const void *hint)
{
    allocate_called = return_address(__builtin_return_address(0));
    struct heaptap_block block = {
        .address = address, .words = size, .size = size, .minor = minor, .hint = hint};
    heaptap_thread_allocate(&engine, &self, &block);
    after++;
}

static APART void hidden(uint64_t address, uint64_t size)
{
    hidden_called = return_address(__builtin_return_address(0));
    allocate(address, size, false, HEAPTAP_NATIVE_CALLER);
    after++;
}

static char *file_name(int *fd)
{
    static char name[64];
    *fd = memfd_create("trace", 0);
    assert_true(*fd >= 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", *fd);
    return name;
}

static uint64_t first_called; /* allocate, by program */

static APART void program(void)
{
    allocate(0x1000, 24, true, NULL);
    first_called = allocate_called;
    hidden(0x2000, 100);
    heaptap_thread_move(&engine, &self, 0x1000, 0x3000, true);
    heaptap_thread_free(&engine, &self, 0x2000);
    after++;
}

static uint64_t site_of(const struct heaptap_reader *reader, const struct heaptap_event *event,
                        uint32_t from_site)
{
    return heaptap_reader_frame_code(reader, event->stack[event->stack_length - 1 - from_site]);
}

static void check_trace(const char *path)
{
    struct heaptap_reader *reader;
    struct heaptap_event event;
    struct heaptap_error error;
    assert_int_equal(heaptap_reader_open(&reader, path, NULL, &error), HEAPTAP_OK);
    const struct heaptap_trace_info *info = heaptap_reader_info(reader);
    assert_true(info->sample_rate == 1);
    assert_int_equal(info->word_bits, 8);
    assert_int_equal(info->pid, getpid());
    assert_string_equal(info->context, "here");
    assert_non_null(strstr(info->executable, "/test_native"));
    assert_int_equal(heaptap_reader_next(reader, &event, &error), HEAPTAP_OK);
    assert_int_equal(event.kind, HEAPTAP_ALLOC);
    assert_int_equal(event.source, HEAPTAP_MINOR);
    assert_int_equal(event.length, 24);
    assert_int_equal(event.samples, 24);
    assert_true(site_of(reader, &event, 0) - (uint64_t)allocate < 4096);
    assert_int_equal(site_of(reader, &event, 1), first_called);
    uint64_t first = event.id;
    assert_int_equal(heaptap_reader_next(reader, &event, &error), HEAPTAP_OK);
    assert_int_equal(event.source, HEAPTAP_MAJOR);
    assert_int_equal(event.length, 100);
    assert_int_equal(site_of(reader, &event, 0), hidden_called);
    uint64_t second = event.id;
    assert_int_equal(heaptap_reader_next(reader, &event, &error), HEAPTAP_OK);
    assert_int_equal(event.kind, HEAPTAP_PROMOTE);
    assert_int_equal(event.id, first);
    assert_int_equal(heaptap_reader_next(reader, &event, &error), HEAPTAP_OK);
    assert_int_equal(event.kind, HEAPTAP_COLLECT);
    assert_int_equal(event.id, second);
    assert_int_equal(heaptap_reader_next(reader, &event, &error), HEAPTAP_END);
    size_t count, modules = 0;
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    for (size_t i = 0; i < count; i++)
        modules += records[i].kind == HEAPTAP_MODULE && strstr(records[i].name, "/test_native");
    assert_int_equal(modules, 1);
    heaptap_reader_close(reader);
}

static void test_recording(void **state)
{
    const struct heaptap_native_options options = {.context = "here"};
    struct heaptap_error error;
    for (int i = 0; i < 2; i++) { /* the second one is as the first */
        struct heaptap_native *native;
        int fd;
        char *path = file_name(&fd);
        assert_int_equal(heaptap_native_start(&native, path, &options, &engine, &self, &error),
                         HEAPTAP_OK);
        program();
        assert_int_equal(heaptap_native_stop(native, &error), HEAPTAP_OK);
        assert_null(engine.state);
        assert_null(self.state);
        check_trace(path);
        close(fd);
    }
}

static uint64_t called_by_threads;

static void *run_program(void *unused)
{
    for (int i = 0; i < 1000; i++)
        allocate(0x10000 + (uint64_t)i * 16, 16, false, NULL);
    __atomic_store_n(&called_by_threads, allocate_called, __ATOMIC_RELAXED);
    heaptap_thread_retire(&engine, &self);
    return NULL;
}

static void test_recording_of_threads(void **state)
{
    enum { SOME = 4 };
    struct heaptap_native *native;
    struct heaptap_reader *reader;
    struct heaptap_event event;
    pthread_t threads[SOME];
    uint64_t allocated = 0;
    int fd;
    char *path = file_name(&fd);
    assert_int_equal(heaptap_native_start(&native, path, NULL, &engine, &self, NULL), HEAPTAP_OK);
    for (int i = 0; i < SOME; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_program, NULL), 0);
    for (int i = 0; i < SOME; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(heaptap_native_stop(native, NULL), HEAPTAP_OK);
    assert_int_equal(heaptap_reader_open(&reader, path, NULL, NULL), HEAPTAP_OK);
    while (heaptap_reader_next(reader, &event, NULL) == HEAPTAP_OK)
        if (event.kind == HEAPTAP_ALLOC) {
            allocated += event.length;
            assert_int_equal(site_of(reader, &event, 1), called_by_threads);
        }
    assert_int_equal(allocated, SOME * 1000 * 16);
    heaptap_reader_close(reader);
    close(fd);
}

static void test_fork(void **state)
{
    struct heaptap_native *native;
    struct heaptap_error error;
    int fd, status;
    char *path = file_name(&fd);
    const struct heaptap_native_options options = {.context = "here"};
    assert_int_equal(heaptap_native_start(&native, path, &options, &engine, &self, NULL),
                     HEAPTAP_OK);
    pid_t child = fork();
    if (child == 0) {
        program();
        _exit(heaptap_native_stop(native, &error) == HEAPTAP_SYSTEM && error.system_errno == ECHILD
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    program();
    assert_int_equal(heaptap_native_stop(native, &error), HEAPTAP_OK);
    check_trace(path);
    close(fd);
}

/* Exits with the errno of the recording's end, 0 where there is none. */
static void record_much_and_exit(const char *path)
{
    struct heaptap_native *native;
    struct heaptap_error error = {.status = HEAPTAP_OK};
    enum heaptap_status status = heaptap_native_start(&native, path, NULL, &engine, &self, &error);
    for (int i = 0; i < 100000 && status == HEAPTAP_OK; i++)
        allocate(0x10000 + (uint64_t)i * 16, 16, false, NULL);
    if (status == HEAPTAP_OK)
        status = heaptap_native_stop(native, &error);
    _exit(status == HEAPTAP_SYSTEM ? error.system_errno : status == HEAPTAP_OK ? 0 : 255);
}

/* What writing may bring upon a program otherwise: SIGXFSZ. */
static void test_file_limit(void **state)
{
    static const rlim_t limits[] = {0, 100, 4096, 40960, 100000, 1 << 30};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        int fd, status;
        char *path = file_name(&fd);
        pid_t child = fork();
        if (child == 0) {
            setrlimit(RLIMIT_FSIZE, &(struct rlimit){limits[i], limits[i]});
            record_much_and_exit(path);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), limits[i] < 1 << 20 ? EFBIG : 0);
        close(fd);
    }
}

/* A trace that ends for want of room says when and why, whether the program lives to stop it or is killed. */
static void check_cut(const char *path, const char *reason)
{
    struct heaptap_reader *reader;
    struct heaptap_event event;
    uint64_t allocated = 0, cut = 0;
    size_t count;
    assert_int_equal(heaptap_reader_open(&reader, path, NULL, NULL), HEAPTAP_OK);
    int64_t last_us = -1;
    while (heaptap_reader_next(reader, &event, NULL) == HEAPTAP_OK) {
        allocated += event.kind == HEAPTAP_ALLOC;
        last_us = event.time_us;
    }
    assert_true(allocated > 1000 && allocated < 100000);
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    for (size_t i = 0; i < count; i++)
        if (records[i].kind == HEAPTAP_STOPPED) {
            cut++;
            assert_string_equal(records[i].name, reason);
            assert_true((int64_t)records[i].number >= last_us);
        }
    assert_int_equal(cut, 1);
    heaptap_reader_close(reader);
}

static void record_much_and_be_killed(const char *path)
{
    struct heaptap_native *native;
    if (heaptap_native_start(&native, path, NULL, &engine, &self, NULL) == HEAPTAP_OK)
        for (uint64_t i = 0; i < 100000; i++)
            allocate(0x10000 + i * 16, 16, false, NULL);
    kill(getpid(), SIGKILL);
}

/* Records in a child whose files may grow to `limit`, where that is not 0. */
static void record_cut(const char *path, rlim_t limit, bool is_killed, int code)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        if (limit)
            setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit, limit});
        is_killed ? record_much_and_be_killed(path) : record_much_and_exit(path);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(is_killed ? WTERMSIG(status) : WEXITSTATUS(status),
                     is_killed ? SIGKILL : code);
}

static void test_cut_by_limit(void **state)
{
    for (int is_killed = 0; is_killed < 2; is_killed++) {
        char path[] = "/tmp/test_native-XXXXXX";
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        record_cut(path, 300000, is_killed, EFBIG);
        check_cut(path, "File too large");
        close(fd);
        unlink(path);
    }
}

/* A disk of 300 kB, as far as this process may make one.  An emulator takes MADV_POPULATE_WRITE for done. */
static void test_cut_by_disk(void **state)
{
    if (getenv("MESON_EXE_WRAPPER"))
        return;
    char folder[] = "/tmp/test_native-XXXXXX", path[sizeof folder + 2];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t", folder);
    bool is_mounted = mount("none", folder, "tmpfs", 0, "size=300k") == 0;
    for (int is_killed = 0; is_mounted && is_killed < 2; is_killed++) {
        record_cut(path, 0, is_killed, ENOSPC);
        check_cut(path, "No space left on device");
        unlink(path);
    }
    if (is_mounted)
        umount(folder);
    rmdir(folder);
}

enum { KILLED_BLOCKS = 3000 };

/* As many blocks, half of which end; then this process does, by a signal, or without one by _exit. */
static void record_and_die(const char *path, int signal)
{
    struct heaptap_native *native;
    if (heaptap_native_start(&native, path, NULL, &engine, &self, NULL) != HEAPTAP_OK)
        _exit(255);
    for (uint64_t i = 0; i < KILLED_BLOCKS; i++) {
        allocate(0x10000 + i * 16, 16 + i % 7, false, NULL);
        if (i % 2)
            heaptap_thread_free(&engine, &self, 0x10000 + i * 16);
    }
    if (signal)
        kill(getpid(), signal);
    _exit(7);
}

/* The counts of a trace that is whole. */
static void check_killed(const char *path)
{
    struct heaptap_reader *reader;
    struct heaptap_event event;
    enum heaptap_status status;
    int allocated = 0, ended = 0;
    assert_int_equal(heaptap_reader_open(&reader, path, NULL, NULL), HEAPTAP_OK);
    while ((status = heaptap_reader_next(reader, &event, NULL)) == HEAPTAP_OK) {
        if (event.kind == HEAPTAP_ALLOC)
            assert_int_equal(event.length, 16 + allocated++ % 7);
        else
            ended += event.kind == HEAPTAP_COLLECT;
    }
    assert_int_equal(status, HEAPTAP_END);
    assert_int_equal(allocated, KILLED_BLOCKS);
    assert_int_equal(ended, KILLED_BLOCKS / 2);
    heaptap_reader_close(reader);
}

/* Whatever ends the program, the trace has all of its events. */
static void test_deaths(void **state)
{
    static const int ways[] = {0, SIGKILL, SIGTERM, SIGHUP, SIGSEGV, SIGABRT, SIGBUS, SIGXCPU};
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char path[] = "/tmp/test_native-XXXXXX";
        int status, fd = mkstemp(path);
        assert_true(fd >= 0);
        close(fd);
        pid_t child = fork();
        if (child == 0) {
            signal(ways[i] ? ways[i] : SIGUSR1, SIG_DFL);
            record_and_die(path, ways[i]);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(WIFSIGNALED(status) ? WTERMSIG(status) : 0, ways[i]);
        check_killed(path);
        unlink(path);
    }
}

/* A file that is renamed or removed meanwhile grows all the same. */
static void test_renamed(void **state)
{
    char path[] = "/tmp/test_native-XXXXXX", other[sizeof path + 4];
    struct heaptap_native *native;
    struct stat status;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    snprintf(other, sizeof other, "%s.new", path);
    assert_int_equal(heaptap_native_start(&native, path, NULL, &engine, &self, NULL), HEAPTAP_OK);
    assert_int_equal(rename(path, other), 0);
    for (uint64_t i = 0; i < 200000; i++)
        allocate(0x10000 + i * 16, 16, false, NULL);
    unlink(other);
    for (uint64_t i = 200000; i < 400000; i++)
        allocate(0x10000 + i * 16, 16, false, NULL);
    assert_int_equal(heaptap_native_stop(native, NULL), HEAPTAP_OK);
    assert_int_equal(fstat(fd, &status), 0);
    assert_true(status.st_size > 2 * 400000);
    close(fd);
}

/* ... and SIGPIPE. */
static void test_no_reader(void **state)
{
    int status, ends[2];
    char path[64];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]);
        int unread = ends[0], writing = open(path, O_WRONLY);
        snprintf(path, sizeof path, "/proc/self/fd/%d", writing);
        close(unread);
        record_much_and_exit(path);
    }
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), EPIPE);
    close(ends[1]);
}

static void test_refusals(void **state)
{
    struct heaptap_native *native;
    struct heaptap_error error;
    int fd;
    char *path = file_name(&fd);
    static const double rates[] = {-1, 1.5, 0.0 / 0.0};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        const struct heaptap_native_options options = {.rate = rates[i]};
        assert_int_equal(heaptap_native_start(&native, path, &options, &engine, &self, &error),
                         HEAPTAP_BAD_ARGUMENT);
        assert_null(native);
    }
    assert_int_equal(heaptap_native_start(&native, NULL, NULL, &engine, &self, &error),
                     HEAPTAP_BAD_ARGUMENT);
    assert_int_equal(heaptap_native_start(&native, path, NULL, NULL, &self, NULL),
                     HEAPTAP_BAD_ARGUMENT);
    assert_int_equal(heaptap_native_start(&native, path, NULL, &engine, NULL, NULL),
                     HEAPTAP_BAD_ARGUMENT);
    assert_int_equal(heaptap_native_start(NULL, path, NULL, &engine, &self, NULL),
                     HEAPTAP_BAD_ARGUMENT);
    assert_int_equal(heaptap_native_start(&native, "/nowhere/t.ctf", NULL, &engine, &self, &error),
                     HEAPTAP_SYSTEM);
    assert_int_equal(error.system_errno, ENOENT);
    assert_null(engine.state);
    assert_int_equal(heaptap_native_start(&native, "/dev/full", NULL, &engine, &self, &error),
                     HEAPTAP_SYSTEM);
    assert_int_equal(error.system_errno, ENOSPC);
    assert_int_equal(heaptap_native_start(&native, path, NULL, &engine, &self, NULL), HEAPTAP_OK);
    struct heaptap_native *other;
    assert_int_equal(heaptap_native_start(&other, path, NULL, &engine, &self, NULL),
                     HEAPTAP_BAD_STATE);
    assert_int_equal(heaptap_native_stop(native, NULL), HEAPTAP_OK);
    assert_int_equal(heaptap_native_stop(NULL, NULL), HEAPTAP_OK);
    close(fd);
}

static void test_profile(void **state)
{
    struct heaptap_pprof *profile;
    const struct heaptap_trace_info info = {
        .version = 3, .sample_rate = 1, .word_bits = 8, .executable = "", .start_us = 1};
    const struct heaptap_pprof_options options = {.locate = heaptap_native_locate,
                                                  .context = &profile};
    struct taken taken = {0};
    uint64_t address = 0;
    assert_int_equal(heaptap_pprof_new(&profile, &info, &options, NULL), HEAPTAP_OK);
    middle(&taken, MOST);
    uint32_t module = heaptap_native_locate(&profile, taken.codes[0], &address);
    assert_int_not_equal(module, 0);
    assert_int_equal(address, taken.codes[0]);
    assert_int_equal(heaptap_native_locate(&profile, taken.codes[1], &address), module);
    assert_int_equal(heaptap_native_locate(&profile, 1, &address), 0);
    assert_int_equal(heaptap_native_locate(&profile, taken.codes[0], NULL), 0);
    assert_int_equal(heaptap_native_locate(NULL, taken.codes[0], &address), 0);
    heaptap_pprof_free(profile);
}

int main(void)
{
    return RUN_TESTS(test_direct, test_names, test_in_a_handler, test_threads, test_recording,
                     test_recording_of_threads, test_deaths, test_renamed, test_fork, test_refusals,
                     test_profile, test_file_limit, test_no_reader, test_cut_by_limit,
                     test_cut_by_disk);
}
