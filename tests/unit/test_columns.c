/* Columns that show a member of their row. */
#include <math.h>
#include <string.h>

#include "run_tests.h"
#include "answer/answer.h"

struct part {
    const char *name;
    uint64_t samples;
    double kept;
    struct estimate_range kept_range;
};

struct row {
    const struct part *part;
    double bytes;
    int32_t change;
    char line[16];
    double steps[3];
};

static struct answer_value value(struct answer_column column, const void *row)
{
    struct answer_section section = {.whole = 8, .sample_bytes = 100};
    return answer_value_of(&section, &column, row);
}

#define VALUE(row, ...) value((struct answer_column){"key", NULL, ANSWER_TEXT, __VA_ARGS__}, row)

static const struct part part = {"a", 3, 0.5, {.low = 0.25, .high = 0.75}};

static void members(void **state)
{
    struct row row = {&part, 2, -7, "let x = 1", {1, 2, 3}};
    assert_true(VALUE(&row, ANSWER_FIELD(struct row, bytes)).number == 2);
    assert_int_equal(VALUE(&row, ANSWER_FIELD(struct row, change)).integer, -7);
    assert_string_equal(VALUE(&row, ANSWER_FIELD(struct row, line)).text, "let x = 1");
    assert_string_equal(VALUE(&row, ANSWER_FIELD_OF(struct row, part, name)).text, "a");
    assert_true(VALUE(&row.bytes, ANSWER_ITSELF(double)).number == 2);
    struct answer_value steps = VALUE(&row, ANSWER_FIELD(struct row, steps));
    assert_int_equal(steps.count, 3);
    assert_true(steps.series[2] == 3);
}

static void nothing(void **state)
{
    struct row row = {.bytes = NAN};
    assert_false(VALUE(&row, ANSWER_FIELD(struct row, bytes)).is_known);
    assert_false(VALUE(&row, ANSWER_PART(struct row, bytes)).is_known);
    assert_false(VALUE(&row, ANSWER_FIELD_OF(struct row, part, samples)).is_known);
    assert_true(VALUE(&row, ANSWER_FIELD(struct row, change)).is_known);
    assert_false(VALUE(&row, ANSWER_FILLED(struct row, change)).is_known);
    assert_true(VALUE(&row, ANSWER_FIELD(struct row, line)).is_known);
    assert_false(VALUE(&row, ANSWER_FILLED(struct row, line)).is_known);
}

static void scales(void **state)
{
    struct row row = {&part, .bytes = 2};
    assert_true(VALUE(&row, ANSWER_PART(struct row, bytes)).number == 0.25);
    assert_true(VALUE(&row, ANSWER_SAMPLES_OF(struct row, part, samples)).number == 300);
    struct answer_value kept = VALUE(&row, ANSWER_BOUNDED_OF(struct row, part, kept, kept_range));
    assert_true(kept.number == 0.5 && kept.range.low == 0.25 && kept.range.high == 0.75);
    struct answer_section empty = {0};
    struct answer_column part_of = {"key", NULL, ANSWER_SHARE, ANSWER_PART(struct row, bytes)};
    assert_true(answer_value_of(&empty, &part_of, &row).number == 0);
}

int main(void)
{
    return RUN_TESTS(members, nothing, scales);
}
