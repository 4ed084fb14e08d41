/* Every golden trace is read, written again, and read again: nothing may be lost or grow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run_tests.h"
#include "unit/golden.h"
#include "base/map.h"
#include "helpers/recording.h"
#include "helpers/rewrite.h"

static struct heaptap_reader *open_to_end(const struct bytes *bytes)
{
    struct heaptap_reader *reader;
    struct heaptap_event event;
    assert_int_equal(heaptap_reader_open_memory(&reader, bytes->items, bytes->size, NULL, NULL),
                     HEAPTAP_OK);
    while (heaptap_reader_next(reader, &event, NULL) == HEAPTAP_OK)
        ;
    return reader;
}

/* Every code of `a` that `b` knows means the same there; `b` knows no others. */
static void assert_same_locations(const struct bytes *a, const struct bytes *b)
{
    struct heaptap_reader *x = open_to_end(a), *y = open_to_end(b);
    struct map numbers = {0};
    bool fresh;
    for (uint32_t i = 0; i < heaptap_reader_frame_count(x); i++)
        assert_non_null(map_put(&numbers, heaptap_reader_frame_code(x, i), i, &fresh));
    for (uint32_t i = 0; i < heaptap_reader_frame_count(y); i++) {
        const uint32_t *number = map_find(&numbers, heaptap_reader_frame_code(y, i));
        assert_non_null(number);
        assert_true(recording_frame_hash(x, *number) == recording_frame_hash(y, i));
    }
    map_release(&numbers);
    heaptap_reader_close(x);
    heaptap_reader_close(y);
}

static void assert_same_info(const struct bytes *a, const struct bytes *b)
{
    struct heaptap_reader *x, *y;
    assert_int_equal(heaptap_reader_open_memory(&x, a->items, a->size, NULL, NULL), HEAPTAP_OK);
    assert_int_equal(heaptap_reader_open_memory(&y, b->items, b->size, NULL, NULL), HEAPTAP_OK);
    const struct heaptap_trace_info *i = heaptap_reader_info(x), *j = heaptap_reader_info(y);
    assert_true(i->sample_rate == j->sample_rate);
    assert_int_equal(i->word_bits, j->word_bits);
    assert_string_equal(i->executable, j->executable);
    assert_string_equal(i->host, j->host);
    assert_string_equal(i->runtime_params, j->runtime_params);
    assert_string_equal(i->context, j->context);
    assert_int_equal(i->pid, j->pid);
    assert_int_equal(i->start_us, j->start_us);
    assert_int_equal(i->initial_domain, j->initial_domain);
    heaptap_reader_close(x);
    heaptap_reader_close(y);
}

static void assert_round_trip(const char *name, unsigned version, enum heaptap_order order)
{
    struct heaptap_reader_options options = {.order = order};
    struct bytes original = golden_load(name), written = {0};
    struct recording before, after;
    assert_int_equal(rewrite(original.items, original.size, &options, version, 16, &written),
                     HEAPTAP_END);
    recording_read(&before, original.items, original.size, &options);
    recording_read(&after, written.items, written.size, &options);
    assert_int_equal(before.end, HEAPTAP_END);
    assert_int_equal(after.end, HEAPTAP_END);
    assert_int_equal(before.count, after.count);
    assert_int_equal(recording_common(&before, &after), before.count);
    assert_int_equal(after.notes.clock_steps, 0);
    assert_int_equal(after.notes.location_conflicts, 0);
    assert_same_info(&original, &written);
    assert_same_locations(&original, &written);
    printf("# %s to version %u: %zu events, %zu bytes to %zu (%.2f %%)\n", name, version,
           before.count, original.size, written.size,
           100.0 * (double)written.size / (double)original.size);
    assert_true(written.size * 100 <= original.size * 101);
    recording_release(&before);
    recording_release(&after);
    bytes_release(&original);
    bytes_release(&written);
}

static void test_version_2(void **state)
{
    for (size_t i = 0; i < GOLDEN_TRACES; i++)
        assert_round_trip(golden_names[i], 2, HEAPTAP_FILE_ORDER);
}

static void test_version_3(void **state)
{
    for (size_t i = 0; i < GOLDEN_TRACES; i++)
        assert_round_trip(golden_names[i], 3, HEAPTAP_TRUE_ORDER);
}

int main(void)
{
    return RUN_TESTS(test_version_2, test_version_3);
}
