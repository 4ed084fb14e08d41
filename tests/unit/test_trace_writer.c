/* What the writer writes, judged by what the reader reads and by the packets' bytes. */
#include "unit/unit.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spec/trace_format.h"

static const struct heaptap_trace_info sample_info = {
    .version = 3,
    .sample_rate = 0.25,
    .word_bits = 8,
    .executable = "/bin/prog",
    .host = "host",
    .runtime_params = "v=0",
    .context = "some text",
    .pid = 77,
    .start_us = BUILD_START_US,
    .initial_domain = 5,
};

/* A trace being written into memory. */
struct output {
    struct bytes bytes;
    struct heaptap_writer *writer;
    struct heaptap_domain *domain; /* number 0 */
};

static void output_open(struct output *output, unsigned version, heaptap_describe *describe,
                        void *context)
{
    struct heaptap_trace_info info = sample_info;
    *output = (struct output){0};
    struct heaptap_writer_options options = {
        .sink = bytes_sink(&output->bytes), .describe = describe, .describe_context = context};
    info.version = version;
    assert_int_equal(heaptap_writer_new(&output->writer, &info, &options, NULL), HEAPTAP_OK);
    assert_int_equal(heaptap_domain_new(&output->domain, output->writer, 0, NULL), HEAPTAP_OK);
}

static void output_close(struct output *output)
{
    heaptap_domain_free(output->domain);
    assert_int_equal(heaptap_writer_errno(output->writer), 0);
    heaptap_writer_free(output->writer);
}

static uint64_t alloc(struct heaptap_domain *domain, int64_t time_us, const uint64_t *stack,
                      uint32_t length)
{
    struct heaptap_allocation allocation = {.source = HEAPTAP_MINOR,
                                            .length = 1,
                                            .samples = 1,
                                            .stack = stack,
                                            .stack_length = length,
                                            .shared = HEAPTAP_SHARED_UNKNOWN};
    return heaptap_domain_alloc(domain, BUILD_START_US + time_us, &allocation);
}

static void assert_stack(const struct heaptap_reader *reader, const struct heaptap_event *event,
                         const uint64_t *codes, uint32_t length)
{
    assert_int_equal(event->stack_length, length);
    for (uint32_t i = 0; i < length; i++)
        assert_int_equal(code_at(reader, event, i), codes[i]);
}

/* The packets of a trace: how many, none too large, and all of it. */
static size_t count_packets(const struct bytes *bytes)
{
    size_t count = 0, at = 0;
    for (; at < bytes->size; count++) {
        assert_int_equal(bytes_get(bytes, at, 4), 0xc1fc1fc1);
        size_t size = bytes_get(bytes, at + 4, 4) / 8;
        assert_in_range(size, 66, 32768);
        at += size;
    }
    assert_int_equal(at, bytes->size);
    return count;
}

static void test_info(void **state)
{
    for (unsigned version = 2; version <= 3; version++) {
        struct output output;
        output_open(&output, version, NULL, NULL);
        output_close(&output);
        struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
        const struct heaptap_trace_info *info = heaptap_reader_info(reader);
        assert_int_equal(info->version, version);
        assert_true(info->sample_rate == 0.25);
        assert_int_equal(info->word_bits, 8);
        assert_string_equal(info->executable, "/bin/prog");
        assert_string_equal(info->host, "host");
        assert_string_equal(info->runtime_params, "v=0");
        assert_string_equal(info->context, "some text");
        assert_int_equal(info->pid, 77);
        assert_int_equal(info->start_us, BUILD_START_US);
        assert_int_equal(info->initial_domain, version == 3 ? 5 : 0);
        assert_end(reader);
        assert_int_equal(count_packets(&output.bytes), 1);
        heaptap_reader_close(reader);
        bytes_release(&output.bytes);
    }
}

static void test_versions_refused(void **state)
{
    for (unsigned version = 0; version <= 4; version += version == 1 ? 3 : 1) {
        struct bytes bytes = {0};
        struct heaptap_trace_info info = sample_info;
        struct heaptap_writer_options options = {.sink = bytes_sink(&bytes)};
        struct heaptap_writer *writer = (struct heaptap_writer *)&bytes;
        struct heaptap_error error = {0};
        info.version = version;
        assert_int_equal(heaptap_writer_new(&writer, &info, &options, &error),
                         HEAPTAP_BAD_ARGUMENT);
        assert_null(writer);
        assert_int_equal(error.status, HEAPTAP_BAD_ARGUMENT);
        assert_true(strlen(error.message) > 0);
        assert_int_equal(bytes.size, 0);
    }
}

/* What the writer accepts, the reader reads; the rest it refuses, with a sentence. */
static void check_info(double rate, unsigned word_bits, bool accepted)
{
    struct heaptap_trace_info info = sample_info;
    struct bytes bytes = {0};
    struct heaptap_writer_options options = {.sink = bytes_sink(&bytes)};
    struct heaptap_writer *writer;
    struct heaptap_reader *reader;
    struct heaptap_error error = {0};
    info.sample_rate = rate;
    info.word_bits = word_bits;
    enum heaptap_status status = heaptap_writer_new(&writer, &info, &options, &error);
    assert_int_equal(status, accepted ? HEAPTAP_OK : HEAPTAP_BAD_ARGUMENT);
    if (accepted) {
        heaptap_writer_free(writer);
        assert_int_equal(heaptap_reader_open_memory(&reader, bytes.items, bytes.size, NULL, &error),
                         HEAPTAP_OK);
        assert_true(heaptap_reader_info(reader)->sample_rate == rate);
        assert_int_equal(heaptap_reader_info(reader)->word_bits, word_bits);
        heaptap_reader_close(reader);
    } else {
        assert_null(writer);
        assert_int_equal(bytes.size, 0);
        assert_true(error.message[0] != '\0');
    }
    bytes_release(&bytes);
}

