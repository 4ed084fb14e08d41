/* pprof profiles: what is written of a trace, read back by our own reader; and the rules that the
 * reader holds profiles to, each with its byte. */
#include "pprof/write/block_fates.h"
#include "profile/list/rows.h"
#include "pprof/read/profile.h"
#include "pprof/write/profile.h"
#include "pprof/write/protobuf.h"
#include "unit/unit.h"

/* ---- From a trace ------------------------------------------------------------------- */

enum { CODE_MAIN = 0xa0, CODE_SITE = 0xb0, CODE_BARE = 0xc0 };

/* Words are sampled at 0.01: a sample stands for 800 bytes.  Blocks 0 and 1 have one stack and 9
 * words, block 2 has 99 words and the bare code on its stack, block 3 no stack at all. */
static void build_trace(struct bytes *bytes)
{
    struct build_header header = {.version = 3, .begin_us = 0, .end_us = 100, .end_id = 4};
    build_info(bytes, 3);
    size_t packet = build_packet(bytes, &header);
    build_location(bytes, 0, CODE_MAIN, 1);
    build_place(bytes, 7, 1, 2, BUILD_NEW_NAME, "main.ml", BUILD_NEW_NAME, "main");
    build_location(bytes, 0, CODE_SITE, 2);
    build_place(bytes, 10, 1, 2, BUILD_NEW_NAME, "list.ml", BUILD_NEW_NAME, "outer");
    build_place(bytes, 20, 1, 2, 0, NULL, BUILD_NEW_NAME, "inner\xff");
    build_alloc(bytes, 10, 9, 1, HEAPTAP_MINOR, 0, 2);
    build_miss(bytes, 1, CODE_MAIN);
    build_miss(bytes, 2, CODE_SITE);
    build_alloc(bytes, 20, 9, 2, HEAPTAP_MINOR, 2, 0);
    build_alloc(bytes, 30, 99, 3, HEAPTAP_MAJOR, 1, 1);
    build_miss(bytes, 3, CODE_BARE);
    build_alloc(bytes, 40, 0, 1, HEAPTAP_MINOR, 0, 0);
    build_promote(bytes, 50, 2);  /* block 1 */
    build_collect(bytes, 60, 3);  /* block 0 */
    build_collect(bytes, 100, 1); /* block 2 */
    build_end(bytes, packet);
}

static const struct heaptap_location *frame_locations(void *reader, uint32_t frame, size_t *count)
{
    return heaptap_reader_frame_locations(reader, frame, count);
}

static uint64_t frame_code(void *reader, uint32_t frame)
{
    return heaptap_reader_frame_code(reader, frame);
}

static struct frame_source frames_of(struct heaptap_reader *reader)
{
    return (struct frame_source){frame_locations, frame_code, heaptap_reader_frame_count(reader),
                                 reader};
}

static void read_groups(struct block_fates *fates, struct heaptap_reader *reader)
{
    struct heaptap_event event;
    assert_true(block_fates_init(fates, heaptap_reader_info(reader)));
    while (heaptap_reader_next(reader, &event, NULL) == HEAPTAP_OK)
        assert_true(block_fates_add(fates, &event));
    block_fates_finish(fates, fates->groups.last_us);
}

static struct model *decode(const struct bytes *bytes)
{
    struct model *model;
    struct heaptap_error error = {0};
    if (pprof_decode(&model, bytes->items, bytes->size, &error) != HEAPTAP_OK)
        fail_msg("byte %llu: %s", (unsigned long long)error.offset, error.message);
    return model;
}

/* The profile of the trace above, written and read. */
static struct model *convert(bool by_size, struct pprof_export *options)
{
    struct bytes trace = {0}, written = {0};
    struct block_fates fates;
    build_trace(&trace);
    struct heaptap_reader *reader = open_bytes(&trace, NULL);
    read_groups(&fates, reader);
    options->no_sizes = !by_size;
    struct frame_source frames = frames_of(reader);
    options->groups = &fates.groups;
    options->info = heaptap_reader_info(reader);
    options->frames = &frames;
    assert_int_equal(pprof_export_write(options, bytes_sink(&written)), 0);
    struct model *model = decode(&written);
    block_fates_release(&fates);
    heaptap_reader_close(reader);
    bytes_release(&trace);
    bytes_release(&written);
    return model;
}

