/* Several domains: file order, true order, and what both must agree on. */
#include "unit/golden.h"
#include "unit/unit.h"

#include "helpers/rewrite.h"

static void put_one_miss(struct bytes *bytes, int64_t time_us, unsigned length, uint64_t code)
{
    build_short(bytes, time_us, length, 0, 1);
    build_miss(bytes, 7, code);
}

/* A packet with that allocation alone. */
static void put_packet_of_one(struct bytes *bytes, const struct build_header *header,
                              int64_t time_us, unsigned length, uint64_t code)
{
    size_t packet = build_packet(bytes, header);
    put_one_miss(bytes, time_us, length, code);
    build_end(bytes, packet);
}

/* Domain 1 ends at 50 a block that domain 0, later in the file, makes at 20. */
static void build_crossing(struct bytes *bytes)
{
    build_info(bytes, 3);
    struct build_header one = packet_header(1, 50, 60, 100, 101),
                        zero = packet_header(0, 10, 70, 0, 2);
    size_t packet = build_packet(bytes, &one);
    build_collect(bytes, 50, 99 - 1);
    put_one_miss(bytes, 60, 2, 0x11);
    build_end(bytes, packet);
    packet = build_packet(bytes, &zero);
    put_one_miss(bytes, 10, 1, 0x10);
    put_one_miss(bytes, 20, 3, 0x12);
    build_promote(bytes, 70, 1 - 100);
    build_end(bytes, packet);
}

static void test_file_order(void **state)
{
    struct bytes bytes = {0};
    build_crossing(&bytes);
    struct heaptap_reader *reader = open_bytes(&bytes, &in_file_order);
    struct heaptap_event event = next_event(reader);
    assert_int_equal(event.kind, HEAPTAP_COLLECT);
    assert_int_equal(event.id, 1);
    assert_int_equal(event.domain, 1);
    event = next_event(reader);
    assert_int_equal(event.id, 100);
    event = next_event(reader);
    assert_int_equal(event.id, 0);
    assert_int_equal(event.domain, 0);
    event = next_event(reader);
    assert_int_equal(event.id, 1);
    assert_int_equal(event.length, 3);
    event = next_event(reader);
    assert_int_equal(event.kind, HEAPTAP_PROMOTE);
    assert_int_equal(event.id, 100);
    assert_int_equal(event.domain, 0);
    assert_end_and_close(reader, &bytes);
}

static void test_true_order(void **state)
{
    static const struct {
        enum heaptap_event_kind kind;
        uint16_t domain;
        int64_t time_us;
        uint64_t id;
    } expected[] = {
        {HEAPTAP_ALLOC, 0, 10, 0},   {HEAPTAP_ALLOC, 0, 20, 1},     {HEAPTAP_COLLECT, 1, 50, 1},
        {HEAPTAP_ALLOC, 1, 60, 100}, {HEAPTAP_PROMOTE, 0, 70, 100},
    };
    struct bytes bytes = {0};
    build_crossing(&bytes);
    struct heaptap_reader *reader = open_bytes(&bytes, &in_true_order);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct heaptap_event event = next_event(reader);
        assert_int_equal(event.kind, expected[i].kind);
        assert_int_equal(event.domain, expected[i].domain);
        assert_int_equal(event.time_us, expected[i].time_us);
        assert_int_equal(event.id, expected[i].id);
    }
    assert_end_and_close(reader, &bytes);
}

/* At one and the same time, the block comes first, then its promotion, then its end. */
static void test_ties(void **state)
{
    struct bytes bytes = trace_of_info(3);
    struct build_header one = packet_header(1, 5, 5, 9, 9), two = packet_header(2, 5, 5, 0, 1),
                        three = packet_header(3, 5, 5, 9, 9);
    size_t packet = build_packet(&bytes, &one);
    build_collect(&bytes, 5, 8);
    build_end(&bytes, packet);
    put_packet_of_one(&bytes, &two, 5, 1, 0x10);
    packet = build_packet(&bytes, &three);
    build_promote(&bytes, 5, 8);
    build_end(&bytes, packet);
    struct heaptap_reader *reader = open_bytes(&bytes, &in_true_order);
    assert_int_equal(next_event(reader).kind, HEAPTAP_ALLOC);
    assert_int_equal(next_event(reader).kind, HEAPTAP_PROMOTE);
    assert_int_equal(next_event(reader).kind, HEAPTAP_COLLECT);
    assert_end_and_close(reader, &bytes);
}