static void test_info_bounds(void **state)
{
    const double rates[] = {1e-300, 1e-9, 0.25, 1},
                 wrong_rates[] = {0, -0.5, 1.0000001, 1e300, NAN, INFINITY};
    const unsigned words[] = {8, 16, 32, 64, 248}, wrong_words[] = {0, 1, 7, 9, 63, 255, 256, 264};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        check_info(rates[i], 8, true);
    for (size_t i = 0; i < sizeof wrong_rates / sizeof *wrong_rates; i++)
        check_info(wrong_rates[i], 8, false);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        check_info(0.5, words[i], true);
    for (size_t i = 0; i < sizeof wrong_words / sizeof *wrong_words; i++)
        check_info(0.5, wrong_words[i], false);
}

static void test_nothing_given(void **state)
{
    struct heaptap_writer *writer = (struct heaptap_writer *)&writer;
    struct heaptap_writer_options options = {.max_frames = 1};
    assert_int_equal(heaptap_writer_new(&writer, &sample_info, NULL, NULL), HEAPTAP_BAD_ARGUMENT);
    assert_null(writer);
    assert_int_equal(heaptap_writer_new(&writer, &sample_info, &options, NULL),
                     HEAPTAP_BAD_ARGUMENT);
    options.sink = heaptap_sink_fd(-1);
    assert_int_equal(heaptap_writer_new(&writer, NULL, &options, NULL), HEAPTAP_BAD_ARGUMENT);
}

/* A stack that is NULL is none, whatever its length and what is said of it; stacks before and after it are whole. */
static void test_no_stack(void **state)
{
    static const uint64_t codes[] = {11, 12, 13, 14, 15, 16};
    static const struct {
        uint32_t length;
        int64_t shared;
    } none[] = {{0, HEAPTAP_SHARED_UNKNOWN},
                {5, HEAPTAP_SHARED_UNKNOWN},
                {5, 0},
                {5, 2},
                {6, 5},
                {7, 7},
                {100, HEAPTAP_SHARED_UNKNOWN},
                {UINT32_MAX, HEAPTAP_SHARED_UNKNOWN},
                {UINT32_MAX, INT64_MAX}};
    for (size_t i = 0; i < sizeof none / sizeof *none * 12; i++) {
        size_t which = i / 12;
        struct heaptap_allocation it = {.source = (enum heaptap_source)(i % 3),
                                        .length = 1,
                                        .samples = 1,
                                        .direction =
                                            i / 3 % 2 ? HEAPTAP_SITE_FIRST : HEAPTAP_CALLER_FIRST,
                                        .shared = HEAPTAP_SHARED_UNKNOWN};
        struct output output;
        output_open(&output, 3, NULL, NULL);
        bool chosen = i / 6 % 2;
        for (uint64_t step = 0; step < 3; step++) {
            it.stack = step == 1 ? NULL : codes;
            it.stack_length = step == 1 ? none[which].length : 6;
            it.shared = step == 1 ? none[which].shared : HEAPTAP_SHARED_UNKNOWN;
            if (chosen)
                heaptap_domain_alloc_as(output.domain, BUILD_START_US, 40 + step, &it);
            else
                assert_int_not_equal(heaptap_domain_alloc(output.domain, BUILD_START_US, &it),
                                     HEAPTAP_NO_ID);
        }
        output_close(&output);
        struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
        for (int step = 0; step < 3; step++) {
            struct heaptap_event event;
            assert_int_equal(heaptap_reader_next(reader, &event, NULL), HEAPTAP_OK);
            assert_int_equal(event.stack_length, step == 1 ? 0 : 6);
        }
        assert_end_and_close(reader, &output.bytes);
    }
}

/* The same of allocations. */
static void test_allocation_bounds(void **state)
{
    static const struct {
        uint64_t samples, length;
        unsigned source;
        bool accepted;
    } table[] = {
        {1, 0, HEAPTAP_MINOR, true},
        {1, 0, HEAPTAP_EXTERNAL, true},
        {1, 16, HEAPTAP_MINOR, true},
        {7, 3, HEAPTAP_MAJOR, true},
        {INT64_MAX, INT64_MAX, HEAPTAP_MAJOR, true},
        {0, 1, HEAPTAP_MINOR, false},
        {0, 1, HEAPTAP_MAJOR, false},
        {0, 0, HEAPTAP_EXTERNAL, false},
        {0, UINT64_C(1) << 40, HEAPTAP_MINOR, false},
        {UINT64_C(1) << 63, 1, HEAPTAP_MINOR, false},
        {UINT64_MAX, 1, HEAPTAP_MINOR, false},
        {1, UINT64_C(1) << 63, HEAPTAP_MINOR, false},
        {1, UINT64_MAX, HEAPTAP_MAJOR, false},
        {1, 1, 3, false},
        {1, 1, 9, false},
        {1, 1, 255, false},
        {1, 1, 256, false},
        {1, 1, UINT_MAX, false},
    };
    const uint64_t stack[] = {1, 2};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        for (int chosen = 0; chosen < 2; chosen++) {
            struct heaptap_allocation it = {.source = (enum heaptap_source)table[i].source,
                                            .length = table[i].length,
                                            .samples = table[i].samples,
                                            .stack = stack,
                                            .stack_length = 2,
                                            .shared = HEAPTAP_SHARED_UNKNOWN};
            struct output output;
            struct heaptap_event event;
            uint64_t id = 40;
            output_open(&output, 3, NULL, NULL);
            if (chosen)
                heaptap_domain_alloc_as(output.domain, BUILD_START_US, id, &it);
            else
                id = heaptap_domain_alloc(output.domain, BUILD_START_US, &it);
            if (!chosen)
                assert_int_equal(id == HEAPTAP_NO_ID, !table[i].accepted);
            if (!table[i].accepted)
                id = HEAPTAP_NO_ID;
            heaptap_domain_promote(output.domain, BUILD_START_US, id);
            heaptap_domain_collect(output.domain, BUILD_START_US, id);
            output_close(&output);
            struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
            for (int kind = 0; table[i].accepted && kind < 3; kind++) {
                assert_int_equal(heaptap_reader_next(reader, &event, NULL), HEAPTAP_OK);
                assert_int_equal(event.id, id);
                assert_int_equal(event.samples, kind == 0 ? table[i].samples : event.samples);
            }
            assert_end_and_close(reader, &output.bytes);
        }
    }
}

