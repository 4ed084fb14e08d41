/* The reader's contract, on traces built by hand. */
#include "unit/golden.h"
#include "unit/unit.h"

static size_t start_packet(struct bytes *bytes, int64_t begin_us, int64_t end_us, uint64_t first_id,
                           uint64_t end_id)
{
    struct build_header of = packet_header(2, begin_us, end_us, first_id, end_id);
    return build_packet(bytes, &of);
}

/* Info and nothing else. */
static void test_empty_trace(void **state)
{
    for (int order = 0; order < 2; order++) {
        struct bytes bytes = {0};
        build_info(&bytes, 3);
        struct heaptap_reader *reader = open_bytes(&bytes, order ? &in_true_order : NULL);
        size_t count = 99;
        assert_end(reader);
        assert_end(reader);
        heaptap_reader_metadata(reader, &count);
        assert_int_equal(count, 0);
        assert_int_equal(heaptap_reader_notes(reader)->packets, 0);
        heaptap_reader_close(reader);
        bytes_release(&bytes);
    }
    heaptap_reader_close(NULL);
}

/* Every field of every kind of event. */
static void test_event_fields(void **state)
{
    struct bytes bytes = trace_of_info(3);
    size_t packet = start_packet(&bytes, 10, 40, 500, 503), offsets[5];
    offsets[0] = bytes.size;
    build_short(&bytes, 10, 16, 0, 3);
    build_miss(&bytes, 1, 0xa);
    build_miss(&bytes, 2, 0xb);
    build_miss(&bytes, 16383, UINT64_MAX);
    offsets[1] = bytes.size;
    build_promote(&bytes, 20, 0);
    offsets[2] = bytes.size;
    build_alloc(&bytes, 30, 70000, 300, HEAPTAP_EXTERNAL, 1, 1);
    build_hit(&bytes, 2, 1); /* and the frame that followed it before */
    offsets[3] = bytes.size;
    build_alloc(&bytes, 30, 1, 1, HEAPTAP_MAJOR, 3, 0);
    offsets[4] = bytes.size;
    build_collect(&bytes, 40, 2);
    build_end(&bytes, packet);

    struct heaptap_reader *reader = open_bytes(&bytes, NULL);
    struct heaptap_event event = next_event(reader);
    assert_int_equal(event.kind, HEAPTAP_ALLOC);
    assert_int_equal(event.domain, 2);
    assert_int_equal(event.time_us, 10);
    assert_int_equal(event.id, 500);
    assert_int_equal(event.offset, offsets[0]);
    assert_int_equal(event.source, HEAPTAP_MINOR);
    assert_int_equal(event.length, 16);
    assert_int_equal(event.samples, 1);
    assert_int_equal(event.stack_length, 3);
    assert_int_equal(event.stack_shared, 0);
    assert_int_equal(event.common_prefix, 0);
    assert_int_equal(code_at(reader, &event, 0), 0xa);
    assert_int_equal(code_at(reader, &event, 1), 0xb);
    assert_int_equal(code_at(reader, &event, 2), UINT64_MAX);

    event = next_event(reader);
    assert_int_equal(event.kind, HEAPTAP_PROMOTE);
    assert_int_equal(event.id, 500);
    assert_int_equal(event.time_us, 20);
    assert_int_equal(event.offset, offsets[1]);

    event = next_event(reader);
    assert_int_equal(event.id, 501);
    assert_int_equal(event.offset, offsets[2]);
    assert_int_equal(event.source, HEAPTAP_EXTERNAL);
    assert_int_equal(event.length, 70000);
    assert_int_equal(event.samples, 300);
    assert_int_equal(event.stack_length, 3);
    assert_int_equal(event.stack_shared, 1);
    assert_int_equal(code_at(reader, &event, 2), UINT64_MAX);

    event = next_event(reader);
    assert_int_equal(event.id, 502);
    assert_int_equal(event.source, HEAPTAP_MAJOR);
    assert_int_equal(event.stack_length, 3);
    assert_int_equal(event.stack_shared, 3);

    event = next_event(reader);
    assert_int_equal(event.kind, HEAPTAP_COLLECT);
    assert_int_equal(event.id, 500);
    assert_int_equal(event.offset, offsets[4]);
    assert_end(reader);
    assert_int_equal(heaptap_reader_notes(reader)->bytes, bytes.size);
    assert_int_equal(heaptap_reader_notes(reader)->packets, 1);
    heaptap_reader_close(reader);
    bytes_release(&bytes);
}

