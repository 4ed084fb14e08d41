/* What real traces do though the format's description doesn't say so: every case built by hand. */
#include "unit/unit.h"

static size_t start_packet(struct bytes *bytes, unsigned version, int64_t begin_us, int64_t end_us,
                           uint64_t first_id, uint64_t end_id)
{
    struct build_header of = packet_header(0, begin_us, end_us, first_id, end_id);
    of.version = version;
    return build_packet(bytes, &of);
}

/* Version 1 has no context, and the word in its place belongs to nothing. */
static void test_context_by_version(void **state)
{
    for (unsigned version = 1; version <= 3; version++) {
        struct bytes bytes = {0};
        build_info(&bytes, version);
        struct heaptap_reader *reader = open_bytes(&bytes, NULL);
        const struct heaptap_trace_info *info = heaptap_reader_info(reader);
        assert_int_equal(info->version, version);
        assert_string_equal(info->context, version >= 2 ? "ctx" : "");
        assert_string_equal(info->executable, "prog");
        assert_string_equal(info->host, "host");
        assert_string_equal(info->runtime_params, "b");
        assert_true(info->sample_rate == 0.01);
        assert_int_equal(info->word_bits, 64);
        assert_int_equal(info->pid, BUILD_PID);
        assert_int_equal(info->start_us, BUILD_START_US);
        assert_end_and_close(reader, &bytes);
    }
}

/* Version 1's writer gave a new file the function table of the file that it pushed out: after 31
 * files, the 32nd finds the functions of the first. */
static void test_version_1_tables(void **state)
{
    struct bytes bytes = trace_of_info(1);
    char name[16];
    size_t count;
    size_t packet = start_packet(&bytes, 1, 0, 0, 0, 0);
    for (unsigned i = 0; i < 31; i++) {
        snprintf(name, sizeof name, "file%u", i);
        build_location(&bytes, 0, 1000 + i, 1);
        build_place(&bytes, i, 0, 0, BUILD_NEW_NAME, name, BUILD_NEW_NAME, i ? "other" : "first");
    }
    build_location(&bytes, 0, 2000, 1);
    build_place(&bytes, 5, 0, 0, BUILD_NEW_NAME, "file31", 0, NULL);
    build_end(&bytes, packet);
    struct heaptap_reader *reader = open_bytes(&bytes, NULL);
    assert_end(reader);
    const struct heaptap_location *location = locations_of(reader, 2000, &count);
    assert_int_equal(count, 1);
    assert_string_equal(location->file, "file31");
    assert_string_equal(location->function, "first");
    assert_int_equal(heaptap_reader_notes(reader)->damaged_locations, 0);
    heaptap_reader_close(reader);
    bytes_release(&bytes);
}

/* Numbers of every size, and deltas below 0, which the 32-bit form holds with its sign. */
static void test_deltas(void **state)
{
    static const int64_t deltas[] = {0,         252,       253,       65535,
                                     65536,     INT32_MAX, -1,        -300,
                                     INT32_MIN, INT64_MAX, INT64_MIN, (int64_t)INT32_MAX + 1};
    enum { COUNT = sizeof deltas / sizeof *deltas };
    const uint64_t first = UINT64_C(1) << 40;
    struct bytes bytes = trace_of_info(2);
    size_t packet = start_packet(&bytes, 2, 0, 9, first, first);
    for (size_t i = 0; i < COUNT; i++)
        build_collect(&bytes, 9, deltas[i]);
    build_end(&bytes, packet);
    struct heaptap_reader *reader = open_bytes(&bytes, NULL);
    for (size_t i = 0; i < COUNT; i++) {
        struct heaptap_event event = next_event(reader);
        assert_int_equal(event.kind, HEAPTAP_COLLECT);
        assert_int_equal(event.id, first - 1 - (uint64_t)deltas[i]);
    }
    assert_end_and_close(reader, &bytes);
}

