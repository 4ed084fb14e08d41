/* The profile writer for traced processes: what is counted comes back through our own reader. */
#include "tap/gather/halve.h"
#include "tap/gather/restore.h"
#include "unit/gathered.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

enum { START_US = 1000000, THREADS = 4, ROUNDS = 2000 };

static const struct heaptap_trace_info words_info = {.version = 3,
                                                     .sample_rate = 0.01,
                                                     .word_bits = 64,
                                                     .executable = "/bin/prog",
                                                     .context = "ctx",
                                                     .start_us = START_US};
static const struct heaptap_trace_info bytes_info = {
    .version = 3, .sample_rate = 1, .word_bits = 8, .executable = "/bin/prog", .start_us = 0};

static void assert_values(const struct model *model, size_t sample, const int64_t *expected)
{
    assert_int_equal(model->samples.type_count, 7);
    for (size_t i = 0; i < 7; i++)
        if (model->file->values[sample * 7 + i] != expected[i])
            fail_msg("sample %zu, %s: %lld instead of %lld", sample, model->samples.types[i].name,
                     (long long)model->file->values[sample * 7 + i], (long long)expected[i]);
}

static const char *name_at(const struct model *model, size_t sample, size_t frame, size_t line)
{
    const struct model_frame *location =
        &model->frames[model->file->frames[model->file->first_frame[sample] + frame]];
    assert_true(line < location->line_count);
    return model->lines[location->first_line + line].function;
}

static size_t describe(void *context, uint64_t code, struct heaptap_location *locations, size_t max)
{
    static const struct heaptap_location known[] = {{"main.ml", "main", 1, 0, 0},
                                                    {"list.ml", "outer", 10, 0, 0},
                                                    {"list.ml", "inner", 20, 0, 0}};
    ++*(unsigned *)context;
    if (code == 0xa0) {
        locations[0] = known[0];
        return 1;
    }
    if (code != 0xb0)
        return 0;
    memcpy(locations, known + 1, 2 * sizeof *known);
    return 2;
}

/* At rate 0.01 a sample of a word of 8 bytes stands for 800 of them, and one of a block of 9 words
 * and its header for 10 blocks. */
static void test_samples(void **state)
{
    static const uint64_t stack[] = {0xa0, 0xb0}, bare[] = {0xa0, 0xc0};
    static const int64_t expected[][7] = {
        {30, 2400, 20, 1600, (10 * 50 + 20 * 80) * 1000, 20, 1600},
        {3, 2400, 0, 0, 3 * 70 * 1000, 0, 0},
        {100, 800, 100, 800, 100 * 60 * 1000, 0, 0},
    };
    unsigned asked = 0;
    struct heaptap_pprof_options options = {.describe = describe, .context = &asked};
    struct heaptap_pprof *profile = new_profile(&words_info, &options);
    struct heaptap_pprof_domain *domain = new_domain(profile);
    uint64_t first = alloc(domain, START_US + 10, 9, 1, stack, 2);
    uint64_t second = alloc(domain, START_US + 20, 9, 2, stack, 2);
    uint64_t third = alloc(domain, START_US + 30, 99, 3, bare, 2);
    assert_true(alloc(domain, START_US + 40, 0, 1, NULL, 0) > 0);
    assert_true(first > 0 && first < UINT64_C(1) << 62);
    heaptap_pprof_promote(profile, second);
    heaptap_pprof_collect(profile, START_US + 60, first);
    heaptap_pprof_collect(profile, START_US + 100, third);
    heaptap_pprof_collect(profile, START_US + 100, 0);
    struct model *model = read_back(profile, START_US + 100);
    assert_int_equal(asked, 3);
    assert_int_equal(model->file->sample_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_values(model, i, expected[i]);
        assert_string_equal(model->file->labels[i].key, "bytes");
    }
    assert_int_equal(model->file->labels[0].number, 72);
    assert_int_equal(model->file->labels[1].number, 792);
    assert_string_equal(model->samples.types[model->samples.default_type].name, "alloc_space");
    assert_string_equal(model->samples.types[4].unit, "nanoseconds");
    assert_int_equal(model->file->period, 800);
    assert_int_equal(model->file->time_ns, START_US * INT64_C(1000));
    assert_int_equal(model->file->duration_ns, 100000);
    assert_string_equal(name_at(model, 0, 0, 0), "outer");
    assert_string_equal(name_at(model, 0, 0, 1), "inner");
    assert_string_equal(name_at(model, 0, 1, 0), "main");
    assert_string_equal(name_at(model, 1, 0, 0), "0xc0");
    assert_string_equal(name_at(model, 2, 0, 0), "<unknown>");
    assert_int_equal(model->module_count, 1);
    assert_string_equal(model->modules[0].path, "/bin/prog");
    assert_true(model->modules[0].has_functions);
    assert_int_equal(model->file->comment_count, 2);
    assert_string_equal(model->file->comments[0], "context: ctx");
    assert_string_equal(model->file->comments[1], "command: /bin/prog");
    model_free(model);
    heaptap_pprof_domain_free(domain);
    heaptap_pprof_free(profile);
}

