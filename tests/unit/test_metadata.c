/* Metadata: what is written is read, and what isn't known, or is cut, is passed over. */
#include "unit/unit.h"

#define METADATA_PID UINT64_C(0x0070617470616568)

static struct heaptap_trace_info info = {
    .version = 3, .sample_rate = 1, .word_bits = 8, .pid = BUILD_PID, .start_us = BUILD_START_US};

static void write_records(struct bytes *bytes, const struct heaptap_metadata *records, size_t count)
{
    struct heaptap_writer_options options = {.sink = bytes_sink(bytes)};
    struct heaptap_writer *writer;
    struct heaptap_domain *domain;
    assert_int_equal(heaptap_writer_new(&writer, &info, &options, NULL), HEAPTAP_OK);
    assert_int_equal(heaptap_domain_new(&domain, writer, 3, NULL), HEAPTAP_OK);
    size_t before = bytes->size;
    heaptap_domain_metadata(domain, records, count);
    assert_true(bytes->size > before || count == 0); /* at once */
    heaptap_domain_free(domain);
    heaptap_writer_free(writer);
}

static struct heaptap_reader *read_to_end(const struct bytes *bytes, int order)
{
    struct heaptap_reader *reader = open_bytes(bytes, order ? &in_true_order : &in_file_order);
    assert_end(reader);
    return reader;
}

/* An id of more bytes than there is room for is none, and nothing beside it is read or written. */
static void test_long_build_ids(void **state)
{
    static const uint8_t sizes[] = {65, 66, 128, 255};
    struct heaptap_metadata records[50];
    for (size_t i = 0; i < 50; i++) {
        records[i] = (struct heaptap_metadata){
            .kind = HEAPTAP_MODULE, .name = "/m", .number = i, .build_id_size = sizes[i % 4]};
        memset(records[i].build_id, 0xee, HEAPTAP_BUILD_ID_MAX);
    }
    struct bytes bytes = {0};
    write_records(&bytes, records, 50);
    struct heaptap_reader *reader = read_to_end(&bytes, 0);
    size_t count;
    const struct heaptap_metadata *got = heaptap_reader_metadata(reader, &count);
    assert_int_equal(count, 50);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(got[i].build_id_size, 0);
        assert_string_equal(got[i].name, "/m");
        assert_int_equal(got[i].number, i);
    }
    heaptap_reader_close(reader);
    bytes_release(&bytes);
}

static void test_every_kind(void **state)
{
    struct heaptap_metadata records[] = {
        {.kind = HEAPTAP_PROPERTY, .name = "allocator", .value = "glibc 2.36"},
        {.kind = HEAPTAP_MODULE,
         .name = "/usr/lib/libm.so.6",
         .address = UINT64_C(0x7f0012345000),
         .size_bytes = 0x123000,
         .file_offset = 0x1000,
         .loaded_us = 15,
         .unloaded_us = -1,
         .number = 3,
         .build_id_size = 20,
         .build_id = "0123456789abcdefghi"},
        {.kind = HEAPTAP_MODULE, .name = "", .unloaded_us = 99, .build_id_size = 64},
        {.kind = HEAPTAP_THREAD, .name = "worker", .number = UINT64_C(1) << 40, .domain = 65535},
        {.kind = HEAPTAP_TYPE, .name = "string", .number = 4},
        {.kind = HEAPTAP_DROPS, .name = "out of memory", .number = 12, .domain = 3},
        {.kind = HEAPTAP_PROPERTY},
        {.kind = HEAPTAP_TEST,
         .name = "parses",
         .value = "peak <= 20 MB",
         .begin_us = -1,
         .end_us = INT64_C(1) << 40},
    };
    enum { COUNT = sizeof records / sizeof *records };
    struct bytes bytes = {0};
    memset(records[2].build_id, 0xee, 64);
    write_records(&bytes, records, COUNT);
    for (int order = 0; order < 2; order++) {
        size_t count;
        struct heaptap_reader *reader = read_to_end(&bytes, order);
        const struct heaptap_metadata *got = heaptap_reader_metadata(reader, &count);
        assert_int_equal(count, COUNT);
        for (size_t i = 0; i < COUNT; i++) {
            assert_int_equal(got[i].kind, records[i].kind);
            assert_string_equal(got[i].name, records[i].name ? records[i].name : "");
            assert_int_equal(got[i].number, records[i].number);
            assert_int_equal(got[i].domain, records[i].domain);
            assert_int_equal(got[i].address, records[i].address);
            assert_int_equal(got[i].size_bytes, records[i].size_bytes);
            assert_int_equal(got[i].file_offset, records[i].file_offset);
            assert_true(got[i].loaded_us == records[i].loaded_us);
            assert_true(got[i].unloaded_us == records[i].unloaded_us);
            assert_true(got[i].begin_us == records[i].begin_us);
            assert_true(got[i].end_us == records[i].end_us);
            assert_int_equal(got[i].build_id_size, records[i].build_id_size);
            assert_memory_equal(got[i].build_id, records[i].build_id, 64);
        }
        assert_string_equal(got[0].value, "glibc 2.36");
        assert_string_equal(got[6].value, "");
        assert_string_equal(got[7].value, "peak <= 20 MB");
        assert_int_equal(heaptap_reader_notes(reader)->foreign_packets, 0);
        assert_int_equal(heaptap_reader_notes(reader)->packets, 0);
        heaptap_reader_close(reader);
    }
    bytes_release(&bytes);
}