static void assert_values(const struct model *model, size_t sample, const int64_t *expected)
{
    for (size_t i = 0; i < model->samples.type_count; i++)
        if (model->file->values[sample * model->samples.type_count + i] != expected[i])
            fail_msg("sample %zu, %s: %lld instead of %lld", sample, model->samples.types[i].name,
                     (long long)model->file->values[sample * model->samples.type_count + i],
                     (long long)expected[i]);
}

/* The name of a frame's line, 0 for the outermost function. */
static const char *name_at(const struct model *model, size_t sample, size_t frame, size_t line)
{
    const struct model_frame *location =
        &model->frames[model->file->frames[model->file->first_frame[sample] + frame]];
    assert_true(line < location->line_count);
    return model->lines[location->first_line + line].function;
}

static void test_description(void **state)
{
    static const char *const names[] = {
        "alloc_objects",  "count", "alloc_space", "bytes",       "inuse_objects",    "count",
        "inuse_space",    "bytes", "lifetime",    "nanoseconds", "promoted_objects", "count",
        "promoted_space", "bytes"};
    struct pprof_export options = {.complete = true, .with_host = true};
    struct model *model = convert(true, &options);
    assert_int_equal(model->samples.type_count, 7);
    for (size_t i = 0; i < 7; i++) {
        assert_string_equal(model->samples.types[i].name, names[2 * i]);
        assert_string_equal(model->samples.types[i].unit, names[2 * i + 1]);
    }
    assert_int_equal(model->samples.default_type, 1);
    assert_int_equal(model->file->period, 800);
    assert_string_equal(model->file->period_type.name, "space");
    assert_string_equal(model->file->period_type.unit, "bytes");
    assert_int_equal(model->file->time_ns, BUILD_START_US * 1000);
    assert_int_equal(model->file->duration_ns, 100000);
    assert_int_equal(model->file->comment_count, 3);
    assert_string_equal(model->file->comments[0], "context: ctx");
    assert_string_equal(model->file->comments[1], "command: prog");
    assert_string_equal(model->file->comments[2], "host: host");
    assert_int_equal(model->module_count, 1);
    assert_string_equal(model->modules[0].path, "prog");
    assert_true(model->modules[0].has_functions && model->modules[0].has_inlines);
    model_free(model);

    options = (struct pprof_export){.complete = false};
    model = convert(true, &options);
    assert_int_equal(model->file->comment_count, 3);
    assert_non_null(strstr(model->file->comments[2], "cut"));
    model_free(model);
}

/* Block 0 lived for 50 us and stood for 10 objects, block 1 for 80 us and 20, block 2 for 70 us and
 * 3, block 3 for 60 us and 100. */
static void test_samples(void **state)
{
    static const int64_t expected[][7] = {
        {30, 2400, 20, 1600, 10 * 50000 + 20 * 80000, 20, 1600},
        {3, 2400, 0, 0, 3 * 70000, 0, 0},
        {100, 800, 100, 800, 100 * 60000, 0, 0},
    };
    static const int64_t sizes[] = {72, 792, 0};
    struct pprof_export options = {.complete = true};
    struct model *model = convert(true, &options);
    assert_int_equal(model->file->sample_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_values(model, i, expected[i]);
        assert_int_equal(model->file->first_label[i + 1] - model->file->first_label[i], 1);
        assert_string_equal(model->file->labels[i].key, "bytes");
        assert_string_equal(model->file->labels[i].unit, "bytes");
        assert_null(model->file->labels[i].text);
        assert_int_equal(model->file->labels[i].number, sizes[i]);
    }
    assert_int_equal(model->file->first_frame[1] - model->file->first_frame[0], 2);
    assert_string_equal(name_at(model, 2, 0, 0), "<unknown>");
    assert_string_equal(name_at(model, 0, 0, 0), "outer");
    assert_string_equal(name_at(model, 0, 0, 1), "inner\xef\xbf\xbd"); /* it was no UTF-8 */
    assert_string_equal(name_at(model, 0, 1, 0), "main");
    assert_string_equal(name_at(model, 1, 0, 0), "0xc0");
    const struct model_frame *site =
        &model->frames[model->file->frames[model->file->first_frame[0]]];
    assert_int_equal(model->lines[site->first_line].line, 10);
    assert_int_equal(model->lines[site->first_line + 1].line, 20);
    assert_string_equal(model->lines[site->first_line].file, "list.ml");
    for (size_t i = 0; i < model->frame_count; i++) {
        assert_int_equal(model->frames[i].module, 0);
        assert_int_equal(model->frames[i].code, 0);
    }
    for (size_t i = 0; i < model->file->function_count; i++)
        assert_string_equal(model->file->functions[i].system_name, "");
    model_free(model);
}

