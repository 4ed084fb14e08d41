#include "report/change/difference_test.h"

#include <math.h>
#include <stdlib.h>

static struct site_sum sum_of(double value, double samples)
{
    return (struct site_sum){value, samples > 0 ? value * value / samples : 0};
}

static struct change_test test_of(const struct difference_row *row, bool by_cum)
{
    if (by_cum)
        return (struct change_test){.before = sum_of(row->base_cum, row->base_cum_samples),
                                    .after = sum_of(row->new_cum, row->new_cum_samples)};
    return (struct change_test){.before = sum_of(row->base_flat, row->base_flat_samples),
                                .after = sum_of(row->new_flat, row->new_flat_samples)};
}

/* What is too small to be among the tests is beyond chance if it is so with all `count` rows as tests. */
static enum change_verdict verdict_of(const struct change_test *test, size_t count,
                                      const struct change_rules *rules)
{
    double change = test->after.value - test->before.value;
    bool is_small = fabs(change) < rules->smallest;
    double p = is_small ? fmin(test->p_of_all, test->p * (double)count) : test->p_of_all;
    return change_judge(change, p, rules);
}

bool difference_test(const struct difference_table *table, const struct change_rules *rules,
                     bool by_cum, struct function_verdict *verdicts)
{
    struct change_test *tests = calloc(table->count + 1, sizeof *tests);
    for (size_t i = 0; tests && i < table->count; i++)
        tests[i] = test_of(&table->rows[i], by_cum);
    bool done = tests && changes_test(tests, table->count, rules);
    for (size_t i = 0; done && i < table->count; i++)
        verdicts[i] = (struct function_verdict){tests[i].p_of_all,
                                                verdict_of(&tests[i], table->count, rules)};
    free(tests);
    return done;
}