static uint32_t locate(void *module, uint64_t code, uint64_t *address)
{
    *address = code;
    return code < 0x1000 ? *(uint32_t *)module : 0;
}

static void test_modules(void **state)
{
    static const uint64_t stack[] = {0x10, 0x2000};
    uint32_t number = 0;
    struct heaptap_pprof_options options = {.locate = locate, .context = &number};
    struct heaptap_pprof *profile = new_profile(&bytes_info, &options);
    struct heaptap_pprof_domain *domain = new_domain(profile);
    struct heaptap_metadata library = {
        .kind = HEAPTAP_MODULE, .name = "/lib/x.so", .address = 0x5000, .size_bytes = 16};
    struct heaptap_metadata program = {.kind = HEAPTAP_MODULE,
                                       .name = "/bin/prog",
                                       .size_bytes = 0x1000,
                                       .build_id_size = 2,
                                       .build_id = {0xab, 1}};
    assert_int_equal(heaptap_pprof_add_module(profile, &library), 1);
    number = heaptap_pprof_add_module(profile, &program);
    assert_int_equal(number, 2);
    assert_int_equal(heaptap_pprof_add_module(profile, &program), 2);
    alloc(domain, 0, 7, 7, stack, 2);
    struct model *model = read_back(profile, 1);
    assert_int_equal(model->module_count, 2);
    assert_string_equal(model->modules[0].path, "/bin/prog"); /* the program is the first */
    assert_string_equal(model->modules[0].build_id, "ab01");
    assert_false(model->modules[0].has_functions);
    assert_string_equal(model->modules[1].path, "/lib/x.so");
    const struct model_frame *caller = &model->frames[model->file->frames[1]];
    assert_int_equal(caller->code, 0x10);
    assert_int_equal(caller->module, 0);
    assert_int_equal(caller->line_count, 0);
    assert_string_equal(name_at(model, 0, 0, 0), "0x2000");
    model_free(model);
    heaptap_pprof_domain_free(domain);
    heaptap_pprof_free(profile);
}

/* An id of more bytes than there is room for is none; what comes after it is as it was. */
static void test_build_ids(void **state)
{
    struct heaptap_pprof *profile = new_profile(&bytes_info, NULL);
    struct heaptap_metadata module = {
        .kind = HEAPTAP_MODULE, .name = "/lib/x.so", .size_bytes = 16};
    char longest[2 * HEAPTAP_BUILD_ID_MAX + 1];
    for (int i = 0; i < HEAPTAP_BUILD_ID_MAX; i++) {
        module.build_id[i] = 0xcd;
        strcpy(longest + 2 * i, "cd");
    }
    const uint8_t sizes[] = {0, HEAPTAP_BUILD_ID_MAX, HEAPTAP_BUILD_ID_MAX + 1, 128, 255};
    for (size_t i = 0; i < sizeof sizes; i++) {
        module.build_id_size = sizes[i];
        assert_int_equal(heaptap_pprof_add_module(profile, &module),
                         1 + (sizes[i] == HEAPTAP_BUILD_ID_MAX));
    }
    struct model *model = read_back(profile, 1);
    size_t with = 0, without = 0;
    for (size_t i = 0; i < model->module_count; i++) {
        with += strcmp(model->modules[i].build_id, longest) == 0;
        without += strcmp(model->modules[i].build_id, "") == 0;
    }
    assert_int_equal(with, 1);
    assert_int_equal(without, 2); /* the program's, too */
    model_free(model);
    heaptap_pprof_free(profile);
}