static void test_no_sizes(void **state)
{
    struct pprof_export options = {.complete = true};
    struct model *sized = convert(true, &options), *plain = convert(false, &options);
    assert_int_equal(plain->file->sample_count, 3);
    assert_int_equal(plain->file->first_label[3], 0);
    for (size_t i = 0; i < 3; i++)
        assert_values(plain, i, sized->file->values + i * 7);
    model_free(sized);
    model_free(plain);
}

/* Frames of known modules have addresses; those without names only where it is asked for. */
static void test_modules(void **state)
{
    struct heaptap_metadata modules[] = {
        {.kind = HEAPTAP_MODULE, .name = "/lib/libc.so", .address = 0xa8, .size_bytes = 16},
        {.kind = HEAPTAP_MODULE,
         .name = "prog",
         .address = 0x98,
         .size_bytes = 16,
         .file_offset = 0x1000,
         .build_id_size = 2,
         .build_id = {0xab, 0x01}},
        {.kind = HEAPTAP_MODULE, .name = "/lib/libc.so", .address = 0xa8, .size_bytes = 16},
    };
    for (int unsymbolized = 0; unsymbolized < 2; unsymbolized++) {
        struct pprof_export options = {.complete = true,
                                       .metadata = modules,
                                       .metadata_count = 3,
                                       .unsymbolized = unsymbolized};
        struct model *model = convert(true, &options);
        assert_int_equal(model->module_count, 2);
        assert_string_equal(model->modules[0].path, "prog"); /* the program comes first */
        assert_string_equal(model->modules[0].build_id, "ab01");
        assert_int_equal(model->modules[0].start, 0x98);
        assert_int_equal(model->modules[0].size, 0x10);
        assert_int_equal(model->modules[0].file_offset, 0x1000);
        assert_int_equal(model->modules[0].has_functions, !unsymbolized);
        assert_string_equal(model->modules[1].path, "/lib/libc.so");
        const struct model_frame *site =
            &model->frames[model->file->frames[model->file->first_frame[0]]];
        assert_int_equal(site->code, CODE_SITE);
        assert_int_equal(site->module, 1);
        assert_int_equal(site->line_count, unsymbolized ? 0 : 2);
        assert_string_equal(name_at(model, 1, 0, 0), "0xc0"); /* of no module */
        model_free(model);
    }
}

static int refuse(void *context, const void *data, size_t size)
{
    return 28; /* ENOSPC */
}

static void test_full_disk(void **state)
{
    struct bytes trace = {0};
    struct block_fates fates;
    build_trace(&trace);
    struct heaptap_reader *reader = open_bytes(&trace, NULL);
    read_groups(&fates, reader);
    struct frame_source frames = frames_of(reader);
    struct pprof_export options = {
        .groups = &fates.groups, .info = heaptap_reader_info(reader), .frames = &frames};
    assert_int_equal(pprof_export_write(&options, (struct heaptap_sink){refuse, NULL}), 28);
    block_fates_release(&fates);
    heaptap_reader_close(reader);
    bytes_release(&trace);
}

/* ---- Profiles made by hand ---------------------------------------------------------- */

static void put_strings(struct protobuf *out)
{
    static const char *const strings[] = {"", "space", "bytes", "f", "g", "f.c"};
    for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++)
        protobuf_bytes(out, 6, strings[i], strlen(strings[i]));
}

static void put_pair(struct protobuf *out, unsigned field, unsigned first, uint64_t a,
                     unsigned second, uint64_t b)
{
    protobuf_begin(out, field);
    protobuf_number(out, first, a);
    protobuf_number(out, second, b);
    protobuf_end(out);
}