/* The long forms of small numbers are as good. */
static void test_long_forms(void **state)
{
    static const uint8_t forms[4][10] = {
        {7}, {253, 7, 0}, {254, 7, 0, 0, 0}, {255, 7, 0, 0, 0, 0, 0, 0, 0}};
    static const size_t sizes[4] = {1, 3, 5, 9};
    struct bytes bytes = trace_of_info(2);
    size_t packet = start_packet(&bytes, 2, 0, 9, 100, 100);
    for (int i = 0; i < 4; i++) {
        build_event(&bytes, 3, 9);
        bytes_append(&bytes, forms[i], sizes[i]);
    }
    build_end(&bytes, packet);
    struct heaptap_reader *reader = open_bytes(&bytes, NULL);
    for (int i = 0; i < 4; i++) {
        struct heaptap_event event = next_event(reader);
        assert_int_equal(event.kind, HEAPTAP_PROMOTE);
        assert_int_equal(event.id, 92);
    }
    assert_end_and_close(reader, &bytes);
}

/* A packet of another process is skipped whole, whatever is in it. */
static void test_foreign_packet(void **state)
{
    struct bytes bytes = trace_of_info(2);
    struct build_header foreign = {.version = 2, .pid = 1, .begin_us = 5, .end_us = 6, .end_id = 9};
    size_t packet = build_packet(&bytes, &foreign);
    for (int i = 0; i < 100; i++)
        bytes_number(&bytes, UINT64_MAX, 8);
    build_end(&bytes, packet);
    packet = start_packet(&bytes, 2, 7, 7, 0, 1);
    build_short(&bytes, 7, 4, 0, 0);
    build_end(&bytes, packet);
    for (int order = 0; order < 2; order++) {
        struct heaptap_reader *reader = open_bytes(&bytes, order ? &in_true_order : NULL);
        assert_int_equal(next_event(reader).time_us, 7);
        assert_end(reader);
        assert_int_equal(heaptap_reader_notes(reader)->foreign_packets, 1);
        assert_int_equal(heaptap_reader_notes(reader)->packets, 1);
        heaptap_reader_close(reader);
    }
    bytes_release(&bytes);
}

/* A prefix longer than the last stack: its writer had to shorten that; it is kept as it is. */
static void test_long_prefix(void **state)
{
    struct bytes bytes = trace_of_info(2);
    size_t packet = start_packet(&bytes, 2, 0, 9, 0, 3);
    build_short(&bytes, 1, 1, 0, 2);
    build_miss(&bytes, 10, 0xa);
    build_miss(&bytes, 11, 0xb);
    build_short(&bytes, 2, 1, 5, 1);
    build_miss(&bytes, 12, 0xc);
    build_short(&bytes, 3, 1, 1, 1);
    build_hit(&bytes, 12, 0);
    build_end(&bytes, packet);
    struct heaptap_reader *reader = open_bytes(&bytes, NULL);
    assert_int_equal(next_event(reader).stack_length, 2);
    struct heaptap_event event = next_event(reader);
    assert_int_equal(event.common_prefix, 5);
    assert_int_equal(event.stack_length, 2);
    assert_int_equal(event.stack_shared, 2);
    assert_int_equal(code_at(reader, &event, 0), 0xa);
    assert_int_equal(code_at(reader, &event, 1), 0xb);
    event = next_event(reader); /* the cache has learnt 0xc all the same */
    assert_int_equal(event.stack_length, 2);
    assert_int_equal(event.stack_shared, 1);
    assert_int_equal(code_at(reader, &event, 1), 0xc);
    assert_end(reader);
    assert_int_equal(heaptap_reader_notes(reader)->shortened_stacks, 1);
    heaptap_reader_close(reader);
    bytes_release(&bytes);
}

/* Writers that let a wide end_char spill into the file's code: names point at empty places, or
 * strings lack their end; the events are not touched by it. */
