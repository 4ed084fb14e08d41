/* Times and order of blocks, as rows keep them: of runs of hours as well. */
#include <string.h>

#include "run_tests.h"
#include "profile/model_trace.h"

#define HOUR_US (INT64_C(3600) * 1000000)
#define NARROW_MAX ((uint64_t)UINT32_MAX - 1) /* the largest that takes no upper half */

static void columns_widen_as_needed(void **state)
{
    struct wide_column column = {0};
    assert_true(wide_column_resize(&column, 4));
    assert_true(wide_column_get(&column, 3) == WIDE_COLUMN_NONE);
    assert_true(wide_column_set(&column, 0, 0));
    assert_true(wide_column_set(&column, 1, NARROW_MAX));
    assert_true(wide_column_set(&column, 2, WIDE_COLUMN_NONE));
    assert_null(column.high);
    assert_true(wide_column_set(&column, 3, NARROW_MAX + 1));
    assert_non_null(column.high);
    assert_true(wide_column_resize(&column, 6));
    assert_true(wide_column_set(&column, 4, UINT64_MAX - 1));
    assert_true(wide_column_set(&column, 5, 7));
    const uint64_t expected[] = {0, NARROW_MAX, WIDE_COLUMN_NONE, NARROW_MAX + 1, UINT64_MAX - 1,
                                 7};
    struct wide_column behind = wide_column_from(&column, 2);
    for (size_t i = 0; i < 6; i++)
        assert_true(wide_column_get(&column, i) == expected[i]);
    for (size_t i = 2; i < 6; i++)
        assert_true(wide_column_get(&behind, i - 2) == expected[i]);
    wide_column_release(&column);
}

static void add(struct model_builder *builder, enum heaptap_event_kind kind, uint64_t id,
                uint16_t domain, int64_t time_us)
{
    struct heaptap_event event = {.kind = kind,
                                  .id = id,
                                  .domain = domain,
                                  .time_us = time_us,
                                  .length = 3,
                                  .samples = 1,
                                  .source = HEAPTAP_MINOR};
    assert_true(model_builder_add(builder, &event));
}

static void check_row(const struct model *model, size_t row, int64_t born_us, int64_t promoted_us,
                      int64_t died_us)
{
    assert_true(model_row_born_us(model, row) == born_us);
    assert_true(model_row_promoted_us(model, row) == promoted_us);
    assert_true(model_row_died_us(model, row) == died_us);
}

/* Half an hour: nothing is wide.  Then two, and the rows before stay what they were. */
static void long_runs_keep_their_times(void **state)
{
    struct model_builder builder;
    struct heaptap_trace_info info = {
        .sample_rate = 1, .word_bits = 64, .executable = "", .host = "", .context = ""};
    info.runtime_params = "";
    assert_true(model_builder_init(&builder, &info));
    const struct model *model = builder.model;
    add(&builder, HEAPTAP_ALLOC, 0, 0, 5);
    add(&builder, HEAPTAP_ALLOC, 1, 1, HOUR_US / 2);
    add(&builder, HEAPTAP_ALLOC, 2, 0, HOUR_US / 2);
    add(&builder, HEAPTAP_COLLECT, 0, 0, HOUR_US / 2 + 1);
    assert_null(model->objects.born_us.high);
    assert_null(model->objects.died_us.high);
    assert_null(model->objects.end_domain);
    assert_false(model_has_promotions(model));
    check_row(model, 0, 5, MODEL_NEVER, HOUR_US / 2 + 1);
    add(&builder, HEAPTAP_PROMOTE, 1, 1, 2 * HOUR_US);
    for (uint64_t id = 3; id < 3000; id++) /* columns grow */
        add(&builder, HEAPTAP_ALLOC, id, 0, 2 * HOUR_US + (int64_t)id);
    add(&builder, HEAPTAP_COLLECT, 1, 0, 3 * HOUR_US); /* not its own domain */
    add(&builder, HEAPTAP_COLLECT, 2999, 0, 1000 * HOUR_US);
    check_row(model, 0, 5, MODEL_NEVER, HOUR_US / 2 + 1);
    check_row(model, 1, HOUR_US / 2, 2 * HOUR_US, 3 * HOUR_US);
    check_row(model, 2, HOUR_US / 2, MODEL_NEVER, MODEL_NEVER);
    check_row(model, 2999, 2 * HOUR_US + 2999, MODEL_NEVER, 1000 * HOUR_US);
    assert_true(model_row_end(model, 0) == 3 && model_row_end(model, 1) == 3000);
    assert_true(model_row_end(model, 2) == UINT64_MAX);
    assert_int_equal(model_row_end_domain(model, 0), 0);
    assert_int_equal(model_row_end_domain(model, 1), 0);
    assert_int_equal(model_row_end_domain(model, 2999), 0);
    add(&builder, HEAPTAP_ALLOC, 3000, 2, 1000 * HOUR_US);
    assert_int_equal(model_row_end_domain(model, 3000), 2);
    model_builder_release(&builder);
}

int main(void)
{
    return RUN_TESTS(columns_widen_as_needed, long_runs_keep_their_times);
}