/* Numbers of blocks that were never given out are ignored, also of groups that others have begun beside. */
static void test_strange_blocks(void **state)
{
    static const uint64_t stack[] = {0x10, 0x2000};
    struct heaptap_pprof *profile = new_profile(&bytes_info, NULL);
    for (int has_blocks = 0; has_blocks < 2; has_blocks++) {
        struct heaptap_pprof_domain *domain = has_blocks ? new_domain(profile) : NULL;
        uint64_t block = has_blocks ? alloc(domain, 0, 7, 7, stack, 2) : 0;
        if (has_blocks)
            heaptap_pprof_collect(profile, 1, alloc(domain, 0, 5, 5, stack, 2));
        for (int bit = 0; bit < 64; bit++) {
            uint64_t one = UINT64_C(1) << bit;
            const uint64_t strange[] = {
                one, one - 1, one | 1, ~one, -one, block + (one << 35), block ^ one << 40};
            for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
                if (strange[i] >> 35 == block >> 35 ||
                    (block && strange[i] >> 35 == (block >> 35) + 1))
                    continue; /* it is one */
                heaptap_pprof_promote(profile, strange[i]);
                heaptap_pprof_collect(profile, 1, strange[i]);
            }
        }
        if (has_blocks)
            heaptap_pprof_domain_free(domain);
    }
    struct model *model = read_back(profile, 2);
    assert_int_equal(model->file->sample_count, 2);
    for (size_t i = 0; i < 2; i++) {
        bool is_left = model->file->values[i * 7 + 1] == 7;
        assert_int_equal(model->file->values[i * 7 + 1], is_left ? 7 : 5);
        assert_int_equal(model->file->values[i * 7 + 3], is_left ? 7 : 0);
        assert_int_equal(model->file->values[i * 7 + 6], 0);
    }
    model_free(model);
    heaptap_pprof_free(profile);
}

/* A stack that is NULL is none. */
static void test_no_stack(void **state)
{
    static const uint64_t stack[] = {0xa0, 0xb0, 0xa0};
    static const struct {
        uint32_t length;
        int64_t shared;
    } none[] = {{0, -1}, {3, -1}, {3, 0}, {3, 3}, {5000, -1}, {UINT32_MAX, INT64_MAX}};
    struct heaptap_pprof *profile = new_profile(&bytes_info, NULL);
    struct heaptap_pprof_domain *domain = new_domain(profile);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct heaptap_allocation it = {.length = 7,
                                        .samples = 7,
                                        .stack_length = none[i].length,
                                        .direction =
                                            i % 2 ? HEAPTAP_SITE_FIRST : HEAPTAP_CALLER_FIRST,
                                        .shared = none[i].shared};
        assert_int_not_equal(alloc(domain, 0, 7, 7, stack, 3), 0);
        assert_int_not_equal(heaptap_pprof_alloc(domain, 0, &it), 0);
    }
    struct model *model = read_back(profile, 2);
    assert_int_equal(model->file->sample_count, 2);
    assert_int_equal(model->file->values[1], 42);
    assert_int_equal(model->file->values[7 + 1], 42);
    model_free(model);
    heaptap_pprof_domain_free(domain);
    heaptap_pprof_free(profile);
}