/* Without stacks all else is the same. */
static void test_skip_stacks(void **state)
{
    for (size_t i = 0; i < GOLDEN_TRACES; i++) {
        struct bytes bytes = golden_load(golden_names[i]);
        struct recording with, without;
        struct heaptap_reader_options skip = {.skip_stacks = true};
        recording_read(&with, bytes.items, bytes.size, NULL);
        recording_read(&without, bytes.items, bytes.size, &skip);
        assert_int_equal(without.end, HEAPTAP_END);
        assert_int_equal(with.count, without.count);
        for (size_t k = 0; k < with.count; k++) {
            if (with.events[k].event.kind == HEAPTAP_ALLOC) {
                assert_int_equal(without.events[k].event.stack_length, 0);
                assert_int_equal(without.events[k].event.stack_shared, 0);
                assert_int_equal(without.events[k].event.common_prefix,
                                 with.events[k].event.common_prefix);
                with.events[k].event.stack_length = 0;
                with.events[k].stack_hash = without.events[k].stack_hash;
            }
            assert_true(recorded_same(&with.events[k], &without.events[k]));
            assert_int_equal(with.events[k].event.offset, without.events[k].event.offset);
        }
        recording_release(&with);
        recording_release(&without);
        bytes_release(&bytes);
    }
}

/* Locations: several a code, the innermost last; equal names are one pointer. */
static void test_locations(void **state)
{
    struct bytes bytes = trace_of_info(3);
    size_t count;
    size_t packet = start_packet(&bytes, 0, 0, 0, 0);
    build_location(&bytes, 0, 0xa, 2);
    build_place(&bytes, 1, 2, 3, BUILD_NEW_NAME, "a.ml", BUILD_NEW_NAME, "outer");
    build_place(&bytes, (1 << 20) - 1, 255, 1023, 0, NULL, BUILD_NEW_NAME, "inner");
    build_location(&bytes, 0, 0xb, 1);
    build_place(&bytes, 4, 5, 6, BUILD_NEW_NAME, "b.ml", BUILD_NEW_NAME, "outer");
    build_location(&bytes, 0, 0xc, 1); /* a.ml is the last file but one; in it, outer as well */
    build_place(&bytes, 7, 8, 9, 1, NULL, 1, NULL);
    build_location(&bytes, 0, 0xd, 0);
    build_end(&bytes, packet);
    struct heaptap_reader *reader = open_bytes(&bytes, NULL);
    assert_end(reader);
    const struct heaptap_location *a = locations_of(reader, 0xa, &count);
    assert_int_equal(count, 2);
    assert_string_equal(a[0].file, "a.ml");
    assert_string_equal(a[0].function, "outer");
    assert_int_equal(a[0].line, 1);
    assert_int_equal(a[0].start_char, 2);
    assert_int_equal(a[0].end_char, 3);
    assert_ptr_equal(a[1].file, a[0].file);
    assert_string_equal(a[1].function, "inner");
    assert_int_equal(a[1].line, (1 << 20) - 1);
    assert_int_equal(a[1].start_char, 255);
    assert_int_equal(a[1].end_char, 1023);
    const struct heaptap_location *b = locations_of(reader, 0xb, &count);
    assert_string_equal(b->file, "b.ml");
    assert_ptr_equal(b->function, a[0].function);
    const struct heaptap_location *c = locations_of(reader, 0xc, &count);
    assert_ptr_equal(c->file, a[0].file);
    assert_ptr_equal(c->function, a[0].function);
    locations_of(reader, 0xd, &count);
    assert_int_equal(count, 0);
    heaptap_reader_close(reader);
    bytes_release(&bytes);
}