/* Two domains of one number at a time are refused, one after the other is not. */
static void test_domain_numbers(void **state)
{
    static const uint16_t numbers[] = {0, 1, 63, 64, 65535};
    const uint64_t stack[] = {1};
    struct output output;
    output_open(&output, 3, NULL, NULL);
    heaptap_domain_free(output.domain);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct heaptap_domain *domain, *other = output.domain;
        struct heaptap_error error = {0};
        for (int again = 0; again < 2; again++) {
            assert_int_equal(heaptap_domain_new(&domain, output.writer, numbers[i], NULL),
                             HEAPTAP_OK);
            alloc(domain, again, stack, 1);
            assert_int_equal(heaptap_domain_new(&other, output.writer, numbers[i], &error),
                             HEAPTAP_BAD_STATE);
            assert_null(other);
            assert_true(error.message[0] != '\0');
            heaptap_domain_free(domain);
        }
    }
    output.domain = NULL;
    output_close(&output);
    struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
    struct heaptap_event event;
    for (size_t i = 0; i < 2 * sizeof numbers / sizeof *numbers; i++)
        assert_int_equal(heaptap_reader_next(reader, &event, NULL), HEAPTAP_OK);
    assert_end_and_close(reader, &output.bytes);
}

/* Texts of the trace info that are absent or far too long. */
static void test_info_texts(void **state)
{
    static char text[50000];
    struct bytes bytes = {0};
    struct heaptap_trace_info info = sample_info;
    struct heaptap_writer_options options = {.sink = bytes_sink(&bytes)};
    struct heaptap_writer *writer;
    memset(text, 'p', sizeof text - 1);
    info.executable = info.context = info.host = info.runtime_params = text;
    assert_int_equal(heaptap_writer_new(&writer, &info, &options, NULL), HEAPTAP_OK);
    heaptap_writer_free(writer);
    count_packets(&bytes);
    struct heaptap_reader *reader = open_bytes(&bytes, NULL);
    assert_in_range(strlen(heaptap_reader_info(reader)->executable), 4096, 32768);
    assert_in_range(strlen(heaptap_reader_info(reader)->context), 4096, 32768);
    heaptap_reader_close(reader);
    bytes.size = 0;
    info.executable = info.context = info.host = info.runtime_params = NULL;
    assert_int_equal(heaptap_writer_new(&writer, &info, &options, NULL), HEAPTAP_OK);
    heaptap_writer_free(writer);
    reader = open_bytes(&bytes, NULL);
    assert_string_equal(heaptap_reader_info(reader)->context, "");
    heaptap_reader_close(reader);
    bytes_release(&bytes);
}

static void test_events(void **state)
{
    static const struct {
        enum heaptap_source source;
        uint64_t length, samples;
    } cases[] = {
        {HEAPTAP_MINOR, 1, 1},       {HEAPTAP_MINOR, 16, 1},
        {HEAPTAP_MINOR, 17, 1},      {HEAPTAP_MINOR, 0, 1},
        {HEAPTAP_MINOR, 3, 2},       {HEAPTAP_MAJOR, 3, 1},
        {HEAPTAP_EXTERNAL, 5, 1},    {HEAPTAP_MAJOR, 253, 9},
        {HEAPTAP_MAJOR, 70000, 300}, {HEAPTAP_MAJOR, UINT64_C(1) << 40, UINT64_C(1) << 33},
    };
    enum { COUNT = sizeof cases / sizeof *cases };
    static const uint64_t stack[] = {0x10, 0x20, 0x30};
    struct output output;
    output_open(&output, 3, NULL, NULL);
    for (size_t i = 0; i < COUNT; i++) {
        struct heaptap_allocation allocation = {.source = cases[i].source,
                                                .length = cases[i].length,
                                                .samples = cases[i].samples,
                                                .stack = stack,
                                                .stack_length = 3,
                                                .shared = HEAPTAP_SHARED_UNKNOWN};
        assert_int_equal(
            heaptap_domain_alloc(output.domain, BUILD_START_US + (int64_t)i, &allocation), i);
    }
    heaptap_domain_promote(output.domain, BUILD_START_US + 100, 4);
    heaptap_domain_collect(output.domain, BUILD_START_US + 101, 0);
    heaptap_domain_collect(output.domain, BUILD_START_US + 102, 1000000);
    output_close(&output);
    struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
    for (size_t i = 0; i < COUNT; i++) {
        struct heaptap_event event = next_event(reader);
        assert_int_equal(event.kind, HEAPTAP_ALLOC);
        assert_int_equal(event.id, i);
        assert_int_equal(event.time_us, i);
        assert_int_equal(event.source, cases[i].source);
        assert_int_equal(event.length, cases[i].length);
        assert_int_equal(event.samples, cases[i].samples);
        assert_int_equal(event.stack_shared, i ? 3 : 0);
        assert_stack(reader, &event, stack, 3);
    }
    struct heaptap_event event = next_event(reader);
    assert_int_equal(event.kind, HEAPTAP_PROMOTE);
    assert_int_equal(event.id, 4);
    assert_int_equal(event.time_us, 100);
    event = next_event(reader);
    assert_int_equal(event.kind, HEAPTAP_COLLECT);
    assert_int_equal(event.id, 0);
    assert_int_equal(next_event(reader).id, 1000000);
    assert_end_and_close(reader, &output.bytes);
}

/* Both directions of a stack, and what the caller says of the shared part: right, too little, far
 * too much.  Then the same stack once more, without a word on it: the writer knows of the one
 * before what it compared itself, and what was shared. */