/* Frames as the unwinder gives them; too many of them; and what the caller knows to be shared. */
static void test_stacks(void **state)
{
    static const uint64_t inward[] = {3, 2, 1}, long_one[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct heaptap_pprof_options options = {.max_frames = 5};
    struct heaptap_pprof *profile = new_profile(&bytes_info, &options);
    struct heaptap_pprof_domain *domain = new_domain(profile);
    struct heaptap_allocation allocation = {.length = 1,
                                            .samples = 1,
                                            .stack = inward,
                                            .stack_length = 3,
                                            .direction = HEAPTAP_SITE_FIRST,
                                            .shared = HEAPTAP_SHARED_UNKNOWN};
    heaptap_pprof_alloc(domain, 0, &allocation);
    allocation.stack = long_one;
    allocation.stack_length = 9;
    allocation.direction = HEAPTAP_CALLER_FIRST;
    allocation.shared = 3;
    heaptap_pprof_alloc(domain, 0, &allocation);
    allocation.stack_length = 4;
    allocation.shared = 2;
    heaptap_pprof_alloc(domain, 0, &allocation);
    struct model *model = read_back(profile, 1);
    static const char *const expected[3][5] = {{"0x3", "0x2", "0x1"},
                                               {"0x9", "0x8", "<truncated>", "0x2", "0x1"},
                                               {"0x4", "0x3", "0x2", "0x1"}};
    static const size_t depths[] = {3, 5, 4};
    assert_int_equal(model->file->sample_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(model->file->first_frame[i + 1] - model->file->first_frame[i], depths[i]);
        for (size_t k = 0; k < depths[i]; k++)
            assert_string_equal(name_at(model, i, k, 0), expected[i][k]);
    }
    model_free(model);
    heaptap_pprof_domain_free(domain);
    heaptap_pprof_free(profile);
}

/* Stacks come back after others, of the same codes in another order, or parts of them. */
static void test_again(void **state)
{
    static const uint64_t codes[][4] = {{1, 2, 3, 4}, {2, 1, 3, 4}, {1, 3, 2, 4}, {1, 2, 4, 3}};
    enum { ORDERS = sizeof codes / sizeof codes[0], TIMES = 3 };
    struct heaptap_pprof *profile = new_profile(&bytes_info, &(struct heaptap_pprof_options){0});
    struct heaptap_pprof_domain *domain = new_domain(profile);
    for (unsigned i = 0; i < TIMES; i++)
        for (unsigned order = 0; order < ORDERS; order++)
            for (uint32_t depth = 3; depth <= 4; depth++)
                alloc(domain, 1, 10, 10, codes[order], depth);
    struct model *model = read_back(profile, 5);
    assert_int_equal(model->file->sample_count, 2 * ORDERS);
    for (size_t i = 0; i < model->file->sample_count; i++)
        assert_int_equal(model->file->values[i * 7], TIMES);
    model_free(model);
    heaptap_pprof_domain_free(domain);
    heaptap_pprof_free(profile);
}

/* What the caller knows to be shared with a stack of which the middle is not there. */
static void test_after_gap(void **state)
{
    static const uint64_t deep[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                          next[] = {1, 2, 3, 4, 5, 6, 77};
    struct heaptap_pprof *profile =
        new_profile(&bytes_info, &(struct heaptap_pprof_options){.max_frames = 8});
    struct heaptap_pprof_domain *domain = new_domain(profile);
    struct heaptap_allocation allocation = {.length = 10,
                                            .samples = 10,
                                            .shared = 6,
                                            .direction = HEAPTAP_CALLER_FIRST,
                                            .stack = next,
                                            .stack_length = 7};
    struct heaptap_allocation before = allocation;
    before.stack = deep;
    before.stack_length = 12;
    before.shared = HEAPTAP_SHARED_UNKNOWN;
    heaptap_pprof_alloc(domain, 1, &before);
    heaptap_pprof_alloc(domain, 1, &allocation);
    before.stack = next;
    before.stack_length = 7;
    heaptap_pprof_alloc(domain, 1, &before);
    struct model *model = read_back(profile, 5);
    assert_int_equal(model->file->sample_count, 2);
    assert_int_equal(model->file->values[7], 2);
    model_free(model);
    heaptap_pprof_domain_free(domain);
    heaptap_pprof_free(profile);
}

/* Many stacks and sizes: all tables and stores grow. */
static void test_growth(void **state)
{
    enum { STACKS = 30000 };
    struct heaptap_pprof *profile = new_profile(&bytes_info, &(struct heaptap_pprof_options){0});
    struct heaptap_pprof_domain *domain = new_domain(profile);
    uint64_t bytes = 0;
    int64_t total[7] = {0};
    for (uint64_t i = 0; i < STACKS; i++) {
        uint64_t stack[] = {i % 7, 1000 + i % 3001, 0x100000 + i};
        uint64_t block = alloc(domain, 0, 1 + i % 50, 1 + i % 50, stack, 3);
        bytes += 1 + i % 50;
        if (i % 2)
            heaptap_pprof_collect(profile, 0, block);
    }
    struct model *model = read_back(profile, 0);
    assert_int_equal(model->file->sample_count, STACKS);
    for (size_t i = 0; i < model->file->sample_count; i++)
        for (size_t k = 0; k < 7; k++)
            total[k] += model->file->values[i * 7 + k];
    assert_int_equal(total[0], STACKS);
    assert_int_equal(total[1], bytes);
    assert_int_equal(total[2], STACKS / 2);
    model_free(model);
    heaptap_pprof_domain_free(domain);
    heaptap_pprof_free(profile);
}

static void test_refusals(void **state)
{
    const struct {
        double rate;
        unsigned word_bits;
    } wrong[] = {{0, 8}, {-1, 8}, {1.5, 8}, {NAN, 8}, {1, 0}, {1, 12}, {1, 256}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct heaptap_trace_info info = bytes_info;
        struct heaptap_pprof *profile = (struct heaptap_pprof *)&info;
        info.sample_rate = wrong[i].rate;
        info.word_bits = wrong[i].word_bits;
        assert_int_equal(heaptap_pprof_new(&profile, &info, NULL, NULL), HEAPTAP_BAD_ARGUMENT);
        assert_null(profile);
    }
}

/* What several threads do is one sample for each stack and size, as if one had done it: of shared outer frames, of one code at other
 * places, of the empty stack; and all of it in every interval. */
static void check_threads_sum_up(int intervals)
{
    static const uint64_t stacks[][3] = {{1, 2, 3}, {1, 2, 4}, {2, 1, 3}, {1, 1, 1}};
    enum { SHAPES = sizeof stacks / sizeof stacks[0], SIZES = 2, FILES = 3 };
    const unsigned per_domain = (SHAPES * 3 + 1) * SIZES;
    const int values = intervals ? 4 : 7;
    const struct heaptap_pprof_options options = {.intervals = intervals};
    struct heaptap_pprof *profile = new_profile(&bytes_info, &options);
    struct heaptap_pprof_domain *domains[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        domains[i] = new_domain(profile);
    for (int64_t file = 1; file <= FILES; file++) {
        for (size_t i = 0; i < THREADS; i++)
            for (uint64_t size = 10; size <= 10 * SIZES; size += 10) {
                alloc(domains[i], file, size, size, stacks[0], 0);
                for (size_t shape = (i + 1) % SHAPES, k = 0; k < SHAPES;
                     k++, shape = (shape + 1) % SHAPES)
                    for (uint32_t depth = 1; depth <= 3; depth++)
                        alloc(domains[i], file, size, size, stacks[shape], depth);
            }
        struct model *model = read_back(profile, 100 * file);
        int64_t objects = 0, live = 0;
        for (size_t i = 0; i < model->file->sample_count; i++) {
            objects += model->file->values[i * (size_t)values];
            live += model->file->values[i * (size_t)values + 2];
        }
        /* {1}, {1, 2} and {1, 2, 3} and so on: 1, 12, 123, 124, 2, 21, 213, 11, 111 and nothing */
        assert_int_equal(model->file->sample_count, 10 * SIZES);
        assert_int_equal(objects, THREADS * per_domain * (intervals ? 1 : file));
        assert_int_equal(live, THREADS * per_domain * file);
        model_free(model);
    }
    for (size_t i = 0; i < THREADS; i++)
        heaptap_pprof_domain_free(domains[i]);
    heaptap_pprof_free(profile);
}

static void test_threads_sum_up(void **state)
{
    check_threads_sum_up(0);
    check_threads_sum_up(1);
}

struct job {
    struct heaptap_pprof *profile;
    uint64_t number;
    uint64_t left[ROUNDS]; /* blocks for the next thread to end */
};

static void *work(void *context)
{
    struct job *job = context;
    struct heaptap_pprof_domain *domain = new_domain(job->profile);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint64_t stack[] = {1, 100 + i % 500, 10000 + job->number};
        job->left[i] = alloc(domain, (int64_t)i, 16, 16, stack, 3);
    }
    heaptap_pprof_domain_free(domain);
    return NULL;
}

/* Threads allocate at once, while the profile is written over and over; others end their blocks. */
static void test_threads(void **state)
{
    static struct job jobs[THREADS];
    pthread_t threads[THREADS];
    struct heaptap_pprof *profile = new_profile(&bytes_info, &(struct heaptap_pprof_options){0});
    for (uint64_t i = 0; i < THREADS; i++) {
        jobs[i] = (struct job){.profile = profile, .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < 20; i++)
        model_free(read_back(profile, ROUNDS));
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < THREADS; i++)
        for (size_t k = 0; k < ROUNDS; k += 2)
            heaptap_pprof_collect(profile, ROUNDS, jobs[i].left[k]);
    struct model *model = read_back(profile, ROUNDS);
    int64_t objects = 0, live = 0;
    for (size_t i = 0; i < model->file->sample_count; i++) {
        objects += model->file->values[i * 7];
        live += model->file->values[i * 7 + 2];
    }
    assert_int_equal(objects, THREADS * ROUNDS);
    assert_int_equal(live, THREADS * ROUNDS / 2);
    assert_int_equal(model->file->sample_count, THREADS * 500);
    model_free(model);
    heaptap_pprof_free(profile);
}

/* Lives that would not fit nanoseconds get a coarser unit. */
static void test_long_lives(void **state)
{
    static const uint64_t stack[] = {1};
    const int64_t year_us = INT64_C(365) * 86400 * 1000000;
    struct heaptap_pprof *profile = new_profile(&bytes_info, &(struct heaptap_pprof_options){0});
    struct heaptap_pprof_domain *domain = new_domain(profile);
    for (int i = 0; i < 1000; i++)
        alloc(domain, 0, 1, 1, stack, 1);
    struct model *model = read_back(profile, year_us);
    assert_string_equal(model->samples.types[4].unit, "microseconds");
    assert_int_equal(model->file->values[4], 1000 * year_us);
    model_free(model);
    heaptap_pprof_domain_free(domain);
    heaptap_pprof_free(profile);
}

/* A buffer that lives for long: its bytes times its microseconds are more than 64 bits hold.  One that has ended, at a day's end, and one that
 * is alive. */
static void test_large_lives(void **state)
{
    static const uint64_t stack[] = {1}, gigabytes_40 = UINT64_C(40000000000);
    const int64_t day_us = INT64_C(86400) * 1000000, year_us = 365 * day_us;
    struct heaptap_pprof *profile = new_profile(&bytes_info, &(struct heaptap_pprof_options){0});
    struct heaptap_pprof_domain *domain = new_domain(profile);
    for (int i = 0; i < 3; i++) {
        uint64_t block = alloc(domain, i * day_us, gigabytes_40, gigabytes_40, stack, 1);
        heaptap_pprof_collect(profile, (i + 1) * day_us, i < 2 ? block : 0);
    }
    static const int64_t one = 1000;
    alloc(domain, -one, 8, 8, stack, 1); /* before the start: the clock was put back */
    struct model *model = read_back(profile, 4 * day_us);
    assert_string_equal(model->samples.types[4].unit, "nanoseconds");
    assert_int_equal(model->file->values[4], 4 * day_us * 1000);
    assert_int_equal(model->file->values[7 + 4], (4 * day_us + one) * 1000);
    model_free(model);
    model = read_back(profile, 200 * year_us);
    assert_string_equal(model->samples.types[4].unit, "microseconds");
    assert_int_equal(model->file->values[4], 200 * year_us);
    model_free(model);
    heaptap_pprof_domain_free(domain);
    heaptap_pprof_free(profile);
}

static int refuse(void *context, const void *data, size_t size)
{
    return 28; /* ENOSPC */
}

static void test_files(void **state)
{
    char folder[] = "/tmp/heaptap-pprof-XXXXXX", path[64], fresh[72];
    struct heaptap_pprof *profile = new_profile(&bytes_info, &(struct heaptap_pprof_options){0});
    struct bytes bytes = {0};
    struct stat status;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/p.pb.gz", folder);
    snprintf(fresh, sizeof fresh, "%s.new", path);
    assert_int_equal(heaptap_pprof_save(profile, 1, path), 0);
    assert_int_equal(heaptap_pprof_save(profile, 2, path), 0); /* takes the place of the first */
    assert_int_not_equal(stat(fresh, &status), 0);
    assert_true(bytes_load(&bytes, path));
    struct model *model = read_bytes(&bytes);
    assert_int_equal(model->file->sample_count, 0);
    assert_int_equal(model->file->duration_ns, 2000);
    model_free(model);
    bytes_release(&bytes);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(heaptap_pprof_save(profile, 1, path), 2); /* ENOENT */
    assert_int_equal(heaptap_pprof_write(profile, 1, (struct heaptap_sink){refuse, NULL}), 28);
    heaptap_pprof_free(profile);
}

/* Files of intervals: what was allocated since the last one that could be written, and what is alive.
 */
/* What is no regular file is written to, not replaced; links stay. */
static void assert_kind(const char *path, mode_t kind)
{
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    assert_int_equal(status.st_mode & S_IFMT, kind);
}

static struct model *read_descriptor(int fd)
{
    static uint8_t bytes[1 << 16];
    ssize_t size = read(fd, bytes, sizeof bytes);
    assert_true(size > 0);
    return read_bytes(&(struct bytes){.items = bytes, .size = (size_t)size});
}

static void assert_saved(const char *path)
{
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    struct model *model = read_descriptor(fd);
    assert_int_equal(model->file->sample_count, 1);
    model_free(model);
    close(fd);
}

static void check_pipe(struct heaptap_pprof *profile)
{
    assert_int_equal(mkfifo("pipe.pb.gz", 0600), 0);
    assert_int_equal(heaptap_pprof_save(profile, 0, "pipe.pb.gz"), ENXIO);
    int fd = open("pipe.pb.gz", O_RDONLY | O_NONBLOCK);
    assert_int_equal(heaptap_pprof_save(profile, 0, "pipe.pb.gz"), 0);
    struct model *model = read_descriptor(fd);
    assert_int_equal(model->file->sample_count, 1);
    model_free(model);
    close(fd);
    assert_kind("pipe.pb.gz", S_IFIFO);
}

static void check_socket(struct heaptap_pprof *profile)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "socket.pb.gz"};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(heaptap_pprof_save(profile, 0, "socket.pb.gz"), ENXIO);
    assert_kind("socket.pb.gz", S_IFSOCK);
    close(fd);
}