static void test_damaged_locations(void **state)
{
    struct bytes bytes = trace_of_info(2);
    size_t count;
    size_t packet = start_packet(&bytes, 2, 0, 0, 0, 0);
    build_location(&bytes, 0, 0x50, 1);
    build_place(&bytes, 8, 2, 4, 3, NULL, 4, NULL);
    size_t second = bytes.size;
    build_location(&bytes, 0, 0x51, 1);
    bytes_number(&bytes, UINT64_C(31) << 38 | UINT64_C(31) << 43, 6);
    bytes_append(&bytes, "no end", 6);
    build_end(&bytes, packet);
    packet = start_packet(&bytes, 2, 0, 1, 0, 1);
    build_short(&bytes, 1, 1, 0, 2);
    build_miss(&bytes, 10, 0x50);
    build_miss(&bytes, 11, 0x51);
    build_end(&bytes, packet);
    for (int order = 0; order < 2; order++) {
        struct heaptap_reader *reader = open_bytes(&bytes, order ? &in_true_order : NULL);
        struct heaptap_event event = next_event(reader);
        assert_int_equal(event.stack_length, 2);
        const struct heaptap_location *location =
            heaptap_reader_frame_locations(reader, event.stack[0], &count);
        assert_int_equal(count, 1);
        assert_string_equal(location->file, "<unknown>");
        assert_string_equal(location->function, "??");
        assert_int_equal(location->line, 8);
        heaptap_reader_frame_locations(reader, event.stack[1], &count);
        assert_int_equal(count, 0);
        assert_end(reader);
        const struct heaptap_reader_notes *notes = heaptap_reader_notes(reader);
        assert_int_equal(notes->damaged_locations, 1);
        assert_int_equal(notes->damaged_location_offset, second);
        heaptap_reader_close(reader);
    }
    bytes_release(&bytes);
}

/* A code described twice: the first description holds; the same again is no conflict. */
static void test_conflicting_locations(void **state)
{
    struct bytes bytes = trace_of_info(2);
    size_t count;
    size_t packet = start_packet(&bytes, 2, 0, 0, 0, 0);
    build_location(&bytes, 0, 0x50, 1);
    build_place(&bytes, 1, 2, 3, BUILD_NEW_NAME, "f", BUILD_NEW_NAME, "g");
    build_location(&bytes, 0, 0x50, 1);
    build_place(&bytes, 1, 2, 3, 0, NULL, 0, NULL);
    build_location(&bytes, 0, 0x50, 1);
    build_place(&bytes, 9, 2, 3, 0, NULL, 0, NULL);
    build_location(&bytes, 0, 0x50, 0);
    build_end(&bytes, packet);
    struct heaptap_reader *reader = open_bytes(&bytes, NULL);
    assert_end(reader);
    assert_int_equal(locations_of(reader, 0x50, &count)->line, 1);
    assert_int_equal(count, 1);
    assert_int_equal(heaptap_reader_notes(reader)->location_conflicts, 2);
    heaptap_reader_close(reader);
    bytes_release(&bytes);
}

/* One packet whose events happen at these times. */
static void build_times(struct bytes *bytes, const int64_t *times, size_t count, int64_t begin_us,
                        int64_t end_us)
{
    size_t packet = start_packet(bytes, 2, begin_us, end_us, 50, 50);
    for (size_t i = 0; i < count; i++)
        build_collect(bytes, times[i], 1);
    build_end(bytes, packet);
}

static void assert_times(const struct bytes *bytes, const int64_t *times, size_t count,
                         uint64_t steps)
{
    struct heaptap_reader *reader = open_bytes(bytes, NULL);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(next_event(reader).time_us, times[i]);
    assert_end(reader);
    assert_int_equal(heaptap_reader_notes(reader)->clock_steps, steps);
    heaptap_reader_close(reader);
}

#define SECONDS INT64_C(1000000)