static void test_shared(void **state)
{
    static const uint64_t first[] = {1, 2, 3, 4}, second[] = {1, 2, 3, 9, 8},
                          reversed[] = {8, 9, 3, 2, 1};
    static const int64_t shared[] = {HEAPTAP_SHARED_UNKNOWN, 3, 1, 0, 1000};
    static const uint32_t expected[] = {3, 3, 1, 0, 4}, again[] = {5, 3, 1, 0, 4};
    for (int i = 0; i < 5; i++) {
        struct output output;
        output_open(&output, 3, NULL, NULL);
        alloc(output.domain, 1, first, 4);
        struct heaptap_allocation allocation = {.length = 1,
                                                .samples = 1,
                                                .stack = i == 4 ? first : reversed,
                                                .stack_length = i == 4 ? 4 : 5,
                                                .direction = i == 4 ? HEAPTAP_CALLER_FIRST
                                                                    : HEAPTAP_SITE_FIRST,
                                                .shared = shared[i]};
        heaptap_domain_alloc(output.domain, BUILD_START_US + 2, &allocation);
        allocation.source = HEAPTAP_MAJOR;
        allocation.shared = HEAPTAP_SHARED_UNKNOWN;
        heaptap_domain_alloc(output.domain, BUILD_START_US + 3, &allocation);
        allocation.shared = allocation.stack_length;
        heaptap_domain_alloc(output.domain, BUILD_START_US + 4, &allocation);
        output_close(&output);
        struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
        struct heaptap_event event = next_event(reader);
        assert_stack(reader, &event, first, 4);
        const uint32_t all = i == 4 ? 4 : 5;
        const uint32_t prefixes[] = {expected[i], again[i], all};
        for (int j = 0; j < 3; j++) {
            event = next_event(reader);
            assert_int_equal(event.common_prefix, prefixes[j]);
            assert_int_equal(event.stack_shared, prefixes[j]);
            assert_stack(reader, &event, i == 4 ? first : second, all);
        }
        assert_end_and_close(reader, &output.bytes);
    }
}

enum { PARTED_MOST = 13 };

/* Frames 1, 2, 3, ... from the caller on; those from `same` on are others. */
static void alloc_parted(struct heaptap_domain *domain, uint32_t length, uint32_t same,
                         enum heaptap_stack_direction direction)
{
    uint64_t stack[PARTED_MOST];
    for (uint32_t i = 0; i < length; i++)
        stack[direction == HEAPTAP_CALLER_FIRST ? i : length - 1 - i] =
            i + 1 + (i >= same ? 1000 : 0);
    struct heaptap_allocation allocation = {.length = 1,
                                            .samples = 1,
                                            .stack = stack,
                                            .stack_length = length,
                                            .direction = direction,
                                            .shared = HEAPTAP_SHARED_UNKNOWN};
    heaptap_domain_alloc(domain, BUILD_START_US, &allocation);
}

/* A stack that parts from the one before at any place, of any lengths, whichever way it lies in
 * memory: the writer finds where. */
static void parted(uint32_t before, uint32_t after, uint32_t same)
{
    struct output output;
    output_open(&output, 3, NULL, NULL);
    for (int i = 0; i < 4; i++)
        alloc_parted(output.domain, i % 2 ? after : before, i % 2 ? same : PARTED_MOST,
                     i < 2 ? HEAPTAP_SITE_FIRST : HEAPTAP_CALLER_FIRST);
    output_close(&output);
    struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
    uint32_t shared = before < after ? before : after;
    if (shared > same)
        shared = same;
    for (int i = 0; i < 4; i++) {
        struct heaptap_event event = next_event(reader);
        assert_int_equal(event.common_prefix, i ? shared : 0);
        assert_int_equal(event.stack_length, i % 2 ? after : before);
        for (uint32_t j = 0; j < event.stack_length; j++)
            assert_int_equal(code_at(reader, &event, j), j + 1 + (i % 2 && j >= same ? 1000 : 0));
    }
    assert_end_and_close(reader, &output.bytes);
}

static void test_parted(void **state)
{
    for (uint32_t before = 0; before <= PARTED_MOST; before++)
        for (uint32_t after = 0; after <= PARTED_MOST; after++)
            for (uint32_t same = 0; same <= after; same++)
                parted(before, after, same);
}

/* Code 0 is a code as any other, before and after it has been seen, and an empty stack a stack. */
static void test_code_zero(void **state)
{
    static const uint64_t stacks[][4] = {{0}, {0, 0, 0, 0}, {5, 0, 6, 0}, {0, 5, 0, 7}};
    static const uint32_t lengths[] = {1, 4, 4, 4};
    struct output output;
    output_open(&output, 3, NULL, NULL);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 4; i++) {
            alloc(output.domain, 1, stacks[i], lengths[i]);
            alloc(output.domain, 1, NULL, 0);
        }
    output_close(&output);
    struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 4; i++) {
            struct heaptap_event event = next_event(reader);
            assert_stack(reader, &event, stacks[i], lengths[i]);
            assert_int_equal(next_event(reader).stack_length, 0);
        }
    assert_end_and_close(reader, &output.bytes);
}

/* More codes than the cache has room for, three times over, in stacks whose beginnings repeat. */
static void test_evictions(void **state)
{
    enum { CODES = 40000, DEPTH = 20 };
    struct output output;
    output_open(&output, 3, NULL, NULL);
    uint64_t stack[DEPTH];
    for (int round = 0; round < 3; round++)
        for (uint64_t code = 0; code + DEPTH <= CODES; code += DEPTH / 2) {
            for (uint64_t i = 0; i < DEPTH; i++)
                stack[i] = (code + i) * 0x1000;
            alloc(output.domain, 1, stack, DEPTH);
        }
    output_close(&output);
    struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
    for (int round = 0; round < 3; round++)
        for (uint64_t code = 0; code + DEPTH <= CODES; code += DEPTH / 2) {
            struct heaptap_event event = next_event(reader);
            for (uint64_t i = 0; i < DEPTH; i++)
                stack[i] = (code + i) * 0x1000;
            assert_stack(reader, &event, stack, DEPTH);
        }
    assert_end(reader); /* and so every packet's check of the cache held */
    assert_int_equal(heaptap_reader_frame_count(reader), CODES);
    count_packets(&output.bytes);
    heaptap_reader_close(reader);
    bytes_release(&output.bytes);
}