/* A last packet that is cut gives its events, then damage at the end of the file. */
static void test_cut_packet(void **state)
{
    struct bytes bytes = trace_of_info(3);
    size_t packet = start_packet(&bytes, 1, 3, 0, 3);
    build_short(&bytes, 1, 1, 0, 0);
    build_short(&bytes, 2, 1, 0, 0);
    size_t end = bytes.size;
    build_short(&bytes, 3, 1, 0, 0);
    build_end(&bytes, packet);
    for (int order = 0; order < 2; order++)
        for (size_t cut = end; cut < bytes.size; cut++) {
            struct bytes part = {.items = bytes.items, .size = cut};
            struct heaptap_reader *reader = open_bytes(&part, order ? &in_true_order : NULL);
            assert_int_equal(next_event(reader).id, 0);
            assert_int_equal(next_event(reader).id, 1);
            assert_damage(reader, cut);
            assert_damage(reader, cut);
            heaptap_reader_close(reader);
        }
    bytes_release(&bytes);
}

/* The packet's last id must be where its allocations lead. */
static void test_id_count(void **state)
{
    struct bytes bytes = trace_of_info(3);
    size_t packet = start_packet(&bytes, 1, 1, 0, 2);
    build_short(&bytes, 1, 1, 0, 0);
    build_end(&bytes, packet);
    struct heaptap_reader *reader = open_bytes(&bytes, NULL);
    assert_int_equal(next_event(reader).id, 0);
    assert_damage(reader, packet + 60);
    heaptap_reader_close(reader);
    bytes_release(&bytes);
}

/* Where a packet is missing, the next one's check of the cache tells. */
static void test_missing_packet(void **state)
{
    struct bytes bytes = trace_of_info(3);
    struct build_header header = {
        .version = 3, .end_id = 1, .verified = true, .bucket = 7, .next = 9, .code = 0xabc};
    size_t packet = build_packet(&bytes, &header);
    build_short(&bytes, 0, 1, 0, 0);
    build_end(&bytes, packet);
    struct heaptap_reader *reader = open_bytes(&bytes, NULL);
    assert_damage(reader, packet);
    heaptap_reader_close(reader);
    struct heaptap_reader_options skip = {.skip_stacks = true}; /* where nobody looks at stacks */
    reader = open_bytes(&bytes, &skip);
    assert_int_equal(next_event(reader).id, 0);
    assert_end_and_close(reader, &bytes);
}

/* ---- The first packet */

static void assert_refused(const struct bytes *bytes, uint64_t offset)
{
    for (int order = 0; order < 2; order++) {
        struct heaptap_reader *reader = (struct heaptap_reader *)&order;
        struct heaptap_error error = {0};
        assert_int_equal(heaptap_reader_open_memory(&reader, bytes->items, bytes->size,
                                                    order ? &in_true_order : NULL, &error),
                         HEAPTAP_BAD_INPUT);
        assert_null(reader);
        assert_int_equal(error.offset, offset);
    }
}

enum { RATE_OFFSET = 68 + 4, WORD_OFFSET = RATE_OFFSET + 8 };