/* Where the clock is set back: one step, and times as they were told. */
static void test_clock_steps(void **state)
{
    static const struct {
        const char *where;
        size_t first, count; /* times of the first packet, and of both */
        int64_t times[5];
    } steps[] = {
        {"inside a packet", 5, 5, {100, 2000, 1500, 1600, 3000}},
        {"before where the packet begins", 5, 5, {5000, 6000, 100, 200, 250}},
        {"by an hour inside a packet",
         5,
         5,
         {4000 * SECONDS, 4001 * SECONDS, 401 * SECONDS, 402 * SECONDS, 410 * SECONDS}},
        {"by an hour between packets",
         2,
         4,
         {4000 * SECONDS, 4001 * SECONDS, 401 * SECONDS, 402 * SECONDS}},
        {"to before the trace began", 1, 3, {10, -5 * SECONDS, -4 * SECONDS}},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const int64_t *times = steps[i].times;
        size_t first = steps[i].first, count = steps[i].count;
        struct bytes bytes = trace_of_info(2);
        print_message("# %s\n", steps[i].where);
        build_times(&bytes, times, first, times[0], times[first - 1]);
        if (count > first)
            build_times(&bytes, times + first, count - first, times[first], times[count - 1]);
        assert_times(&bytes, times, count, 1);
        bytes_release(&bytes);
    }
}

/* The 25 bits of an event's time pass their end within a packet. */
static void test_time_wraps(void **state)
{
    const int64_t edge = (INT64_C(1) << 25) - (BUILD_START_US & ((1 << 25) - 1));
    const int64_t times[] = {edge - 2, edge - 1, edge, edge + 1, edge + 29 * SECONDS};
    struct bytes bytes = trace_of_info(2);
    build_times(&bytes, times, 5, edge - 2, edge + 29 * SECONDS);
    assert_times(&bytes, times, 5, 0);
    bytes_release(&bytes);
}

static void test_empty_stack(void **state)
{
    struct bytes bytes = trace_of_info(2);
    size_t packet = start_packet(&bytes, 2, 0, 2, 0, 2);
    build_short(&bytes, 1, 16, 0, 0);
    build_alloc(&bytes, 2, 0, 1, HEAPTAP_EXTERNAL, 0, 0);
    build_end(&bytes, packet);
    struct heaptap_reader *reader = open_bytes(&bytes, NULL);
    struct heaptap_event event = next_event(reader);
    assert_int_equal(event.stack_length, 0);
    assert_int_equal(event.length, 16);
    assert_int_equal(event.source, HEAPTAP_MINOR);
    event = next_event(reader);
    assert_int_equal(event.stack_length, 0);
    assert_int_equal(event.length, 0);
    assert_int_equal(event.source, HEAPTAP_EXTERNAL);
    assert_end_and_close(reader, &bytes);
}

/* Empty buckets hold code 0 on both sides, so that a hit on one stands for it. */
static void test_code_zero_in_empty_bucket(void **state)
{
    struct bytes bytes = trace_of_info(2);
    size_t packet = start_packet(&bytes, 2, 0, 1, 0, 1);
    build_short(&bytes, 1, 1, 0, 1);
    build_hit(&bytes, 999, 3); /* whose guesses all lead to bucket 0, empty as well */
    build_end(&bytes, packet);
    struct heaptap_reader *reader = open_bytes(&bytes, NULL);
    struct heaptap_event event = next_event(reader);
    assert_int_equal(event.stack_length, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(code_at(reader, &event, i), 0);
    assert_end_and_close(reader, &bytes);
}

int main(void)
{
    return RUN_TESTS(test_context_by_version, test_version_1_tables, test_deltas, test_long_forms,
                     test_foreign_packet, test_long_prefix, test_damaged_locations,
                     test_conflicting_locations, test_clock_steps, test_time_wraps,
                     test_empty_stack, test_code_zero_in_empty_bucket);
}