/* A domain whose clock steps back keeps its order. */
static void test_step_keeps_order(void **state)
{
    struct bytes bytes = trace_of_info(3);
    struct build_header late = packet_header(0, 100, 100, 0, 1),
                        early = packet_header(0, 40, 40, 1, 2),
                        other = packet_header(1, 60, 120, 10, 12);
    put_packet_of_one(&bytes, &late, 100, 1, 0x10);
    put_packet_of_one(&bytes, &early, 40, 1, 0x10);
    size_t packet = build_packet(&bytes, &other);
    put_one_miss(&bytes, 60, 1, 0x10);
    put_one_miss(&bytes, 120, 1, 0x10);
    build_end(&bytes, packet);
    struct heaptap_reader *reader = open_bytes(&bytes, &in_true_order);
    assert_int_equal(next_event(reader).id, 10);
    assert_int_equal(next_event(reader).id, 0);
    struct heaptap_event stepped = next_event(reader);
    assert_int_equal(stepped.id, 1);
    assert_int_equal(stepped.time_us, 40);
    assert_int_equal(next_event(reader).id, 11);
    assert_end(reader);
    assert_int_equal(heaptap_reader_notes(reader)->clock_steps, 1);
    heaptap_reader_close(reader);
    bytes_release(&bytes);
}

/* Domain 0 describes a code late in its time that domain 1 has used before. */
static void test_shared_names(void **state)
{
    struct bytes bytes = trace_of_info(3);
    struct build_header names = packet_header(0, 900, 900, 0, 0),
                        user = packet_header(1, 5, 5, 0, 1);
    size_t packet = build_packet(&bytes, &names);
    build_location(&bytes, 900, 0xabc, 1);
    build_place(&bytes, 12, 3, 9, BUILD_NEW_NAME, "f.ml", BUILD_NEW_NAME, "F.g");
    build_end(&bytes, packet);
    put_packet_of_one(&bytes, &user, 5, 1, 0xabc);
    for (int order = 0; order < 2; order++) {
        struct heaptap_reader *reader = open_bytes(&bytes, order ? &in_true_order : &in_file_order);
        size_t count;
        struct heaptap_event event = next_event(reader);
        const struct heaptap_location *location =
            heaptap_reader_frame_locations(reader, event.stack[0], &count);
        assert_int_equal(count, 1);
        assert_string_equal(location->file, "f.ml");
        assert_string_equal(location->function, "F.g");
        assert_int_equal(location->line, 12);
        assert_end(reader);
        heaptap_reader_close(reader);
    }
    bytes_release(&bytes);
}

static void assert_same_notes(const struct heaptap_reader_notes *a,
                              const struct heaptap_reader_notes *b)
{
    assert_int_equal(a->bytes, b->bytes);
    assert_int_equal(a->packets, b->packets);
    assert_int_equal(a->foreign_packets, b->foreign_packets);
    assert_int_equal(a->clock_steps, b->clock_steps);
    assert_int_equal(a->shortened_stacks, b->shortened_stacks);
    assert_int_equal(a->location_conflicts, b->location_conflicts);
    assert_int_equal(a->damaged_locations, b->damaged_locations);
    assert_int_equal(a->empty_gaps, b->empty_gaps);
}

/* Reads in both orders: as many events, the same notes, the same end. */
static void assert_orders_agree(const struct bytes *bytes)
{
    struct recording file, merged;
    recording_read(&file, bytes->items, bytes->size, &in_file_order);
    recording_read(&merged, bytes->items, bytes->size, &in_true_order);
    assert_int_equal(file.end, merged.end);
    assert_int_equal(file.count, merged.count);
    assert_same_notes(&file.notes, &merged.notes);
    recording_release(&file);
    recording_release(&merged);
}

static void test_orders_agree_on_golden(void **state)
{
    for (size_t i = 0; i < GOLDEN_TRACES; i++) {
        struct bytes bytes = golden_load(golden_names[i]);
        struct recording file, merged;
        assert_orders_agree(&bytes);
        recording_read(&file, bytes.items, bytes.size, &in_file_order);
        recording_read(&merged, bytes.items, bytes.size, &in_true_order);
        assert_int_equal(recording_common(&file, &merged), file.count); /* one domain */
        recording_release(&file);
        recording_release(&merged);
        bytes_release(&bytes);
    }
}

/* A packet of locations and events both is one packet, and its steps count once. */
static void test_mixed_packet(void **state)
{
    struct bytes bytes = trace_of_info(3);
    for (uint64_t i = 0; i < 3; i++) {
        struct build_header mixed =
            packet_header(0, 10 * (int64_t)i, 10 * (int64_t)i + 5, i, i + 1);
        size_t packet = build_packet(&bytes, &mixed);
        build_location(&bytes, 10 * (int64_t)i, 0x10 + i, 0);
        put_one_miss(&bytes, 10 * (int64_t)i + 5, 1, 0x10 + i);
        build_end(&bytes, packet);
    }
    assert_orders_agree(&bytes);
    struct recording recording;
    recording_read(&recording, bytes.items, bytes.size, &in_true_order);
    assert_int_equal(recording.notes.packets, 3);
    assert_int_equal(recording.notes.clock_steps, 0);
    assert_int_equal(recording.count, 3);
    recording_release(&recording);
    bytes_release(&bytes);
}