static void put_location(struct protobuf *out, uint64_t id, uint64_t mapping, uint64_t function)
{
    protobuf_begin(out, 4);
    protobuf_number(out, 1, id);
    protobuf_number(out, 2, mapping);
    put_pair(out, 4, 1, function, 2, 33);
    protobuf_end(out);
}

/* Samples come before what they refer to, ids are wild, lists are not packed, and there are fields
 * that nobody knows. */
static void test_odd_profile(void **state)
{
    struct bytes bytes = {0};
    struct protobuf out;
    protobuf_init(&out, bytes_sink(&bytes));
    for (uint64_t i = 0; i < 2; i++) {
        protobuf_begin(&out, 2);
        protobuf_number(&out, 1, 900);
        protobuf_number(&out, 1, UINT64_MAX);
        protobuf_number(&out, 2, i ? (uint64_t)-5 : 12);
        protobuf_number(&out, 77, 1);
        put_pair(&out, 3, 1, 3, 2, 4);
        protobuf_end(&out);
    }
    put_location(&out, 900, 0, 7);
    put_location(&out, UINT64_MAX, 3, 8);
    put_pair(&out, 3, 1, 3, 5, 5);
    put_pair(&out, 5, 1, 7, 2, 3);
    put_pair(&out, 5, 1, 8, 3, 4); /* only a system name */
    put_pair(&out, 1, 1, 1, 2, 2);
    protobuf_bytes(&out, 100, "unknown", 7);
    protobuf_number(&out, 14, 3); /* a default that is no type */
    put_strings(&out);
    assert_int_equal(protobuf_finish(&out), 0);

    struct model *model = decode(&bytes);
    assert_int_equal(model->file->sample_count, 2);
    assert_int_equal(model->file->values[0], 12);
    assert_int_equal(model->file->values[1], -5);
    assert_int_equal(model->samples.default_type, 0);
    assert_int_equal(model->file->first_frame[2], 4);
    assert_string_equal(name_at(model, 1, 0, 0), "f");
    assert_string_equal(name_at(model, 1, 1, 0), "g");
    assert_int_equal(model->frames[1].module, 0);
    assert_string_equal(model->file->labels[0].key, "f");
    assert_string_equal(model->file->labels[0].text, "g");

    assert_true(profile_to_rows(model));
    assert_int_equal(model->trie.stack_count, 1);
    assert_int_equal(model->samples.count, 1);
    assert_int_equal(model->samples.values[0], 7);
    uint32_t leaf = model->trie.ends[0];
    assert_int_equal(model->trie.nodes[leaf].frame, 0); /* location 900 is the innermost */
    model_free(model);
    bytes_release(&bytes);
}

/* A sound profile but for one thing. */
enum flaw {
    NO_FLAW,
    FEW_VALUES,
    MANY_VALUES,
    ZERO_LOCATION_ID,
    SECOND_LOCATION,
    UNKNOWN_LOCATION,
    UNKNOWN_FUNCTION,
    UNKNOWN_MAPPING,
    ZERO_FUNCTION_ID,
    SECOND_FUNCTION,
    ZERO_MAPPING_ID,
    SECOND_MAPPING,
    NO_TYPES,
    STRING_OUT_OF_TABLE,
    FIRST_STRING,
    NO_STRINGS,
    TWO_TIMES,
    WIRE_TYPE,
    NO_LOCATION,
    NO_FUNCTION,
    NO_WIRE_TYPE,
    LONG_NUMBER,
    CUT_NUMBER,
    CUT_FIELD,
    FIELD_ZERO,
    FLAWS,
};