static void check_links(struct heaptap_pprof *profile)
{
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_int_equal(symlink("folder/middle", "link.pb.gz"), 0);
    assert_int_equal(symlink("../end.pb.gz", "folder/middle"), 0);
    for (int i = 0; i < 2; i++) { /* it leads to nothing; it leads to a file */
        assert_int_equal(heaptap_pprof_save(profile, 0, "link.pb.gz"), 0);
        assert_kind("link.pb.gz", S_IFLNK);
        assert_kind("folder/middle", S_IFLNK);
        assert_kind("end.pb.gz", S_IFREG);
        assert_saved("end.pb.gz");
    }
    assert_int_equal(symlink("loop.pb.gz", "loop.pb.gz"), 0);
    assert_int_equal(heaptap_pprof_save(profile, 0, "loop.pb.gz"), ELOOP);
    assert_int_equal(symlink("pipe.pb.gz", "to-pipe.pb.gz"), 0);
    assert_int_equal(heaptap_pprof_save(profile, 0, "to-pipe.pb.gz"), ENXIO);
    assert_kind("to-pipe.pb.gz", S_IFLNK);
    assert_kind("pipe.pb.gz", S_IFIFO);
    assert_int_equal(heaptap_pprof_save(profile, 0, "folder"), EISDIR);
}