/* More than a packet holds. */
static void test_many(void **state)
{
    enum { COUNT = 3000 };
    static struct heaptap_metadata records[COUNT];
    static char names[COUNT][24];
    struct bytes bytes = {0};
    size_t count;
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "type %d", i);
        records[i] = (struct heaptap_metadata){
            .kind = HEAPTAP_TYPE, .name = names[i], .number = (uint64_t)i};
    }
    write_records(&bytes, records, COUNT);
    for (size_t at = 0; at < bytes.size; at += bytes_get(&bytes, at + 4, 4) / 8)
        assert_in_range(bytes_get(&bytes, at + 4, 4) / 8, 68, 32768);
    struct heaptap_reader *reader = read_to_end(&bytes, 0);
    const struct heaptap_metadata *got = heaptap_reader_metadata(reader, &count);
    assert_int_equal(count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(got[i].number, i);
        assert_string_equal(got[i].name, names[i]);
    }
    heaptap_reader_close(reader);
    bytes_release(&bytes);
}

/* Names too long for any packet are cut; none at all writes nothing. */
static void test_extremes(void **state)
{
    static char text[100001];
    struct bytes bytes = {0}, none = {0};
    size_t count;
    memset(text, 'n', sizeof text - 1);
    struct heaptap_metadata records[] = {
        {.kind = HEAPTAP_PROPERTY, .name = text, .value = text},
        {.kind = HEAPTAP_MODULE, .name = text, .build_id_size = 64},
        {.kind = HEAPTAP_PROPERTY, .name = "after", .value = "them"},
    };
    write_records(&bytes, records, 3);
    struct heaptap_reader *reader = read_to_end(&bytes, 1);
    const struct heaptap_metadata *got = heaptap_reader_metadata(reader, &count);
    assert_int_equal(count, 3);
    assert_in_range(strlen(got[0].name), 16000, 16384);
    assert_int_equal(strlen(got[0].value), strlen(got[0].name));
    assert_in_range(strlen(got[1].name), 16000, 32768);
    assert_string_equal(got[2].value, "them");
    heaptap_reader_close(reader);
    write_records(&none, NULL, 0);
    reader = read_to_end(&none, 0);
    heaptap_reader_metadata(reader, &count);
    assert_int_equal(count, 0);
    heaptap_reader_close(reader);
    bytes_release(&bytes);
    bytes_release(&none);
}

/* A module's record with the time when it was unloaded takes the first one's place; another module at its address, or
 * the same one loaded again, has one of its own. */
static void test_unloaded(void **state)
{
    struct heaptap_metadata records[] = {
        {.kind = HEAPTAP_MODULE, .name = "one", .address = 4096, .loaded_us = 5, .unloaded_us = -1},
        {.kind = HEAPTAP_MODULE, .name = "two", .address = 8192, .loaded_us = 6, .unloaded_us = -1},
        {.kind = HEAPTAP_MODULE, .name = "one", .address = 4096, .loaded_us = 5, .unloaded_us = 9},
        {.kind = HEAPTAP_MODULE,
         .name = "one",
         .address = 4096,
         .loaded_us = 10,
         .unloaded_us = 11,
         .number = 1},
    };
    struct bytes bytes = {0};
    size_t count;
    write_records(&bytes, records, 4);
    struct heaptap_reader *reader = read_to_end(&bytes, 0);
    const struct heaptap_metadata *got = heaptap_reader_metadata(reader, &count);
    assert_int_equal(count, 3);
    assert_string_equal(got[0].name, "one");
    assert_true(got[0].unloaded_us == 9);
    assert_string_equal(got[1].name, "two");
    assert_true(got[1].unloaded_us == -1);
    assert_true(got[2].loaded_us == 10);
    heaptap_reader_close(reader);
    bytes_release(&bytes);
}

/* Metadata between events disturbs neither them nor their locations. */
static size_t describe(void *context, uint64_t code, struct heaptap_location *locations, size_t max)
{
    locations[0] = (struct heaptap_location){"file", "function", (uint32_t)code, 0, 0};
    return 1;
}