static const char *const flaw_messages[FLAWS] = {
    [FEW_VALUES] = "1 values, but there are 2 sample types",
    [MANY_VALUES] = "3 values, but there are 2 sample types",
    [ZERO_LOCATION_ID] = "a location has the id 0",
    [SECOND_LOCATION] = "a second location has the id 1",
    [UNKNOWN_LOCATION] = "no location with the id 9",
    [UNKNOWN_FUNCTION] = "no function with the id 9",
    [UNKNOWN_MAPPING] = "no mapping with the id 9",
    [ZERO_FUNCTION_ID] = "a function has the id 0",
    [SECOND_FUNCTION] = "a second function has the id 1",
    [ZERO_MAPPING_ID] = "a mapping has the id 0",
    [SECOND_MAPPING] = "a second mapping has the id 1",
    [NO_TYPES] = "no sample types",
    [STRING_OUT_OF_TABLE] = "string 6, but there are 6",
    [FIRST_STRING] = "first string of the string table must be empty",
    [NO_STRINGS] = "no string table",
    [TWO_TIMES] = "time_nanos occurs twice",
    [WIRE_TYPE] = "period has wire type 2",
    [NO_LOCATION] = "no location with the id 0",
    [NO_FUNCTION] = "a line of a location has no function",
    [NO_WIRE_TYPE] = "there is no wire type 3",
    [LONG_NUMBER] = "a number has more than ten bytes",
    [CUT_NUMBER] = "a number is cut off",
    [CUT_FIELD] = "a field of 5 bytes begins here, of which 1 are there",
    [FIELD_ZERO] = "no field has the number 0",
};

/* What is no protocol buffer at all stands at the end. */
static const char *const raw_flaws[FLAWS] = {
    [NO_WIRE_TYPE] = "\x63", [LONG_NUMBER] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    [CUT_NUMBER] = "\xff",   [CUT_FIELD] = "\x62\x05x",
    [FIELD_ZERO] = "\x02",
};

/* Puts one of the profile's fields; `*flawed_at` is the offset of the one that has the flaw. */
static void put_flawed(struct protobuf *out, enum flaw flaw, uint64_t *flawed_at)
{
#define AT(condition) (*flawed_at = (condition) ? out->bytes.size : *flawed_at)
    for (int i = 0; i < 2 && flaw != NO_TYPES; i++)
        put_pair(out, 1, 1, 1, 2, 2);
    if (flaw == FIRST_STRING) {
        AT(true);
        protobuf_bytes(out, 6, "x", 1);
    }
    if (flaw != NO_STRINGS)
        put_strings(out);
    AT(flaw == ZERO_MAPPING_ID);
    put_pair(out, 3, 1, flaw != ZERO_MAPPING_ID, 5, 5);
    AT(flaw == SECOND_MAPPING);
    if (flaw == SECOND_MAPPING)
        put_pair(out, 3, 1, 1, 5, 5);
    AT(flaw == ZERO_FUNCTION_ID);
    AT(flaw == STRING_OUT_OF_TABLE);
    *flawed_at += flaw == STRING_OUT_OF_TABLE ? 4 : 0; /* the name is behind the id */
    put_pair(out, 5, 1, flaw != ZERO_FUNCTION_ID, 2, flaw == STRING_OUT_OF_TABLE ? 6 : 3);
    AT(flaw == SECOND_FUNCTION);
    if (flaw == SECOND_FUNCTION)
        put_pair(out, 5, 1, 1, 2, 4);
    AT(flaw == ZERO_LOCATION_ID || flaw == UNKNOWN_MAPPING || flaw == UNKNOWN_FUNCTION ||
       flaw == NO_FUNCTION);
    *flawed_at += flaw == UNKNOWN_MAPPING    ? 4
                  : flaw == UNKNOWN_FUNCTION ? 8
                  : flaw == NO_FUNCTION      ? 6
                                             : 0;
    put_location(out, flaw != ZERO_LOCATION_ID, flaw == UNKNOWN_MAPPING ? 9 : 1,
                 flaw == UNKNOWN_FUNCTION ? 9 : flaw != NO_FUNCTION);
    AT(flaw == SECOND_LOCATION);
    if (flaw == SECOND_LOCATION)
        put_location(out, 1, 1, 1);
    AT(flaw == FEW_VALUES || flaw == MANY_VALUES || flaw == UNKNOWN_LOCATION ||
       flaw == NO_LOCATION);
    *flawed_at +=
        flaw == UNKNOWN_LOCATION || flaw == NO_LOCATION ? 4 : 0; /* inside the packed list */
    protobuf_begin(out, 2);
    protobuf_begin(out, 1);
    protobuf_item(out, flaw == UNKNOWN_LOCATION ? 9 : flaw != NO_LOCATION);
    protobuf_end(out);
    protobuf_begin(out, 2);
    for (int i = 0; i < (flaw == FEW_VALUES ? 1 : flaw == MANY_VALUES ? 3 : 2); i++)
        protobuf_item(out, 5);
    protobuf_end(out);
    protobuf_end(out);
    protobuf_number(out, 9, 1000);
    AT(flaw == TWO_TIMES || flaw == WIRE_TYPE);
    if (flaw == TWO_TIMES)
        protobuf_number(out, 9, 1000);
    if (flaw == WIRE_TYPE)
        protobuf_bytes(out, 12, "x", 1);
    AT(flaw == NO_TYPES || flaw == NO_STRINGS || raw_flaws[flaw]);
#undef AT
}