static void test_bad_info(void **state)
{
    static const double rates[] = {0, -1, 1.0001, 1e300, 0.0 / 1e-300};
    struct bytes bytes = trace_of_info(3);
    for (int i = 0; i < 5; i++) {
        uint64_t bits;
        memcpy(&bits, &rates[i], 8);
        bytes_patch(&bytes, RATE_OFFSET, bits, 8);
        assert_refused(&bytes, RATE_OFFSET);
    }
    bytes_patch(&bytes, RATE_OFFSET, UINT64_C(0x7ff8000000000000), 8); /* not a number */
    assert_refused(&bytes, RATE_OFFSET);
    bytes_patch(&bytes, RATE_OFFSET, UINT64_C(0x3ff0000000000000), 8);
    bytes_patch(&bytes, WORD_OFFSET, 0, 1);
    assert_refused(&bytes, WORD_OFFSET);
    bytes_patch(&bytes, WORD_OFFSET, 63, 1);
    assert_refused(&bytes, WORD_OFFSET);
    bytes_patch(&bytes, WORD_OFFSET, 8, 1);
    struct heaptap_reader *reader = open_bytes(&bytes, NULL);
    assert_int_equal(heaptap_reader_info(reader)->word_bits, 8);
    assert_true(heaptap_reader_info(reader)->sample_rate == 1);
    heaptap_reader_close(reader);
    bytes_release(&bytes);
}

/* Nothing may follow the description in its packet, nor may it be cut, nor speak of another
 * process: each would swallow events without a word. */
static void test_info_packet_end(void **state)
{
    struct bytes bytes = trace_of_info(3);
    size_t end = bytes.size, packet = start_packet(&bytes, 0, 1, 0, 1);
    build_short(&bytes, 1, 1, 0, 0);
    build_end(&bytes, packet);
    bytes_patch(&bytes, 4, (bytes.size - 1) * 8, 4);
    assert_refused(&bytes, end);
    bytes_patch(&bytes, 4, (bytes.size + 1) * 8, 4);
    assert_refused(&bytes, bytes.size);
    bytes_patch(&bytes, 4, end * 8, 4);
    uint64_t pid = bytes_get(&bytes, 30, 8);
    bytes_patch(&bytes, 30, pid + 1, 8);
    assert_refused(&bytes, 30);
    bytes_patch(&bytes, 30, pid, 8);
    struct heaptap_reader *reader = open_bytes(&bytes, NULL);
    assert_int_equal(next_event(reader).id, 0);
    assert_end_and_close(reader, &bytes);
}

static void test_info_cut(void **state)
{
    struct bytes bytes = trace_of_info(3);
    for (size_t size = 0; size < bytes.size; size++) {
        struct bytes part = {.items = bytes.items, .size = size};
        struct heaptap_reader *reader;
        struct heaptap_error error = {0};
        assert_int_equal(heaptap_reader_open_memory(&reader, part.items, part.size, NULL, &error),
                         HEAPTAP_BAD_INPUT);
        assert_true(error.offset <= size);
        assert_true(strlen(error.message) > 0);
    }
    bytes_release(&bytes);
}

/* Errors and options are the caller's to leave out. */
static void test_null_arguments(void **state)
{
    struct bytes bytes = trace_of_info(3);
    struct heaptap_reader *reader;
    struct heaptap_event event;
    bytes_text(&bytes, "not a packet");
    assert_int_equal(heaptap_reader_open_memory(&reader, "x", 1, NULL, NULL), HEAPTAP_BAD_INPUT);
    assert_int_equal(heaptap_reader_open(&reader, "/no/such/file", NULL, NULL), HEAPTAP_SYSTEM);
    for (int order = 0; order < 2; order++) {
        reader = open_bytes(&bytes, order ? &in_true_order : NULL);
        assert_int_equal(heaptap_reader_next(reader, &event, NULL), HEAPTAP_BAD_INPUT);
        assert_int_equal(heaptap_reader_next(reader, &event, NULL), HEAPTAP_BAD_INPUT);
        heaptap_reader_close(reader);
    }
    bytes_release(&bytes);
}

int main(void)
{
    return RUN_TESTS(test_empty_trace, test_event_fields, test_skip_stacks, test_locations,
                     test_cut_packet, test_id_count, test_missing_packet, test_bad_info,
                     test_info_packet_end, test_info_cut, test_null_arguments);
}
