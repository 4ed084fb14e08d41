/* The preload library, from outside: programs are run with it, and their traces read.
 *   test_record PRELOAD TARGET_DIRECTORY */
#include "run_tests.h"

#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "heaptap/trace.h"

static const char *preload, *targets;
static char directory[] = "/tmp/heaptap-record-XXXXXX";
static char messages[65536]; /* what the last program wrote to standard error */

/* ---- Running ------------------------------------------------------------------------ */

static const char *emulator;
enum { MOST_WORDS = 24 };

static char *format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));

/* A text that is never freed. */
static char *format(const char *pattern, ...)
{
    char *text;
    va_list list;
    va_start(list, pattern);
    assert_true(vasprintf(&text, pattern, list) >= 0);
    va_end(list);
    return text;
}

/* Splits at spaces. */
static void split(char *text, char **words)
{
    int count = 0;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        words[count++] = word;
    words[count] = NULL;
}

static void remove_traces(void)
{
    glob_t found;
    if (glob(format("%s/*", directory), 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            unlink(found.gl_pathv[i]);
    globfree(&found);
}

/* Starts `command` (a target's name and its arguments) with these settings.  Programs of another
 * architecture are run by an emulator, which must not preload the library itself. */
static pid_t start(const char *settings, const char *command)
{
    char *arguments[MOST_WORDS], *environment[MOST_WORDS];
    posix_spawn_file_actions_t actions;
    pid_t child;
    if (emulator) {
        split(format("%s -E LD_PRELOAD=%s %s/%s", emulator, preload, targets, command), arguments);
        split(format("PATH=/usr/bin:/bin %s", settings), environment);
    } else {
        split(format("%s/%s", targets, command), arguments);
        split(format("LD_PRELOAD=%s PATH=/usr/bin:/bin %s", preload, settings), environment);
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, format("%s.messages", directory),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(posix_spawn(&child, arguments[0], &actions, NULL, arguments, environment), 0);
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

static int finish(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    FILE *file = fopen(format("%s.messages", directory), "r");
    assert_non_null(file);
    messages[fread(messages, 1, sizeof messages - 1, file)] = 0;
    fclose(file);
    return status;
}

/* Runs it with MEMTRACE set to t.ctf in an empty directory; it must succeed and say nothing. */
static void run(const char *settings, const char *command)
{
    remove_traces();
    int status = finish(start(format("MEMTRACE=%s/t.ctf %s", directory, settings), command));
    if (messages[0])
        print_message("%s", messages);
    assert_string_equal(messages, "");
    assert_int_equal(status, 0);
}

/* ---- What a trace holds ------------------------------------------------------------- */

struct block {
    uint64_t id, length, samples, stack_length;
    uint64_t site; /* code of the innermost frame */
    bool ended;
    bool truncated;
    uint16_t domain, end_domain;
};

struct trace {
    struct block *blocks;
    size_t count;
    uint64_t orphans; /* ends of blocks that are not in the trace */
    uint64_t own;     /* blocks of 1000 bytes or more in whose stacks the recorder is seen */
    enum heaptap_status end;
    struct heaptap_trace_info info;
    size_t modules, unloaded, threads;
    uint64_t drops;
    char properties[4096]; /* name=value, a line each */
    char sites[65536];     /* a line for each site: file function */
};

static struct block *find_block(struct trace *trace, uint64_t id)
{
    for (size_t i = trace->count; i > 0; i--)
        if (trace->blocks[i - 1].id == id)
            return &trace->blocks[i - 1];
    return NULL;
}

static bool shows_recorder(struct heaptap_reader *reader, const struct heaptap_event *event)
{
    size_t count;
    for (uint32_t i = 0; i < event->stack_length; i++) {
        const struct heaptap_location *location =
            heaptap_reader_frame_locations(reader, event->stack[i], &count);
        if (count && strstr(location->file, "libheaptap-preload"))
            return true;
    }
    return false;
}

static void add_event(struct trace *trace, struct heaptap_reader *reader,
                      const struct heaptap_event *event)
{
    if (event->kind == HEAPTAP_COLLECT) {
        struct block *block = find_block(trace, event->id);
        trace->orphans += !block || block->ended;
        if (block) {
            block->ended = true;
            block->end_domain = event->domain;
        }
        return;
    }
    if ((trace->count & (trace->count - 1)) == 0) /* 0 or a power of two: full */
        trace->blocks = realloc(trace->blocks, (2 * trace->count + 1) * sizeof *trace->blocks);
    assert_non_null(trace->blocks);
    struct block *block = &trace->blocks[trace->count++];
    *block = (struct block){.id = event->id,
                            .length = event->length,
                            .samples = event->samples,
                            .stack_length = event->stack_length,
                            .domain = event->domain};
    assert_int_equal(event->source, HEAPTAP_MAJOR);
    if (event->stack_length == 0)
        return;
    trace->own += event->length >= 1000 && shows_recorder(reader, event);
    block->site = heaptap_reader_frame_code(reader, event->stack[event->stack_length - 1]);
    block->truncated = heaptap_reader_frame_code(reader, event->stack[0]) == HEAPTAP_CODE_TRUNCATED;
}

static void add_metadata(struct trace *trace, const struct heaptap_reader *reader)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    for (size_t i = 0; i < count; i++) {
        trace->modules += records[i].kind == HEAPTAP_MODULE && records[i].unloaded_us < 0;
        trace->unloaded += records[i].kind == HEAPTAP_MODULE && records[i].unloaded_us >= 0;
        trace->threads += records[i].kind == HEAPTAP_THREAD;
        trace->drops += records[i].kind == HEAPTAP_DROPS ? records[i].number : 0;
        if (records[i].kind == HEAPTAP_PROPERTY)
            snprintf(trace->properties + strlen(trace->properties),
                     sizeof trace->properties - strlen(trace->properties), "%s=%s\n",
                     records[i].name, records[i].value);
    }
}

static struct trace read_file(const char *path)
{
    struct heaptap_reader *reader;
    struct heaptap_error error = {0};
    struct heaptap_event event;
    struct trace trace = {0};
    const struct heaptap_reader_options options = {.order = HEAPTAP_TRUE_ORDER};
    enum heaptap_status status = heaptap_reader_open(&reader, path, &options, &error);
    if (status != HEAPTAP_OK)
        print_message("%s: %s\n", path, error.message);
    assert_int_equal(status, HEAPTAP_OK);
    while ((trace.end = heaptap_reader_next(reader, &event, &error)) == HEAPTAP_OK)
        add_event(&trace, reader, &event);
    if (trace.end != HEAPTAP_END)
        print_message("%s: %s\n", path, error.message);
    trace.info = *heaptap_reader_info(reader);
    add_metadata(&trace, reader);
    for (size_t i = 0; i < trace.count; i++) {
        uint32_t frame;
        size_t count;
        if (i > 2000 || !heaptap_reader_find_frame(reader, trace.blocks[i].site, &frame))
            continue;
        const struct heaptap_location *location =
            heaptap_reader_frame_locations(reader, frame, &count);
        char *line = format("%llu %s %s\n", (unsigned long long)trace.blocks[i].length,
                            count ? location->file : "?", count ? location->function : "?");
        if (strlen(trace.sites) + strlen(line) < sizeof trace.sites &&
            trace.blocks[i].length >= 1000)
            strcat(trace.sites, line);
        free(line);
    }
    heaptap_reader_close(reader);
    return trace;
}

static struct trace read_trace(void)
{
    struct trace trace = read_file(format("%s/t.ctf", directory));
    assert_int_equal(trace.end, HEAPTAP_END);
    assert_int_equal(trace.own, 0);
    return trace;
}

/* How many blocks of that length there are, and of them, how many have ended. */
static size_t count(const struct trace *trace, uint64_t length, size_t *ended)
{
    size_t number = 0;
    *ended = 0;
    for (size_t i = 0; i < trace->count; i++) {
        number += trace->blocks[i].length == length;
        *ended += trace->blocks[i].length == length && trace->blocks[i].ended;
    }
    return number;
}

static void assert_blocks(const struct trace *trace, uint64_t length, size_t number, size_t ended)
{
    size_t now_ended, now = count(trace, length, &now_ended);
    if (now != number || now_ended != ended)
        print_message("%zu blocks of %llu bytes, %zu ended\n", now, (unsigned long long)length,
                      now_ended);
    assert_int_equal(now, number);
    assert_int_equal(now_ended, ended);
}

/* ---- Exactness ---------------------------------------------------------------------- */

static void test_family(void **state)
{
    run("HEAPTAP_ALL=1", "recorded family");
    struct trace trace = read_trace();
    for (uint64_t length = 1001; length <= 1011; length++)
        if (length != 1006 && length != 1004)
            assert_blocks(&trace, length, 1, 1);
    assert_blocks(&trace, 1004, 1, 1); /* 4 x 251 */
    assert_blocks(&trace, 1002, 1, 1); /* 2 x 501 */
    assert_blocks(&trace, 1024, 1, 1);
    assert_blocks(&trace, 0, 1, 1);
    assert_int_equal(trace.orphans, 0);
    assert_int_equal(trace.drops, 0);
    assert_true(trace.info.sample_rate == 1);
    assert_int_equal(trace.info.word_bits, 8);
    assert_int_equal(trace.info.version, 3);
    for (size_t i = 0; i < trace.count; i++) {
        const struct block *block = &trace.blocks[i];
        assert_int_equal(block->samples, block->length ? block->length : 1);
        if (block->length > 1000 && block->length < 1020) {
            assert_in_range(block->stack_length, 3, 20);
            assert_false(block->truncated);
        }
    }
    assert_non_null(strstr(trace.properties, "producer=heaptap "));
    assert_non_null(strstr(trace.properties, "mode=exact\n"));
    assert_non_null(strstr(trace.properties, "/libc.so.6\n"));
    assert_non_null(strstr(trace.properties, "callstack-size=128\n"));
    assert_non_null(strstr(trace.sites, format("1001 %s/recorded recorded+0x", targets)));
    assert_in_range(trace.modules, 4, 10);
    assert_int_equal(trace.threads, 1);
}

/* A program linked to a fixed address, whose `&malloc` is a jump of its own. */
static void test_fixed(void **state)
{
    run("HEAPTAP_ALL=1", "recorded_fixed family");
    struct trace trace = read_trace();
    assert_blocks(&trace, 1001, 1, 1);
    assert_blocks(&trace, 1012, 1, 1);
    assert_non_null(
        strstr(trace.sites, format("1012 %s/recorded_fixed recorded_fixed+0x4", targets)));
}

/* A program with gaps between its segments, which is told of by segment then. */
static void test_gaps(void **state)
{
    run("HEAPTAP_ALL=1", "recorded_gaps family");
    struct trace trace = read_trace();
    assert_blocks(&trace, 1001, 1, 1);
    for (size_t i = 0; i < trace.count; i++)
        if (trace.blocks[i].length > 1000 && trace.blocks[i].length < 1020)
            assert_false(trace.blocks[i].truncated);
}

static void test_reallocs(void **state)
{
    run("HEAPTAP_ALL=1", "recorded reallocs");
    struct trace trace = read_trace();
    assert_blocks(&trace, 1100, 1, 1);
    assert_blocks(&trace, 200000, 1, 1);
    assert_blocks(&trace, 1102, 1, 1);
    assert_blocks(&trace, 1203, 1, 1);
    assert_blocks(&trace, 1104, 1, 0);
    assert_int_equal(trace.orphans, 0);
}

static void test_threads(void **state)
{
    run("HEAPTAP_ALL=1", "recorded threads");
    struct trace trace = read_trace();
    size_t foreign = 0;
    for (uint64_t i = 0; i < 4; i++)
        assert_blocks(&trace, 2000 + i, 1000, 1000);
    for (size_t i = 0; i < trace.count; i++)
        foreign += trace.blocks[i].length >= 2000 && trace.blocks[i].length < 2004 &&
                   trace.blocks[i].domain != trace.blocks[i].end_domain;
    assert_int_equal(foreign, 4000);
    assert_int_equal(trace.orphans, 0);
    assert_int_equal(trace.threads, 5);
}

/* Two thousand threads one after the other use few domains; what they free in their last moments is
 * recorded too. */
static void test_many_threads(void **state)
{
    run("HEAPTAP_ALL=1", "recorded many-threads");
    struct trace trace = read_trace();
    uint16_t most = 0;
    assert_blocks(&trace, 3000, 2000, 2000);
    assert_blocks(&trace, 3001, 2000, 2000);
    for (size_t i = 0; i < trace.count; i++)
        most = trace.blocks[i].domain > most ? trace.blocks[i].domain : most;
    assert_in_range(most, 1, 4);
    assert_int_equal(trace.threads, 2001);
    assert_int_equal(trace.orphans, 0);
    assert_int_equal(trace.drops, 0);
}

static void test_together(void **state)
{
    run("HEAPTAP_ALL=1", "recorded together");
    struct trace trace = read_trace();
    assert_blocks(&trace, 3002, 300, 0);
    assert_int_equal(trace.threads, 301);
}

static void test_depth(void **state)
{
    run("HEAPTAP_ALL=1 HEAPTAP_CALLSTACK_SIZE=50", "recorded deep");
    struct trace trace = read_trace();
    size_t met = 0;
    for (size_t i = 0; i < trace.count; i++) {
        if (trace.blocks[i].length != 8300)
            continue;
        met++;
        assert_int_equal(trace.blocks[i].stack_length, 51);
        assert_true(trace.blocks[i].truncated);
    }
    assert_int_equal(met, 1);
    run("HEAPTAP_ALL=1 HEAPTAP_CALLSTACK_SIZE=0", "recorded deep");
    trace = read_trace();
    assert_int_equal(trace.blocks[trace.count - 1].stack_length, 0);
}

/* ---- Sampling ----------------------------------------------------------------------- */

/* 40 MB of known blocks at one sample in 4000 bytes: 10000 samples, give or take 100; the mean of 8
 * runs strays by more than 5 of its standard deviations once in a million. */
static void test_sampling(void **state)
{
    enum { RUNS = 8 };
    double bytes = 0, live = 0;
    for (int i = 0; i < RUNS; i++) {
        run("MEMTRACE_RATE=2e-3", "recorded sizes");
        struct trace trace = read_trace();
        assert_true(trace.info.sample_rate == 2e-3 / 8);
        assert_int_equal(trace.orphans, 0);
        for (size_t k = 0; k < trace.count; k++) {
            double estimate = (double)trace.blocks[k].samples / trace.info.sample_rate;
            bytes += estimate / RUNS;
            live += trace.blocks[k].ended ? 0 : estimate / RUNS;
        }
        free(trace.blocks);
    }
    double deviation = sqrt(40e6 * 4000 / RUNS);
    assert_true(fabs(bytes - 40e6) < 5 * deviation + 100000);
    assert_true(fabs(live - 10e6) < 5 * deviation + 100000);
}

/* ---- Ends --------------------------------------------------------------------------- */

static void end_by(const char *how, int status, bool handlers)
{
    remove_traces();
    int got = finish(start(format("HEAPTAP_ALL=1 MEMTRACE=%s/t.ctf", directory),
                           format("recorded end %s", how)));
    struct trace trace = read_trace();
    got &= ~0x80; /* whether there is a core file */
    if (got != status || (!strchr(how, '+') && trace.orphans))
        print_message("%s\n", how);
    assert_int_equal(got, status);
    assert_blocks(&trace, 4000, 1, 0);
    assert_blocks(&trace, 4001, handlers, 0);
    assert_blocks(&trace, 4002, handlers, 0);
    free(trace.blocks);
}

static void test_ends(void **state)
{
    end_by("return", 0, true);
    end_by("exit", 0, true);
    end_by("pthread", 0, true);
    end_by("_exit", 0, false);
    end_by("_Exit", 0, false);
    end_by("quick", 0, false);
    end_by("abort", SIGABRT, false);
    end_by("assert", SIGABRT, false);
}

static void test_ends_with_threads(void **state)
{
    for (int i = 0; i < 3; i++) {
        end_by("return+", 0, true);
        end_by("exit+", 0, true);
        end_by("_exit+", 0, false);
        end_by("quick+", 0, false);
        end_by("abort+", SIGABRT, false);
    }
}

/* A packet's first bytes are written last: a program that is killed before it has its first packet leaves none, and none of these. */
static bool has_no_packet(const char *path)
{
    FILE *file = fopen(path, "r");
    char first[4] = {0};
    assert_non_null(file);
    size_t size = fread(first, 1, sizeof first, file);
    fclose(file);
    return size == 0 || memcmp(first, "\0\0\0\0", sizeof first) == 0;
}

/* Whatever the moment, the file is a trace.  The kernel stops a write(2) of a process that is
 * killed at the end of a page, so the last packet may be cut: where the file ends, or, if that is
 * within the packet's header, where this begins. */
static void test_kill(void **state)
{
    enum { HEADER_BYTES = 68 };
    for (int i = 0; i < 20; i++) {
        remove_traces();
        pid_t child = start(format("HEAPTAP_ALL=1 MEMTRACE=%s/t.ctf", directory), "recorded churn");
        struct timespec moment = {0, 5000000 + 37 * 100003 * i};
        nanosleep(&moment, NULL);
        kill(child, SIGKILL);
        assert_int_equal(finish(child), SIGKILL);
        struct stat file;
        if (stat(format("%s/t.ctf", directory), &file) != 0 ||
            has_no_packet(format("%s/t.ctf", directory)))
            continue;
        struct heaptap_reader *reader;
        struct heaptap_event event;
        enum heaptap_status status;
        assert_int_equal(heaptap_reader_open(&reader, format("%s/t.ctf", directory), NULL, NULL),
                         HEAPTAP_OK);
        struct heaptap_error error = {0};
        while ((status = heaptap_reader_next(reader, &event, &error)) == HEAPTAP_OK)
            ;
        if (status != HEAPTAP_END)
            assert_in_range(file.st_size - (off_t)error.offset, 0, HEADER_BYTES - 1);
        heaptap_reader_close(reader);
    }
}

/* ---- Children ----------------------------------------------------------------------- */

/* Traces in the directory, t.ctf not counted, in which `length` was allocated. */
static size_t files_with(uint64_t length, size_t *files)
{
    glob_t found;
    size_t with = 0, ended;
    *files = 0;
    if (glob(format("%s/t.*.ctf", directory), 0, NULL, &found) == 0)
        *files = found.gl_pathc;
    for (size_t i = 0; i < *files; i++) {
        struct trace trace = read_file(found.gl_pathv[i]);
        assert_int_equal(trace.end, HEAPTAP_END);
        assert_int_equal(trace.orphans, 0);
        with += count(&trace, length, &ended) > 0;
    }
    if (*files)
        globfree(&found);
    return with;
}

static void children(const char *how, const char *settings, uint64_t length, size_t files)
{
    size_t met, with;
    run(format("HEAPTAP_ALL=1 %s", settings), format("recorded children %s", how));
    struct trace trace = read_trace();
    bool replaced = strncmp(how, "exec", 4) == 0;
    assert_blocks(&trace, 5000, 1, !replaced);
    assert_blocks(&trace, 5003, 1, 1);
    assert_blocks(&trace, 5001, 0, 0);
    assert_blocks(&trace, 5100, 0, 0);
    with = files_with(length, &met);
    if (met < files || with != (files > 0))
        print_message("%s %s: %zu files\n", how, settings, met);
    assert_int_equal(with, files > 0);
    assert_true(files ? met >= files : met == 0);
}

static void test_children_left(void **state)
{
    children("fork", "", 5001, 0);
    children("clone", "", 5002, 0);
    children("vfork", "", 5100, 0);
    children("failing", "", 5100, 0);
    children("spawn", "", 5100, 0);
    children("system", "", 5100, 0);
    children("exec", "", 5100, 0);
}

static void test_children_followed(void **state)
{
    children("fork", "HEAPTAP_FOLLOW=1", 5001, 1);
    children("clone", "HEAPTAP_FOLLOW=1", 5002, 0);
    children("vfork", "HEAPTAP_FOLLOW=1", 5100, 1);
    children("vfork-bare", "HEAPTAP_FOLLOW=1", 5100, 1);
    children("failing", "HEAPTAP_FOLLOW=1", 5100, 0);
    children("spawn", "HEAPTAP_FOLLOW=1", 5100, 1);
    children("system", "HEAPTAP_FOLLOW=1", 5100, 1);
    children("exec", "HEAPTAP_FOLLOW=1", 5100, 1);
}

static void test_names(void **state)
{
    glob_t found;
    remove_traces();
    assert_int_equal(
        finish(start(format("MEMTRACE=%s/%%e-%%t-%%p-%%%%.x", directory), "recorded child")), 0);
    assert_int_equal(glob(format("%s/recorded-20[0-9][0-9][0-1][0-9][0-3][0-9]-[0-2][0-9][0-5][0-9]"
                                 "[0-5][0-9]-[0-9]*-%%.x",
                                 directory),
                          0, NULL, &found),
                     0);
    assert_int_equal(found.gl_pathc, 1);
    globfree(&found);
}

/* ---- Modules, signals, C++ ---------------------------------------------------------- */

static void test_plugins(void **state)
{
    run("HEAPTAP_ALL=1",
        format("recorded plugins %s/librecorded_one.so %s/librecorded_two.so", targets, targets));
    struct trace trace = read_trace();
    const char *one = format("6001 %s/librecorded_one.so librecorded_one.so+0x", targets);
    const char *two = format("6002 %s/librecorded_two.so librecorded_two.so+0x", targets);
    size_t ones = 0, twos = 0;
    assert_blocks(&trace, 6001, 10, 10);
    assert_blocks(&trace, 6002, 10, 10);
    for (const char *at = trace.sites; (at = strstr(at, one)); at++)
        ones++;
    for (const char *at = trace.sites; (at = strstr(at, two)); at++)
        twos++;
    assert_int_equal(ones, 10);
    assert_int_equal(twos, 10);
    assert_int_equal(trace.unloaded, 20);
}

/* Allocations by which the hooks are gone past are not seen, and harm nothing; the end of a block
 * that is not seen is told when its place is used again. */
static void test_deepbind(void **state)
{
    run("HEAPTAP_ALL=1", format("recorded deepbind %s/librecorded_one.so", targets));
    struct trace trace = read_trace();
    assert_blocks(&trace, 6003, 0, 0);
    assert_blocks(&trace, 6004, 2, 2);
    assert_blocks(&trace, 6005, 0, 0);
}

/* Before malloc is found, the recorder serves allocations itself; they may live on and end later.
 */
static void test_dlsym_allocates(void **state)
{
    run(format("HEAPTAP_ALL=1 LD_PRELOAD=%s:%s/librecorded_dlsym.so", preload, targets),
        "recorded child");
    struct trace trace = read_trace();
    assert_blocks(&trace, 5100, 1, 1);
    assert_blocks(&trace, 6100, 1, 1);
}

/* Who ends the process from there must not come back to where malloc is being found. */
static void test_dlsym_ends(void **state)
{
    const char *settings = format("LD_PRELOAD=%s:%s/librecorded_dlsym.so", preload, targets);
    assert_int_equal(finish(start(format("%s DLSYM_END=_exit", settings), "recorded child")),
                     6 << 8);
    int status = finish(start(format("%s DLSYM_END=abort", settings), "recorded child"));
    assert_int_equal(status & ~0x80, SIGABRT);
}

static void test_signals(void **state)
{
    run("HEAPTAP_ALL=1", "recorded signals");
    struct heaptap_reader *reader;
    struct heaptap_event event;
    enum heaptap_status status;
    size_t last = 0;
    assert_int_equal(heaptap_reader_open(&reader, format("%s/t.ctf", directory), NULL, NULL),
                     HEAPTAP_OK);
    while ((status = heaptap_reader_next(reader, &event, NULL)) == HEAPTAP_OK)
        last += event.kind == HEAPTAP_ALLOC && event.length == 7001;
    assert_int_equal(status, HEAPTAP_END);
    assert_int_equal(last, 1);
    heaptap_reader_close(reader);
}

/* Each form was used ten times.  libstdc++ rounds aligned sizes up to the alignment. */
static void all_forms(const char *command)
{
    static const struct {
        uint64_t length;
        size_t count;
    } exact[] = {{9000, 10}, {9001, 10}, {9002, 10}, {9003, 10}, {9007, 10}};
    size_t aligned = 0, ended = 0;
    run("HEAPTAP_ALL=1", command);
    struct trace trace = read_trace();
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++)
        assert_blocks(&trace, exact[i].length, exact[i].count, exact[i].count);
    for (size_t i = 0; i < trace.count; i++) {
        bool is_aligned = trace.blocks[i].length == 9005 || trace.blocks[i].length == 9006 ||
                          trace.blocks[i].length == 9024;
        aligned += is_aligned;
        ended += is_aligned && trace.blocks[i].ended;
    }
    assert_int_equal(aligned, 30);
    assert_int_equal(ended, 30);
    assert_int_equal(trace.orphans, 0);
}

static void test_operators(void **state)
{
    all_forms("recorded_new");
    all_forms("recorded_new_bypass");
    all_forms(format("recorded_loader %s/librecorded_new_plugin.so", targets));
}

/* ---- Settings ----------------------------------------------------------------------- */

static void test_off(void **state)
{
    size_t files;
    remove_traces();
    assert_int_equal(finish(start("", "recorded family")), 0);
    assert_int_equal(finish(start("MEMTRACE= HEAPTAP_ALL=1", "recorded family")), 0);
    assert_string_equal(messages, "");
    assert_int_equal(files_with(1, &files), 0);
    assert_int_equal(files, 0);
}

static void refused(const char *settings, const char *message)
{
    remove_traces();
    assert_int_equal(
        finish(start(format("MEMTRACE=%s/t.ctf %s", directory, settings), "recorded family")), 0);
    if (strcmp(messages, message) != 0)
        print_message("%s", messages);
    assert_string_equal(messages, message);
    assert_int_equal(access(format("%s/t.ctf", directory), F_OK), -1);
}

#define UNRECORDED "; the program runs without being recorded\n"

static void test_refused(void **state)
{
    static const char *const rates[] = {"0", "-1", "1.5", "1e-5x", "x", "1e", ".", "nan", "1e400"};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        refused(format("MEMTRACE_RATE=%s", rates[i]),
                format("heaptap: MEMTRACE_RATE=%s: must be a number above 0 and at most "
                       "1" UNRECORDED,
                       rates[i]));
    refused("HEAPTAP_ALL=yes", "heaptap: HEAPTAP_ALL=yes: must be 0 or 1" UNRECORDED);
    refused("HEAPTAP_CALLSTACK_SIZE=4097",
            "heaptap: HEAPTAP_CALLSTACK_SIZE=4097: must be a whole number from 0 to "
            "4096" UNRECORDED);
    refused("HEAPTAP_MAX_SIZE=1k",
            "heaptap: HEAPTAP_MAX_SIZE=1k: must be a whole number of bytes above 0" UNRECORDED);
    refused("HEAPTAP_DURATION=0",
            "heaptap: HEAPTAP_DURATION=0: must be a number of seconds above 0" UNRECORDED);
    refused("HEAPTAP_SIGNAL=KILL",
            "heaptap: HEAPTAP_SIGNAL=KILL: must be one of USR1, USR2, HUP, URG, WINCH, "
            "IO" UNRECORDED);
}

static void test_unwritable(void **state)
{
    int pid = start("MEMTRACE=/nonexistent/t.ctf", "recorded family");
    assert_int_equal(finish(pid), 0);
    assert_non_null(
        strstr(messages, "): /nonexistent/t.ctf: No such file or directory" UNRECORDED));
    assert_true(strncmp(messages, "heaptap: recorded (pid ", 23) == 0);
}

static void test_rates(void **state)
{
    static const struct {
        const char *text;
        double rate;
    } rates[] = {{"1e-5", 1e-5 / 8}, {"0.25", 0.25 / 8}, {"1", 1},
                 {"1.0e0", 1},       {"3E-3", 3e-3 / 8}, {".5", .5 / 8}};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        run(format("MEMTRACE_RATE=%s HEAPTAP_CONTEXT=here", rates[i].text), "recorded child");
        assert_true(read_trace().info.sample_rate == rates[i].rate);
    }
}

/* A malloc in front of ours, as where a program has its own: said, not guessed. */
static void test_second(void **state)
{
    remove_traces();
    const char *first = format("%s/libbypass.so", targets);
    assert_int_equal(
        finish(start(format("MEMTRACE=%s/t.ctf LD_PRELOAD=%s:%s", directory, first, preload),
                     "recorded child")),
        0);
    assert_string_equal(messages, format("heaptap: the malloc of %s comes before the "
                                         "recorder's" UNRECORDED,
                                         first));
    assert_int_equal(access(format("%s/t.ctf", directory), F_OK), -1);
}

static void test_truncates(void **state)
{
    remove_traces();
    FILE *file = fopen(format("%s/t.ctf", directory), "w");
    assert_non_null(file);
    for (int i = 0; i < 1000000; i++)
        fputc('x', file);
    fclose(file);
    assert_int_equal(finish(start(format("MEMTRACE=%s/t.ctf", directory), "recorded child")), 0);
    read_trace();
}

static void test_toggle(void **state)
{
    run("HEAPTAP_ALL=1 HEAPTAP_TOGGLE=1", "recorded toggled");
    struct trace trace = read_trace();
    assert_blocks(&trace, 8000, 1, 1);
    assert_blocks(&trace, 8001, 0, 0);
    assert_blocks(&trace, 8002, 1, 1);
    run("HEAPTAP_ALL=1 HEAPTAP_TOGGLE=1 HEAPTAP_START=0", "recorded toggled");
    trace = read_trace();
    assert_blocks(&trace, 8000, 0, 0);
    assert_blocks(&trace, 8001, 1, 1);
    assert_blocks(&trace, 8002, 0, 0);
    /* Unasked, the signal is the program's own. */
    remove_traces();
    assert_int_equal(finish(start(format("MEMTRACE=%s/t.ctf", directory), "recorded toggled")),
                     SIGUSR2);
}

static void test_limits(void **state)
{
    struct stat file;
    remove_traces();
    pid_t child =
        start(format("HEAPTAP_ALL=1 HEAPTAP_MAX_SIZE=200000 MEMTRACE=%s/t.ctf", directory),
              "recorded sizes");
    assert_int_equal(finish(child), 0);
    assert_string_equal(messages, format("heaptap: %s/t.ctf: the size limit was reached; the "
                                         "recording ends here\n",
                                         directory));
    assert_int_equal(stat(format("%s/t.ctf", directory), &file), 0);
    assert_in_range(file.st_size, 200000 - 40000, 200000);
    read_trace();
    run("HEAPTAP_ALL=1 HEAPTAP_DURATION=0.3", "recorded slowly");
    struct trace trace = read_trace();
    size_t ended, met = count(&trace, 8200, &ended);
    assert_in_range(met, 1, 150); /* few under an emulator, whose start takes much of the time */
}

#define ENDS_HERE "; the recording ends here\n"

/* A file may grow no further (a full disk is the same, but for the word): the program, which writes
 * nothing, doesn't notice, and what was written until then is a trace. */
static void test_file_limit(void **state)
{
    struct rlimit before, limit;
    struct stat file;
    remove_traces();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 200000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    pid_t child = start(format("HEAPTAP_ALL=1 MEMTRACE=%s/t.ctf", directory), "recorded sizes");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(finish(child), 0);
    assert_string_equal(messages, format("heaptap: %s/t.ctf: File too large" ENDS_HERE, directory));
    assert_int_equal(stat(format("%s/t.ctf", directory), &file), 0);
    assert_in_range(file.st_size, 200000 - 40000, 200000);
    read_trace();
}

/* Nobody reads the pipe any more. */
static void test_pipe(void **state)
{
    char byte;
    remove_traces();
    char *name = format("%s/pipe", directory);
    assert_int_equal(mkfifo(name, 0600), 0);
    int reader = open(name, O_RDWR | O_CLOEXEC);
    assert_true(reader >= 0);
    pid_t child = start(format("HEAPTAP_ALL=1 MEMTRACE=%s", name), "recorded sizes");
    assert_int_equal(read(reader, &byte, 1), 1);
    close(reader);
    assert_int_equal(finish(child), 0);
    assert_string_equal(messages, format("heaptap: %s: Broken pipe" ENDS_HERE, name));
}

static void test_closes(void **state)
{
    char line[16] = "";
    run("HEAPTAP_ALL=1", format("recorded closes %s/mine", directory));
    struct trace trace = read_trace();
    assert_blocks(&trace, 8100, 1, 1);
    assert_blocks(&trace, 8101, 1, 1);
    FILE *file = fopen(format("%s/mine", directory), "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "mine\n");
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
}

enum { NEED_NATIVE = 5 };

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_family),
        cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_reallocs),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_many_threads),
        cmocka_unit_test(test_together),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_sampling),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_ends_with_threads),
        cmocka_unit_test(test_kill),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_plugins),
        cmocka_unit_test(test_deepbind),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_off),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_unwritable),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_truncates),
        cmocka_unit_test(test_toggle),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_file_limit),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_closes),
        /* The last NEED_NATIVE execute other programs or preload more, which an emulator can't. */
        cmocka_unit_test(test_children_left),
        cmocka_unit_test(test_children_followed),
        cmocka_unit_test(test_dlsym_allocates),
        cmocka_unit_test(test_dlsym_ends),
        cmocka_unit_test(test_second),
    };
    if (argc < 3 || !mkdtemp(directory))
        return 99;
    preload = argv[1];
    targets = argv[2];
    emulator = getenv("MESON_EXE_WRAPPER");
    if (argc > 3)
        cmocka_set_test_filter(argv[3]);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    size_t count = sizeof tests / sizeof tests[0] - (emulator ? NEED_NATIVE : 0);
    int failed = _cmocka_run_group_tests("recording", tests, count, NULL, NULL);
    remove_traces();
    unlink(format("%s.messages", directory));
    rmdir(directory);
    return failed;
}