/* The stack `n` of a domain: few codes at first, then ever more. */
static void fill_stack(uint64_t *stack, uint32_t length, uint32_t domain, uint32_t n)
{
    for (uint32_t i = 0; i < length; i++)
        stack[i] = (uint64_t)domain << 20 | (n * (i + 1) % (n < 10 ? 7 : n) + 1) << 4 | i % 3;
}

/* More domains than get a whole cache at once in the reader, and late ones that come to use much
 * of theirs. */
static void test_many_domains(void **state)
{
    enum { DOMAINS = 1040, BUSY = 1030, DEPTH = 9, FEW = 20, MANY = 4000 };
    struct output output;
    uint64_t stack[DEPTH];
    output_open(&output, 3, NULL, NULL);
    for (uint32_t d = 1; d <= DOMAINS; d++) {
        struct heaptap_domain *domain;
        assert_int_equal(heaptap_domain_new(&domain, output.writer, (uint16_t)d, NULL), HEAPTAP_OK);
        for (uint32_t n = 0; n < (d < BUSY ? FEW : MANY); n++) {
            fill_stack(stack, DEPTH, d, n);
            alloc(domain, n, stack, DEPTH);
            if (n % 7 == 6)
                heaptap_domain_flush(domain); /* whose next packet checks a bucket */
        }
        heaptap_domain_free(domain);
    }
    output_close(&output);
    struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
    for (uint32_t d = 1; d <= DOMAINS; d++)
        for (uint32_t n = 0; n < (d < BUSY ? FEW : MANY); n++) {
            struct heaptap_event event = next_event(reader);
            fill_stack(stack, DEPTH, d, n);
            assert_int_equal(event.domain, d);
            assert_stack(reader, &event, stack, DEPTH);
        }
    assert_end_and_close(reader, &output.bytes);
}

static void test_deep_recursion(void **state)
{
    enum { DEPTH = 100000 };
    uint64_t *stack = malloc(DEPTH * sizeof *stack);
    struct output output;
    output_open(&output, 3, NULL, NULL);
    for (int i = 0; i < DEPTH; i++)
        stack[i] = i < 3 ? (uint64_t)i + 50 : 7;
    alloc(output.domain, 1, stack, DEPTH);
    stack[DEPTH - 1] = 8;
    alloc(output.domain, 2, stack, DEPTH);
    output_close(&output);
    count_packets(&output.bytes);
    struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
    struct heaptap_event event = next_event(reader);
    stack[DEPTH - 1] = 7;
    assert_stack(reader, &event, stack, DEPTH);
    event = next_event(reader);
    stack[DEPTH - 1] = 8;
    assert_stack(reader, &event, stack, DEPTH);
    assert_end_and_close(reader, &output.bytes);
    free(stack);
}

/* A stack that cannot fit: its outer frames, the mark, its 64 innermost; and what follows it is
 * sound. */
static void test_deep_distinct(void **state)
{
    enum { DEPTH = 100000, INNERMOST = 64 };
    uint64_t *stack = malloc(DEPTH * sizeof *stack);
    struct output output;
    output_open(&output, 3, NULL, NULL);
    for (int i = 0; i < DEPTH; i++)
        stack[i] = (uint64_t)(i + 1) * 0x9177;
    for (int round = 0; round < 2; round++)
        alloc(output.domain, round, stack, DEPTH);
    alloc(output.domain, 5, stack, 10);
    output_close(&output);
    count_packets(&output.bytes);
    struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
    for (int round = 0; round < 2; round++) {
        struct heaptap_event event = next_event(reader);
        uint32_t kept = 0, length = event.stack_length;
        size_t count;
        while (kept < length && code_at(reader, &event, kept) == stack[kept])
            kept++;
        assert_in_range(kept, 2000, DEPTH);
        assert_int_equal(length, kept + 1 + INNERMOST);
        assert_int_equal(code_at(reader, &event, kept), HEAPTAP_CODE_TRUNCATED);
        const struct heaptap_location *mark =
            heaptap_reader_frame_locations(reader, event.stack[kept], &count);
        assert_int_equal(count, 1);
        assert_string_equal(mark->function, "<truncated>");
        for (uint32_t i = 0; i < INNERMOST; i++)
            assert_int_equal(code_at(reader, &event, kept + 1 + i), stack[DEPTH - INNERMOST + i]);
    }
    struct heaptap_event event = next_event(reader);
    assert_stack(reader, &event, stack, 10);
    assert_end(reader);
    assert_int_equal(heaptap_reader_notes(reader)->shortened_stacks, 0);
    heaptap_reader_close(reader);
    bytes_release(&output.bytes);
    free(stack);
}

/* ---- Locations */

/* Answers out of memory that changes at the next call. */
struct names_given {
    unsigned calls;
    size_t count; /* of locations per code */
    size_t size;  /* of each name */
    char *file, *function;
};

static size_t describe_sized(void *context, uint64_t code, struct heaptap_location *locations,
                             size_t max)
{
    struct names_given *given = context;
    given->calls++;
    assert_true(max >= given->count);
    memset(given->file, 'a' + (int)(code % 26), given->size);
    memset(given->function, 'A' + (int)(code % 26), given->size);
    for (size_t i = 0; i < given->count; i++)
        locations[i] = (struct heaptap_location){given->file, given->function,
                                                 (uint32_t)code + (uint32_t)i, 3, (uint32_t)i + 1};
    return given->count;
}

/* Writes a trace of `codes` codes with names of `size` bytes, and checks what is read of them:
 * `read_size` bytes of each name. */