static void test_between_events(void **state)
{
    struct bytes bytes = {0};
    struct heaptap_writer_options options = {.sink = bytes_sink(&bytes), .describe = describe};
    struct heaptap_writer *writer;
    struct heaptap_domain *domain;
    struct heaptap_metadata record = {.kind = HEAPTAP_PROPERTY, .name = "a", .value = "b"};
    assert_int_equal(heaptap_writer_new(&writer, &info, &options, NULL), HEAPTAP_OK);
    assert_int_equal(heaptap_domain_new(&domain, writer, 0, NULL), HEAPTAP_OK);
    for (uint64_t code = 1; code <= 10; code++) {
        struct heaptap_allocation allocation = {.length = 1,
                                                .samples = 1,
                                                .stack = &code,
                                                .stack_length = 1,
                                                .shared = HEAPTAP_SHARED_UNKNOWN};
        heaptap_domain_alloc(domain, BUILD_START_US + (int64_t)code, &allocation);
        heaptap_domain_metadata(domain, &record, 1);
    }
    heaptap_domain_free(domain);
    heaptap_writer_free(writer);
    struct heaptap_reader *reader = open_bytes(&bytes, NULL);
    size_t count;
    for (uint64_t code = 1; code <= 10; code++) {
        struct heaptap_event event = next_event(reader);
        assert_int_equal(code_at(reader, &event, 0), code);
        const struct heaptap_location *location =
            heaptap_reader_frame_locations(reader, event.stack[0], &count);
        assert_int_equal(count, 1);
        assert_int_equal(location->line, code);
    }
    assert_end(reader);
    heaptap_reader_metadata(reader, &count);
    assert_int_equal(count, 10);
    heaptap_reader_close(reader);
    bytes_release(&bytes);
}

static void put_record(struct bytes *bytes, unsigned kind, uint32_t size)
{
    bytes_number(bytes, kind, 1);
    bytes_number(bytes, size, 4);
}

/* Kinds and fields of a later version, records with too little in them, and a last one that goes
 * on past its packet. */
static void test_unknown_and_cut(void **state)
{
    struct bytes bytes = trace_of_info(3);
    struct build_header header = {.version = 3, .pid = METADATA_PID};
    size_t count;
    size_t packet = build_packet(&bytes, &header);
    put_record(&bytes, 200, 7);
    bytes_append(&bytes, "whatevr", 7);
    put_record(&bytes, 0, 0);
    put_record(&bytes, HEAPTAP_PROPERTY, 8); /* four bytes more than are known */
    bytes_append(&bytes, "n\0v\0more", 8);
    put_record(&bytes, HEAPTAP_PROPERTY, 3); /* the value has no end */
    bytes_append(&bytes, "n\0v", 3);
    put_record(&bytes, HEAPTAP_PROPERTY, 0);
    put_record(&bytes, HEAPTAP_MODULE, 10);
    bytes_append(&bytes, "0123456789", 10);
    put_record(&bytes, HEAPTAP_MODULE, 42); /* a build id of 65 bytes */
    for (int i = 0; i < 5; i++)
        bytes_number(&bytes, 0, 8);
    bytes_number(&bytes, 65, 1);
    bytes_number(&bytes, 0, 1);
    put_record(&bytes, HEAPTAP_TYPE, 10);
    bytes_number(&bytes, 6, 8);
    bytes_append(&bytes, "t", 2);
    put_record(&bytes, HEAPTAP_TYPE, UINT32_MAX);
    bytes_number(&bytes, 7, 8);
    build_end(&bytes, packet);
    packet = build_packet(&bytes, &header);
    bytes_number(&bytes, HEAPTAP_TYPE, 1); /* not even a record's header */
    build_end(&bytes, packet);
    for (int order = 0; order < 2; order++) {
        struct heaptap_reader *reader = read_to_end(&bytes, order);
        const struct heaptap_metadata *got = heaptap_reader_metadata(reader, &count);
        assert_int_equal(count, 2);
        assert_int_equal(got[0].kind, HEAPTAP_PROPERTY);
        assert_string_equal(got[0].name, "n");
        assert_string_equal(got[0].value, "v");
        assert_int_equal(got[1].kind, HEAPTAP_TYPE);
        assert_int_equal(got[1].number, 6);
        assert_string_equal(got[1].name, "t");
        heaptap_reader_close(reader);
    }
    bytes_release(&bytes);
}

/* A metadata packet that is cut gives its whole records, then damage. */
static void test_cut_packet(void **state)
{
    struct heaptap_metadata records[] = {
        {.kind = HEAPTAP_PROPERTY, .name = "first", .value = "1"},
        {.kind = HEAPTAP_PROPERTY, .name = "second", .value = "2"},
    };
    struct bytes bytes = {0};
    size_t count;
    write_records(&bytes, records, 2);
    bytes.size--;
    for (int order = 0; order < 2; order++) {
        struct heaptap_reader *reader = open_bytes(&bytes, order ? &in_true_order : NULL);
        assert_damage(reader, bytes.size);
        const struct heaptap_metadata *got = heaptap_reader_metadata(reader, &count);
        assert_int_equal(count, 1);
        assert_string_equal(got[0].name, "first");
        heaptap_reader_close(reader);
    }
    bytes_release(&bytes);
}

int main(void)
{
    return RUN_TESTS(test_long_build_ids, test_every_kind, test_many, test_extremes, test_unloaded,
                     test_between_events, test_unknown_and_cut, test_cut_packet);
}