/* A packet of locations may check the cache as any other. */
static void build_checked_locations(struct bytes *bytes, uint64_t code)
{
    struct build_header events = packet_header(0, 1, 1, 0, 1),
                        locations = packet_header(0, 2, 2, 1, 1);
    locations.verified = true;
    locations.bucket = 7;
    locations.code = code;
    build_info(bytes, 3);
    put_packet_of_one(bytes, &events, 1, 1, 0xabc);
    size_t packet = build_packet(bytes, &locations);
    build_location(bytes, 2, 0xabc, 0);
    build_end(bytes, packet);
}

static void test_checked_locations(void **state)
{
    struct bytes sound = {0}, wrong = {0};
    struct recording recording;
    build_checked_locations(&sound, 0xabc);
    assert_orders_agree(&sound);
    recording_read(&recording, sound.items, sound.size, &in_true_order);
    assert_int_equal(recording.end, HEAPTAP_END);
    assert_int_equal(recording.count, 1);
    recording_release(&recording);
    build_checked_locations(&wrong, 0xabd);
    for (int order = 0; order < 2; order++) {
        recording_read(&recording, wrong.items, wrong.size,
                       order ? &in_true_order : &in_file_order);
        assert_int_equal(recording.end, HEAPTAP_BAD_INPUT);
        assert_int_equal(recording.count, 1);
        recording_release(&recording);
    }
    bytes_release(&sound);
    bytes_release(&wrong);
}

/* A packet with a damaged location has no end id to compare, whatever it checks. */
static void test_checked_damaged_location(void **state)
{
    struct bytes bytes = trace_of_info(3);
    struct build_header locations = packet_header(0, 2, 2, 0, 3),
                        events = packet_header(0, 3, 3, 3, 4);
    struct recording recording;
    locations.verified = true;
    size_t packet = build_packet(&bytes, &locations);
    build_location(&bytes, 2, 0xabc, 1);
    build_end(&bytes, packet);
    put_packet_of_one(&bytes, &events, 3, 1, 0xabc);
    assert_orders_agree(&bytes);
    recording_read(&recording, bytes.items, bytes.size, &in_true_order);
    assert_int_equal(recording.end, HEAPTAP_END);
    assert_int_equal(recording.count, 1);
    assert_int_equal(recording.notes.damaged_locations, 1);
    recording_release(&recording);
    bytes_release(&bytes);
}

/* A cut packet whose check fails is damaged at its beginning, though it begins with the location
 * that is cut. */
static void test_cut_checked_location(void **state)
{
    struct bytes bytes = trace_of_info(3);
    struct build_header locations = packet_header(0, 2, 2, 0, 0);
    locations.verified = true;
    locations.code = 0xabd;
    size_t packet = build_packet(&bytes, &locations);
    build_location(&bytes, 2, 0xabc, 1);
    build_end(&bytes, packet);
    bytes.size--;
    for (int order = 0; order < 2; order++) {
        struct recording recording;
        recording_read(&recording, bytes.items, bytes.size,
                       order ? &in_true_order : &in_file_order);
        assert_int_equal(recording.end, HEAPTAP_BAD_INPUT);
        assert_int_equal(recording.error.offset, packet);
        recording_release(&recording);
    }
    bytes_release(&bytes);
}

/* Locations have no say in where the clock stepped: the orders agree on the times behind them. */
static void test_location_before_step(void **state)
{
    struct bytes bytes = trace_of_info(3);
    struct build_header mixed = packet_header(0, 1000, 500, 0, 2);
    size_t packet = build_packet(&bytes, &mixed);
    build_location(&bytes, 200, 0xabc, 0);
    put_one_miss(&bytes, 1000, 1, 0xabc);
    put_one_miss(&bytes, 500, 1, 0xabc);
    build_end(&bytes, packet);
    for (int order = 0; order < 2; order++) {
        struct heaptap_reader *reader = open_bytes(&bytes, order ? &in_true_order : &in_file_order);
        assert_int_equal(next_event(reader).time_us, 1000);
        assert_int_equal(next_event(reader).time_us, 500);
        assert_end(reader);
        heaptap_reader_close(reader);
    }
    bytes_release(&bytes);
}