static void check_names(uint64_t codes, size_t count, size_t size, size_t read_size)
{
    struct names_given given = {.count = count, .size = size};
    struct output output;
    given.file = calloc(1, size + 1);
    given.function = calloc(1, size + 1);
    output_open(&output, 3, describe_sized, &given);
    for (int round = 0; round < 2; round++)
        for (uint64_t code = 1; code <= codes; code++)
            alloc(output.domain, (int64_t)code + 1000 * round, &code, 1);
    output_close(&output);
    assert_int_equal(given.calls, codes);
    count_packets(&output.bytes);
    struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
    for (uint64_t i = 0; i < 2 * codes; i++) {
        struct heaptap_event event = next_event(reader);
        uint64_t code = code_at(reader, &event, 0);
        size_t got;
        const struct heaptap_location *locations =
            heaptap_reader_frame_locations(reader, event.stack[0], &got);
        assert_int_equal(got, count);
        for (size_t k = 0; k < got; k++) {
            assert_int_equal(strlen(locations[k].file), read_size);
            assert_int_equal(strlen(locations[k].function), read_size);
            assert_int_equal(locations[k].line, code + k);
            assert_int_equal(locations[k].start_char, 3);
            assert_int_equal(locations[k].end_char, k + 1);
            if (read_size > 0) {
                assert_int_equal(locations[k].file[read_size - 1], 'a' + (int)(code % 26));
                assert_int_equal(locations[k].function[0], 'A' + (int)(code % 26));
            }
        }
    }
    assert_end(reader);
    assert_int_equal(heaptap_reader_notes(reader)->damaged_locations, 0);
    heaptap_reader_close(reader);
    bytes_release(&output.bytes);
    free(given.file);
    free(given.function);
}

static void test_names(void **state)
{
    check_names(100, 1, 10, 10);
    check_names(100, 3, 40, 40);
    check_names(10, 1, 0, 0);
    check_names(10, 0, 5, 0);
}

static void test_names_of_10_kb(void **state)
{
    check_names(40, 1, 10000, 10000);
}

/* One location's names can take nearly all of a packet; beyond, they are cut alike. */
static void test_names_too_long(void **state)
{
    check_names(3, 1, 40000, (32768 - 68 - 13 - 8) / 2);
}

static void test_255_locations(void **state)
{
    check_names(40, 255, 12, 12);
    check_names(2, 255, 10000, (32768 - 68 - 13 - 255 * 8) / 510);
}