static void check_devices(struct heaptap_pprof *profile)
{
    assert_int_equal(heaptap_pprof_save(profile, 0, "/dev/null"), 0);
    assert_kind("/dev/null", S_IFCHR);
    assert_int_equal(heaptap_pprof_save(profile, 0, "/dev/full"), ENOSPC);
    assert_kind("/dev/full", S_IFCHR);
    assert_int_equal(symlink("/dev/full", "full.pb.gz"), 0);
    assert_int_equal(heaptap_pprof_save(profile, 0, "full.pb.gz"), ENOSPC);
    assert_kind("full.pb.gz", S_IFLNK);
    assert_kind("/dev/full", S_IFCHR);
}

static void test_nodes(void **state)
{
    static const uint64_t stack[] = {0xa0};
    char folder[] = "/tmp/heaptap-test-XXXXXX", command[64];
    struct heaptap_pprof *profile = new_profile(&bytes_info, &(struct heaptap_pprof_options){0});
    struct heaptap_pprof_domain *domain = new_domain(profile);
    int before = open(".", O_RDONLY);
    alloc(domain, 0, 64, 64, stack, 1);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    check_pipe(profile);
    check_socket(profile);
    check_links(profile);
    if (geteuid() != 0) { /* root would lose what a fault replaces */
        check_devices(profile);
    } else if (mknod("null.pb.gz", S_IFCHR | 0600, makedev(1, 3)) == 0) {
        assert_int_equal(heaptap_pprof_save(profile, 0, "null.pb.gz"), 0);
        assert_kind("null.pb.gz", S_IFCHR);
    }
    assert_int_equal(fchdir(before), 0);
    close(before);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    heaptap_pprof_domain_free(domain);
    heaptap_pprof_free(profile);
}

