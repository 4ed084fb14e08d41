#include "report/change/verdict.h"

#include "base/magnitude.h"

/* Nothing is never as expected: it may not have been recorded. */
static enum verdict judge_expectation(const struct budget_figure *figure, double expected,
                                      bool is_strict)
{
    if (figure->value > 0 && magnitude_is_near(figure->value, expected))
        return VERDICT_HOLDS;
    bool may_be = figure->value > 0 && (magnitude_is_near(figure->range.low, expected) ||
                                        magnitude_is_near(figure->range.high, expected));
    return may_be && !is_strict ? VERDICT_UNCERTAIN : VERDICT_BROKEN;
}

void verdict_judge(struct outcome *outcome, bool is_strict)
{
    const struct budget *budget = outcome->budget;
    const struct budget_figure *figure = &outcome->figure, *base = &outcome->base;
    double allowed = 1 + budget->limit;
    outcome->limit = budget->is_growth ? allowed * base->value : budget->limit;
    outcome->over = estimate_difference_range(
        figure->value, &figure->range, budget->is_growth ? allowed : 0, base->value, &base->range);
    if (!budget->is_growth) {
        outcome->over.low -= budget->limit;
        outcome->over.high -= budget->limit;
    }
    double over = figure->value - outcome->limit;
    outcome->verdict = outcome->over.low > 0
                           ? VERDICT_BROKEN /* what was seen may be over, and the estimate not */
                       : over <= 0 ? VERDICT_HOLDS
                       : is_strict ? VERDICT_BROKEN
                                   : VERDICT_UNCERTAIN;
    if (budget->is_expected)
        outcome->verdict = judge_expectation(figure, budget->limit, is_strict);
}

/* What was allocated, and the peak, can only become more; what is left at the end may still be freed. */
static bool may_change(const struct outcome *outcome)
{
    const struct budget *budget = outcome->budget;
    bool is_few = budget->is_expected && outcome->figure.value < budget->limit;
    return outcome->verdict != VERDICT_BROKEN || budget->measure == BUDGET_LIVE_AT_END || is_few;
}

void verdict_doubt(struct outcome *outcome, bool file_lacks, bool base_lacks)
{
    bool is_open_by_file = file_lacks && may_change(outcome);
    outcome->is_open = is_open_by_file || (base_lacks && outcome->budget->is_growth);
    outcome->is_open_by_base = outcome->is_open && !is_open_by_file;
    outcome->holds_so_far = outcome->is_open && outcome->verdict == VERDICT_HOLDS;
    if (outcome->is_open)
        outcome->verdict = VERDICT_UNCERTAIN;
}

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {"holds", "uncertain", "broken"};
    return names[verdict];
}