static size_t describe_wide(void *context, uint64_t code, struct heaptap_location *locations,
                            size_t max)
{
    locations[0] = (struct heaptap_location){"f", "g", 1 << 20, 256, 1024};
    locations[1] = (struct heaptap_location){"f", "g", (1 << 20) - 1, 255, 1023};
    locations[2] = (struct heaptap_location){NULL, NULL, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    return 3;
}

/* Numbers too large for their fields become the largest there is, and disturb nothing. */
static void test_wide_numbers(void **state)
{
    const uint64_t code = 99;
    struct output output;
    size_t count;
    output_open(&output, 2, describe_wide, NULL);
    alloc(output.domain, 1, &code, 1);
    output_close(&output);
    struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
    struct heaptap_event event = next_event(reader);
    const struct heaptap_location *locations =
        heaptap_reader_frame_locations(reader, event.stack[0], &count);
    assert_int_equal(count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(locations[i].line, (1 << 20) - 1);
        assert_int_equal(locations[i].start_char, 255);
        assert_int_equal(locations[i].end_char, 1023);
        assert_string_equal(locations[i].file, i < 2 ? "f" : "");
        assert_string_equal(locations[i].function, i < 2 ? "g" : "");
    }
    assert_end_and_close(reader, &output.bytes);
}

static size_t describe_accents(void *context, uint64_t code, struct heaptap_location *locations,
                               size_t max)
{
    for (size_t i = 0; i < 255; i++)
        locations[i] = (struct heaptap_location){context, context, 1, 1, 1};
    return 255;
}

/* A name that is cut is not cut inside a character. */
static void test_utf8_cut(void **state)
{
    const uint64_t code = 1;
    static char name[3001];
    struct output output;
    size_t count;
    for (int i = 0; i < 1000; i++)
        memcpy(name + 3 * i, "\xe2\x82\xac", 3);
    for (int shift = 0; shift < 3; shift++) {
        name[0] = 'x';
        output_open(&output, 3, describe_accents, name + (shift ? shift + 2 : 0));
        alloc(output.domain, 1, &code, 1);
        output_close(&output);
        struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
        struct heaptap_event event = next_event(reader);
        const struct heaptap_location *location =
            heaptap_reader_frame_locations(reader, event.stack[0], &count);
        size_t size = strlen(location->file);
        assert_in_range(size, 50, 100);
        assert_memory_equal(location->file + size - 3, "\xe2\x82\xac", 3);
        heaptap_reader_close(reader);
        bytes_release(&output.bytes);
    }
}

/* More files than the table of recent ones holds, each with more functions than its own. */
struct many {
    char file[32], function[32];
};

static size_t describe_many(void *context, uint64_t code, struct heaptap_location *locations,
                            size_t max)
{
    struct many *many = context;
    snprintf(many->file, sizeof many->file, "file%d", (int)(code % 45));
    snprintf(many->function, sizeof many->function, "fun%d", (int)(code / 45 % 40));
    locations[0] = (struct heaptap_location){many->file, many->function, (uint32_t)code, 1, 2};
    return 1;
}

static void test_tables_overflow(void **state)
{
    enum { CODES = 10000 };
    struct many many;
    struct output output;
    output_open(&output, 3, describe_many, &many);
    for (uint64_t i = 0; i < CODES; i++) {
        uint64_t code = i * i * 7 % 40009;
        alloc(output.domain, 1, &code, 1);
    }
    output_close(&output);
    struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
    for (uint64_t i = 0; i < CODES; i++) {
        struct heaptap_event event = next_event(reader);
        struct heaptap_location expected;
        size_t count;
        const struct heaptap_location *location =
            heaptap_reader_frame_locations(reader, event.stack[0], &count);
        assert_int_equal(count, 1);
        describe_many(&many, i * i * 7 % 40009, &expected, 1);
        assert_string_equal(location->file, expected.file);
        assert_string_equal(location->function, expected.function);
        assert_int_equal(location->line, expected.line);
    }
    assert_end(reader);
    assert_int_equal(heaptap_reader_notes(reader)->location_conflicts, 0);
    heaptap_reader_close(reader);
    bytes_release(&output.bytes);
}

/* ---- Packets */

/* The end id of the trace's last packet. */
static uint64_t last_packet_end_id(const struct bytes *bytes)
{
    size_t at = 0, size;
    while (at + (size = bytes_get(bytes, at + 4, 4) / 8) < bytes->size)
        at += size;
    return bytes_get(bytes, at + FORMAT_HEADER_BYTES_DOMAIN - 8, 8);
}

/* Before a domain promotes a block whose id is not below its next one, it takes higher ids: memtrace's
 * reader wants it so.  A block's end may have any id. */
static void test_promotion_of_higher_id(void **state)
{
    enum { CHUNK = 10000 };
    struct output output;
    struct heaptap_domain *other;
    output_open(&output, 3, NULL, NULL);
    assert_int_equal(alloc(output.domain, 0, NULL, 0), 0);
    assert_int_equal(heaptap_domain_new(&other, output.writer, 1, NULL), HEAPTAP_OK);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(alloc(other, 1, NULL, 0), CHUNK + i);
    heaptap_domain_free(other);
    heaptap_domain_collect(output.domain, BUILD_START_US + 2, CHUNK);
    assert_int_equal(alloc(output.domain, 3, NULL, 0), 1);
    heaptap_domain_promote(output.domain, BUILD_START_US + 4, CHUNK + 1);
    heaptap_domain_promote(output.domain, BUILD_START_US + 5, CHUNK + 2);
    assert_int_equal(alloc(output.domain, 6, NULL, 0), 2 * CHUNK);
    heaptap_domain_promote(output.domain, BUILD_START_US + 7, UINT64_C(1) << 40);
    heaptap_domain_flush(output.domain);
    assert_int_equal(last_packet_end_id(&output.bytes), (UINT64_C(1) << 40) + 1);
    assert_int_equal(alloc(output.domain, 8, NULL, 0), 4 * CHUNK);
    output_close(&output);
    static const uint64_t ids[] = {CHUNK,    CHUNK + 1, CHUNK + 2, 0,         CHUNK,
                                   1,        CHUNK + 1, CHUNK + 2, 2 * CHUNK, UINT64_C(1) << 40,
                                   4 * CHUNK};
    struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        assert_int_equal(next_event(reader).id, ids[i]);
    assert_end_and_close(reader, &output.bytes);
}

static void test_30_seconds(void **state)
{
    struct output output;
    const int64_t span = 30000000;
    const int64_t times[] = {0, span, span + 1, 2 * span + 1, 200 * span, INT64_C(1) << 50};
    output_open(&output, 3, NULL, NULL);
    for (int i = 0; i < 6; i++)
        alloc(output.domain, times[i], NULL, 0);
    output_close(&output);
    assert_int_equal(count_packets(&output.bytes), 1 + 4);
    struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
    for (int i = 0; i < 6; i++)
        assert_int_equal(next_event(reader).time_us, times[i]);
    assert_end_and_close(reader, &output.bytes);
}

/* Clocks that step back, by a little, by an hour, to before the trace, and to the ends of time. */
static void test_clock_steps(void **state)
{
    static const int64_t times[] = {10000000, 9999999,   9999999 - 3600000000,
                                    -5,       100,       INT64_MAX - BUILD_START_US,
                                    0,        INT64_MIN, 7};
    enum { COUNT = sizeof times / sizeof *times };
    struct output output;
    output_open(&output, 3, NULL, NULL);
    for (size_t i = 0; i < COUNT; i++) {
        struct heaptap_allocation allocation = {.length = 1, .samples = 1};
        heaptap_domain_alloc(output.domain,
                             (int64_t)((uint64_t)BUILD_START_US + (uint64_t)times[i]), &allocation);
    }
    output_close(&output);
    struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
    for (size_t i = 0; i < COUNT; i++)
        assert_true(next_event(reader).time_us == times[i]);
    assert_end_and_close(reader, &output.bytes);
}

/* Ids come in chunks, each domain's its own. */
static void test_id_chunks(void **state)
{
    enum { CHUNK = 10000 };
    struct output output;
    struct heaptap_domain *other;
    output_open(&output, 3, NULL, NULL);
    assert_int_equal(heaptap_domain_new(&other, output.writer, 1, NULL), HEAPTAP_OK);
    for (uint64_t i = 0; i < CHUNK; i++) {
        assert_int_equal(alloc(output.domain, (int64_t)i, NULL, 0), i);
        if (i < 10)
            assert_int_equal(alloc(other, (int64_t)i, NULL, 0), CHUNK + i);
    }
    assert_int_equal(alloc(output.domain, CHUNK, NULL, 0), 2 * CHUNK);
    assert_int_equal(alloc(other, CHUNK, NULL, 0), CHUNK + 10);
    heaptap_domain_collect(other, BUILD_START_US + CHUNK, 2 * CHUNK);
    heaptap_domain_free(other);
    output_close(&output);
    struct heaptap_reader *reader = open_bytes(&output.bytes, &in_true_order);
    uint64_t next[2] = {0, CHUNK};
    for (int i = 0; i < CHUNK + 12; i++) {
        struct heaptap_event event = next_event(reader);
        assert_int_equal(event.kind, HEAPTAP_ALLOC);
        if (event.domain == 0 && next[0] == CHUNK)
            next[0] = 2 * CHUNK;
        assert_int_equal(event.id, next[event.domain]++);
    }
    struct heaptap_event last = next_event(reader);
    assert_int_equal(last.kind, HEAPTAP_COLLECT);
    assert_int_equal(last.domain, 1);
    assert_int_equal(last.id, 2 * CHUNK);
    assert_end_and_close(reader, &output.bytes);
}

static void test_alloc_as(void **state)
{
    static const uint64_t ids[] = {0, 1, 2, 1000, 1001, 7, UINT64_C(1) << 60};
    struct output output;
    output_open(&output, 2, NULL, NULL);
    for (int i = 0; i < 7; i++) {
        struct heaptap_allocation allocation = {.length = 1, .samples = 1};
        heaptap_domain_alloc_as(output.domain, BUILD_START_US + i, ids[i], &allocation);
        heaptap_domain_collect(output.domain, BUILD_START_US + i, ids[6 - i]);
    }
    output_close(&output);
    struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
    for (int i = 0; i < 7; i++) {
        assert_int_equal(next_event(reader).id, ids[i]);
        assert_int_equal(next_event(reader).id, ids[6 - i]);
    }
    assert_end_and_close(reader, &output.bytes);
}

static void test_flush(void **state)
{
    const uint64_t code = 3;
    struct output output;
    output_open(&output, 3, NULL, NULL);
    size_t before = output.bytes.size;
    heaptap_domain_flush(output.domain);
    assert_int_equal(output.bytes.size, before);
    alloc(output.domain, 1, &code, 1);
    assert_int_equal(output.bytes.size, before);
    heaptap_domain_flush(output.domain);
    assert_true(output.bytes.size > before);
    struct heaptap_reader *reader = open_bytes(&output.bytes, NULL);
    struct heaptap_event event = next_event(reader);
    assert_int_equal(code_at(reader, &event, 0), 3);
    assert_end(reader);
    heaptap_reader_close(reader);
    before = output.bytes.size;
    output_close(&output);
    assert_int_equal(output.bytes.size, before);
    heaptap_domain_free(NULL);
    heaptap_writer_free(NULL);
    bytes_release(&output.bytes);
}

/* ---- Failures */

struct failing {
    unsigned calls, fail_at;
    int code;
};

static int failing_write(void *context, const void *data, size_t size)
{
    struct failing *failing = context;
    return ++failing->calls >= failing->fail_at ? failing->code++ : 0;
}

static void test_sink_fails_at_once(void **state)
{
    struct failing failing = {.fail_at = 1, .code = ENOSPC};
    struct heaptap_writer_options options = {.sink = {failing_write, &failing}};
    struct heaptap_writer *writer;
    struct heaptap_error error = {0};
    assert_int_equal(heaptap_writer_new(&writer, &sample_info, &options, &error), HEAPTAP_SYSTEM);
    assert_null(writer);
    assert_int_equal(error.system_errno, ENOSPC);
}

/* The first failure is kept, and the sink not called again. */
static void test_sink_fails_later(void **state)
{
    struct failing failing = {.fail_at = 3, .code = ENOSPC};
    struct heaptap_writer_options options = {.sink = {failing_write, &failing}};
    struct heaptap_writer *writer;
    struct heaptap_domain *domain;
    assert_int_equal(heaptap_writer_new(&writer, &sample_info, &options, NULL), HEAPTAP_OK);
    assert_int_equal(heaptap_domain_new(&domain, writer, 0, NULL), HEAPTAP_OK);
    alloc(domain, 1, NULL, 0);
    heaptap_domain_flush(domain);
    assert_int_equal(heaptap_writer_errno(writer), 0);
    for (int i = 0; i < 3; i++) {
        alloc(domain, 2, NULL, 0);
        heaptap_domain_flush(domain);
        assert_int_equal(heaptap_writer_errno(writer), ENOSPC);
    }
    heaptap_domain_free(domain);
    heaptap_writer_free(writer);
    assert_int_equal(failing.calls, 3);
}

static void test_sink_fd(void **state)
{
    struct heaptap_sink sink = heaptap_sink_fd(-1);
    errno = 12345;
    assert_int_equal(sink.write(sink.context, "x", 1), EBADF);
    assert_int_equal(errno, 12345);
    FILE *file = tmpfile();
    sink = heaptap_sink_fd(fileno(file));
    assert_int_equal(sink.write(sink.context, "abc", 3), 0);
    assert_int_equal(sink.write(sink.context, "de", 2), 0);
    char got[8] = "";
    rewind(file);
    assert_int_equal(fread(got, 1, sizeof got, file), 5);
    assert_string_equal(got, "abcde");
    fclose(file);
}

/* A forked child has the writer, but writes nothing into its parent's trace. */
static void test_fork(void **state)
{
    FILE *file = tmpfile();
    struct heaptap_writer_options options = {.sink = heaptap_sink_fd(fileno(file))};
    struct heaptap_writer *writer;
    struct heaptap_domain *domain;
    assert_int_equal(heaptap_writer_new(&writer, &sample_info, &options, NULL), HEAPTAP_OK);
    assert_int_equal(heaptap_domain_new(&domain, writer, 0, NULL), HEAPTAP_OK);
    alloc(domain, 1, NULL, 0);
    off_t before = lseek(fileno(file), 0, SEEK_CUR);
    pid_t child = fork();
    if (child == 0) {
        alloc(domain, 2, NULL, 0);
        heaptap_domain_flush(domain);
        int code = heaptap_writer_errno(writer);
        heaptap_domain_free(domain);
        heaptap_writer_free(writer);
        _exit(code == ECHILD ? 42 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
    assert_int_equal(lseek(fileno(file), 0, SEEK_CUR), before);
    heaptap_domain_free(domain);
    assert_int_equal(heaptap_writer_errno(writer), 0);
    heaptap_writer_free(writer);
    assert_true(lseek(fileno(file), 0, SEEK_CUR) > before);
    fclose(file);
}

int main(void)
{
    return RUN_TESTS(test_info, test_versions_refused, test_info_bounds, test_nothing_given,
                     test_allocation_bounds, test_no_stack, test_domain_numbers, test_info_texts,
                     test_events, test_shared, test_parted, test_code_zero, test_evictions,
                     test_many_domains, test_deep_recursion, test_deep_distinct, test_names,
                     test_names_of_10_kb, test_names_too_long, test_255_locations,
                     test_wide_numbers, test_utf8_cut, test_tables_overflow,
                     test_promotion_of_higher_id, test_30_seconds, test_clock_steps, test_id_chunks,
                     test_alloc_as, test_flush, test_sink_fails_at_once, test_sink_fails_later,
                     test_sink_fd, test_fork);
}