static int swallow(void *context, const void *data, size_t size)
{
    return 0;
}

/* ---- Profiles that are kept in a file ----------------------------------------------- */

/* The rate is halved every 1024 blocks; one of the domains takes a new one later. */
static void halve_at(int i, struct heaptap_pprof *profile, struct heaptap_pprof_domain **domains)
{
    if (i % 1024 == 0)
        pprof_set_halvings(profile, (uint32_t)i / 1024);
    if (i % 1024 == 0)
        pprof_domain_set_halvings(domains[0], (uint32_t)i / 1024);
    if (i % 1024 == 200)
        pprof_domain_set_halvings(domains[1], (uint32_t)i / 1024);
}

/* A random program: returns what is kept of it, in pages of their own. */
static uint8_t *run_kept(unsigned seed, int intervals, struct bytes *written, size_t *size)
{
    char name[64];
    snprintf(name, sizeof name, "/tmp/heaptap-test-%d.sums", (int)getpid());
    struct heaptap_pprof_options options = {.keep = name, .intervals = intervals};
    struct heaptap_pprof *profile = new_profile(&bytes_info, &options);
    struct heaptap_pprof_domain *domains[2] = {new_domain(profile), new_domain(profile)};
    static uint64_t blocks[4096];
    struct stat status;
    assert_true(heaptap_pprof_is_kept(profile));
    for (int i = 0; i < 4096; i++) {
        uint64_t stack[12], length = 1 + (unsigned)rand_r(&seed) % 300;
        uint32_t depth = 1 + (uint32_t)rand_r(&seed) % 12;
        for (uint32_t at = 0; at < depth; at++)
            stack[at] = 1 + (unsigned)rand_r(&seed) % 3;
        halve_at(i, profile, domains);
        blocks[i] = alloc(domains[i % 2], i, length, 1 + ((length - 1) >> i / 1024), stack, depth);
        unsigned which = (unsigned)rand_r(&seed) % (unsigned)(i + 1);
        heaptap_pprof_collect(profile, i, blocks[which]);
        blocks[which] = 0;
        if (intervals && i == 2000)
            assert_int_equal(
                heaptap_pprof_write(profile, i, (struct heaptap_sink){.write = swallow}), 0);
    }
    int fd = open(name, O_RDONLY);
    assert_int_equal(fstat(fd, &status), 0);
    *size = (size_t)status.st_size;
    uint8_t *bytes = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(read(fd, bytes, *size), *size);
    close(fd);
    assert_int_equal(heaptap_pprof_write(profile, 5000, bytes_sink(written)), 0);
    heaptap_pprof_domain_free(domains[0]);
    heaptap_pprof_domain_free(domains[1]);
    heaptap_pprof_free(profile);
    unlink(name);
    return bytes;
}