/* Zeros between packets, longer than any header, and behind the last one. */
static void test_gaps(void **state)
{
    struct bytes bytes = trace_of_info(3);
    struct build_header one = packet_header(0, 1, 1, 0, 1), two = packet_header(0, 2, 2, 1, 2);
    bytes_number(&bytes, 0, 8);
    put_packet_of_one(&bytes, &one, 1, 1, 0x10);
    for (int i = 0; i < 1000; i++)
        bytes_number(&bytes, 0, 8);
    put_packet_of_one(&bytes, &two, 2, 1, 0x10);
    bytes_number(&bytes, 0, 3);
    assert_orders_agree(&bytes);
    for (int order = 0; order < 2; order++) {
        struct recording recording;
        recording_read(&recording, bytes.items, bytes.size,
                       order ? &in_true_order : &in_file_order);
        assert_int_equal(recording.end, HEAPTAP_END);
        assert_int_equal(recording.count, 2);
        assert_int_equal(recording.notes.empty_gaps, 3);
        assert_int_equal(recording.notes.bytes, bytes.size);
        recording_release(&recording);
    }
    bytes_release(&bytes);
}

/* Damage in one domain leaves the others what they have, and is reported last. */
static void test_damage_in_one_domain(void **state)
{
    struct bytes bytes = trace_of_info(3);
    struct build_header zero = packet_header(0, 1, 9, 0, 2), one = packet_header(1, 2, 3, 10, 12);
    size_t packet = build_packet(&bytes, &zero);
    put_one_miss(&bytes, 1, 1, 0x10);
    size_t bad = bytes.size;
    build_event(&bytes, 77, 9);
    build_end(&bytes, packet);
    packet = build_packet(&bytes, &one);
    put_one_miss(&bytes, 2, 1, 0x10);
    put_one_miss(&bytes, 3, 1, 0x10);
    build_end(&bytes, packet);
    struct heaptap_reader *reader = open_bytes(&bytes, &in_true_order);
    assert_int_equal(next_event(reader).id, 0);
    assert_int_equal(next_event(reader).id, 10);
    assert_int_equal(next_event(reader).id, 11);
    assert_damage(reader, bad);
    assert_damage(reader, bad);
    heaptap_reader_close(reader);
    reader = open_bytes(&bytes, &in_file_order);
    assert_int_equal(next_event(reader).id, 0);
    assert_damage(reader, bad);
    heaptap_reader_close(reader);
    bytes_release(&bytes);
}

/* Each domain has its own cache, last stack and last time. */
static void test_state_per_domain(void **state)
{
    struct bytes bytes = trace_of_info(3);
    struct build_header zero = packet_header(0, 100, 110, 0, 2),
                        one = packet_header(1, 5, 15, 10, 12);
    size_t packet = build_packet(&bytes, &zero);
    build_short(&bytes, 100, 1, 0, 1);
    build_miss(&bytes, 7, 0xa0);
    build_end(&bytes, packet);
    bytes_patch(&bytes, packet + 60, 1, 8); /* only one allocation here */
    packet = build_packet(&bytes, &one);
    build_short(&bytes, 5, 1, 0, 1);
    build_miss(&bytes, 7, 0xb0);
    build_short(&bytes, 15, 1, 1, 1);
    build_hit(&bytes, 7, 0);
    build_end(&bytes, packet);
    zero.first_id = 1;
    zero.verified = true;
    zero.bucket = 7;
    zero.code = 0xa0;
    packet = build_packet(&bytes, &zero);
    build_short(&bytes, 110, 1, 1, 1);
    build_hit(&bytes, 7, 0);
    build_end(&bytes, packet);
    for (int order = 0; order < 2; order++) {
        struct heaptap_reader *reader = open_bytes(&bytes, order ? &in_true_order : &in_file_order);
        for (int i = 0; i < 4; i++) {
            struct heaptap_event event = next_event(reader);
            uint64_t code = event.domain ? 0xb0 : 0xa0;
            bool second = event.id == 1 || event.id == 11;
            assert_int_equal(event.stack_length, second ? 2 : 1);
            assert_int_equal(event.stack_shared, second ? 1 : 0);
            assert_int_equal(code_at(reader, &event, 0), code);
            assert_int_equal(code_at(reader, &event, event.stack_length - 1), code);
        }
        assert_end(reader);
        assert_int_equal(heaptap_reader_notes(reader)->clock_steps, 0);
        heaptap_reader_close(reader);
    }
    bytes_release(&bytes);
}

int main(void)
{
    return RUN_TESTS(test_file_order, test_true_order, test_ties, test_step_keeps_order,
                     test_shared_names, test_orders_agree_on_golden, test_mixed_packet,
                     test_checked_locations, test_checked_damaged_location,
                     test_location_before_step, test_cut_checked_location, test_gaps,
                     test_damage_in_one_domain, test_state_per_domain);
}