static void test_rules(void **state)
{
    for (enum flaw flaw = NO_FLAW; flaw < FLAWS; flaw++) {
        struct bytes bytes = {0};
        struct protobuf out;
        struct model *model;
        struct heaptap_error error = {0};
        uint64_t at = 0;
        protobuf_init(&out, bytes_sink(&bytes));
        put_flawed(&out, flaw, &at);
        assert_int_equal(protobuf_finish(&out), 0);
        if (raw_flaws[flaw])
            bytes_append(&bytes, raw_flaws[flaw], strlen(raw_flaws[flaw]));
        enum heaptap_status status = pprof_decode(&model, bytes.items, bytes.size, &error);
        assert_int_equal(status, flaw == NO_FLAW ? HEAPTAP_OK : HEAPTAP_BAD_INPUT);
        if (flaw != NO_FLAW && !strstr(error.message, flaw_messages[flaw]))
            fail_msg("flaw %d: '%s' instead of '%s'", (int)flaw, error.message,
                     flaw_messages[flaw]);
        if (flaw != NO_FLAW && error.offset != at)
            fail_msg("flaw %d: at byte %llu instead of %llu", (int)flaw,
                     (unsigned long long)error.offset, (unsigned long long)at);
        model_free(model);
        bytes_release(&bytes);
    }
}

/* However a profile is cut, it is refused or still one; never read past its end. */
static void test_cut(void **state)
{
    struct bytes bytes = {0};
    struct protobuf out;
    uint64_t at;
    size_t refused = 0;
    protobuf_init(&out, bytes_sink(&bytes));
    put_flawed(&out, NO_FLAW, &at);
    assert_int_equal(protobuf_finish(&out), 0);
    for (size_t size = 0; size < bytes.size; size++) {
        struct model *model;
        uint8_t *cut = malloc(size + 1);
        assert_non_null(cut);
        memcpy(cut, bytes.items, size);
        refused += pprof_decode(&model, cut, size, NULL) != HEAPTAP_OK;
        model_free(model);
        free(cut);
    }
    assert_true(refused > bytes.size / 2);
    bytes_release(&bytes);
}

static void test_empty(void **state)
{
    struct model *model;
    struct heaptap_error error;
    assert_int_equal(pprof_decode(&model, "", 0, &error), HEAPTAP_BAD_INPUT);
    assert_string_equal(error.message, "this is empty");
    assert_null(model);
}

/* Contents of any length up to three bytes of it, and of none. */
static void test_protobuf_lengths(void **state)
{
    static const size_t sizes[] = {0, 1, 127, 128, 16383, 16384, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct bytes bytes = {0};
        struct protobuf out;
        protobuf_init(&out, bytes_sink(&bytes));
        protobuf_begin(&out, 1);
        protobuf_begin(&out, 2);
        for (size_t k = 0; k < sizes[i]; k++)
            protobuf_item(&out, k % 100);
        protobuf_end(&out);
        protobuf_end(&out);
        assert_int_equal(protobuf_finish(&out), 0);
        size_t length = sizes[i] < 128     ? 1
                        : sizes[i] < 16384 ? 2
                                           : 3,
               inner = 1 + length + sizes[i];
        size_t outer = inner < 128 ? 1 : inner < 16384 ? 2 : 3;
        assert_int_equal(bytes.size, 1 + outer + inner);
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(bytes.items[bytes.size - sizes[i] + k], k % 100);
        bytes_release(&bytes);
    }
}

int main(void)
{
    return RUN_TESTS(test_description, test_samples, test_no_sizes, test_modules, test_full_disk,
                     test_odd_profile, test_rules, test_cut, test_empty, test_protobuf_lengths);
}