static void test_restored(void **state)
{
    for (unsigned seed = 1; seed <= 6; seed++) {
        struct heaptap_pprof *profile;
        struct bytes written = {0}, again = {0};
        uint64_t damaged;
        size_t size;
        uint8_t *kept = run_kept(seed, seed % 2, &written, &size);
        assert_int_equal(pprof_restore(&profile, kept, size, seed % 2, &damaged, NULL), HEAPTAP_OK);
        assert_int_equal(damaged, 0);
        assert_int_equal(heaptap_pprof_write(profile, 5000, bytes_sink(&again)), 0);
        assert_int_equal(written.size, again.size);
        assert_memory_equal(written.items, again.items, again.size);
        heaptap_pprof_free(profile);
        munmap(kept, size);
        bytes_release(&written);
        bytes_release(&again);
    }
}

static void damage(uint8_t *bytes, size_t size, unsigned *seed)
{
    int most = 1 + rand_r(seed) % 40;
    for (int i = 0; i < most; i++) {
        size_t reach = rand_r(seed) % 8 ? size : 4096; /* the header is a page */
        size_t at = (size_t)rand_r(seed) % (reach / 4) * 4;
        uint32_t word = rand_r(seed) % 2 ? (uint32_t)rand_r(seed) : (uint32_t)rand_r(seed) % 5000;
        memcpy(bytes + at, &word, sizeof word);
    }
}

/* What died of damage to its memory is read nevertheless, and not believed. */
static void test_damaged(void **state)
{
    struct bytes written = {0};
    size_t size, restored = 0;
    uint8_t *kept = run_kept(7, 1, &written, &size);
    uint8_t *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (unsigned round = 0; round < 300; round++) {
        struct heaptap_pprof *profile;
        uint64_t damaged;
        unsigned seed = round;
        size_t left = round % 5 ? size : (size_t)rand_r(&seed) % size;
        memcpy(bytes, kept, size);
        damage(bytes, size, &seed);
        if (pprof_restore(&profile, bytes, left, round % 3, &damaged, NULL) != HEAPTAP_OK)
            continue;
        struct heaptap_sink sink = {.write = swallow};
        assert_int_equal(heaptap_pprof_write(profile, 5000, sink), 0);
        heaptap_pprof_free(profile);
        restored++;
    }
    assert_true(restored > 100);
    munmap(bytes, size);
    munmap(kept, size);
    bytes_release(&written);
}

static void test_intervals(void **state)
{
    static const uint64_t stack[] = {1}, other[] = {2};
    struct heaptap_pprof *profile =
        new_profile(&bytes_info, &(struct heaptap_pprof_options){.intervals = 1});
    struct heaptap_pprof_domain *domain = new_domain(profile);
    assert_false(heaptap_pprof_changed(profile));
    uint64_t block = alloc(domain, 1, 10, 10, stack, 1);
    alloc(domain, 1, 10, 10, stack, 1);
    assert_true(heaptap_pprof_changed(profile));
    struct model *model = read_back(profile, 5);
    assert_int_equal(model->samples.type_count, 4);
    assert_int_equal(model->file->sample_count, 1);
    assert_memory_equal(model->file->values, ((int64_t[]){2, 20, 2, 20}), 4 * sizeof(int64_t));
    assert_int_equal(model->file->duration_ns, 5000);
    model_free(model);
    assert_false(heaptap_pprof_changed(profile));
    alloc(domain, 6, 3, 3, other, 1);
    heaptap_pprof_collect(profile, 6, block);
    assert_true(heaptap_pprof_changed(profile));
    assert_int_equal(heaptap_pprof_write(profile, 7, (struct heaptap_sink){refuse, NULL}), 28);
    model = read_back(profile, 8);
    assert_int_equal(model->file->sample_count, 2);
    assert_memory_equal(model->file->values, ((int64_t[]){0, 0, 1, 10, 1, 3, 1, 3}),
                        8 * sizeof(int64_t));
    assert_int_equal(model->file->time_ns, 5000);
    assert_int_equal(model->file->duration_ns, 3000);
    model_free(model);
    heaptap_pprof_domain_free(domain);
    heaptap_pprof_free(profile);
}

int main(void)
{
    return RUN_TESTS(test_refusals, test_threads_sum_up, test_samples, test_intervals, test_modules,
                     test_build_ids, test_strange_blocks, test_no_stack, test_stacks, test_again,
                     test_after_gap, test_growth, test_threads, test_nodes, test_restored,
                     test_damaged, test_long_lives, test_large_lives, test_files);
}
