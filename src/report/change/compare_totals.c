/* Which totals changed?  All of them count as tests.  Those that depend on when a garbage collector ran are shown without a verdict. */
#include <math.h>

#include "base/text.h"
#include "base/units.h"
#include "report/change/compare_parts.h"
#include "report/change/holm.h"

/* ---- Changes ------------------------------------------------------------------------- */

void compare_find_range(struct compare_change *change)
{
    change->range = estimate_difference_range(change->after, &change->after_range, 1,
                                              change->before, &change->before_range);
}

static double change_p_of(const struct compare_change *change)
{
    return change_p_of_range(change->after - change->before, &change->range);
}

static const char *verdict_of(const struct compare_change *change)
{
    return change->is_unstable ? "collector" : change_verdict_name(change->verdict);
}

struct answer_value compare_part_of(const struct compare_change *change)
{
    return change->before > 0 ? answer_number((change->after - change->before) / change->before)
                              : answer_nothing();
}

/* ---- Totals -------------------------------------------------------------------------- */

static const char *unit_of(const struct compare_total *figure)
{
    return figure->measure == BUDGET_OBJECTS ? "count" : "bytes";
}

static struct answer_value written(const struct compare_total *figure, double value,
                                   const char *sign)
{
    char number[UNITS_TEXT_BYTES];
    units_value(number, value, unit_of(figure));
    return answer_made(text_format("%s%s", sign, number));
}

static struct answer_value written_change(const struct compare_total *figure, double change)
{
    return written(figure, fabs(change), change > 0 ? "+" : change < 0 ? "-" : "");
}

#define FIGURE_GETTER(name, expression)                                                            \
    ANSWER_GET(name, const struct compare_total *figure = row,                                     \
               const struct compare_change *change = &figure->change, expression)

FIGURE_GETTER(get_measure, answer_text(budget_measure_name(figure->measure)))
FIGURE_GETTER(get_measure_unit, answer_text(unit_of(figure)))
FIGURE_GETTER(get_change, answer_number(change->after - change->before))
FIGURE_GETTER(get_part, compare_part_of(change))
FIGURE_GETTER(get_verdict, answer_text(verdict_of(change)))
FIGURE_GETTER(get_before_text, written(figure, change->before, ""))
FIGURE_GETTER(get_after_text, written(figure, change->after, ""))
FIGURE_GETTER(get_change_text, written_change(figure, change->after - change->before))
FIGURE_GETTER(get_low_text, written_change(figure, change->range.low))
FIGURE_GETTER(get_high_text, written_change(figure, change->range.high))

#define OF_FIGURE(member) ANSWER_FIELD(struct compare_total, member)

static const struct answer_column figure_columns[] = {
    {"measure", "TOTAL", ANSWER_TEXT, get_measure,
     "peak, allocated, live-at-end or objects, as in budgets"},
    {"unit", NULL, ANSWER_TEXT, get_measure_unit, "bytes, or count of objects"},
    {NULL, "BEFORE", ANSWER_TEXT, get_before_text},
    {NULL, "AFTER", ANSWER_TEXT, get_after_text},
    {NULL, "CHANGE", ANSWER_TEXT, get_change_text},
    {NULL, "FROM", ANSWER_TEXT, get_low_text, NULL, COMPARE_IS_SAMPLED},
    {NULL, "TO", ANSWER_TEXT, get_high_text, NULL, COMPARE_IS_SAMPLED},
    {"before", NULL, ANSWER_DECIMAL, OF_FIGURE(change.before), "in the first file"},
    {"after", NULL, ANSWER_DECIMAL, OF_FIGURE(change.after), "in the second one"},
    {"change", NULL, ANSWER_DECIMAL, get_change, "after less before"},
    {"change_low", NULL, ANSWER_DECIMAL, OF_FIGURE(change.range.low),
     "bounds of 95 % of the change"},
    {"change_high", NULL, ANSWER_DECIMAL, OF_FIGURE(change.range.high), "the upper one"},
    {"part", "OF BEFORE", ANSWER_SHIFT, get_part, "the change, as part of before"},
    {"verdict", "VERDICT", ANSWER_TEXT, get_verdict,
     "larger, smaller or same; chance: the samples may have made the change, with all totals counted; small: less than the "
     "smallest change that matters; collector: it depends on when the garbage collector ran"},
};
const struct answer_table compare_totals_table =
    ANSWER_TABLE(ANSWER_ROWS, "totals", ANSWER_IN_TEXT | ANSWER_IN_JSON, figure_columns,
                 "a total that both files have");

bool compare_is_collected(const struct compare *compare)
{
    return compare->before.model->is_collected || compare->after.model->is_collected;
}

static struct compare_total figure_of(const struct compare *compare, enum budget_measure measure)
{
    const struct budget_figure *before = &compare->before.figures[measure],
                               *after = &compare->after.figures[measure];
    bool is_live = measure == BUDGET_PEAK || measure == BUDGET_LIVE_AT_END;
    struct compare_total figure = {measure,
                                   {before->value, after->value, before->range, after->range,
                                    .is_unstable = is_live && compare_is_collected(compare)}};
    compare_find_range(&figure.change);
    return figure;
}

/* The figure that changed least by chance of those that have no verdict yet; NULL for none. */
static struct compare_change *surest_change(struct compare_totals *figures)
{
    struct compare_change *surest = NULL;
    for (size_t i = 0; i < figures->count; i++) {
        struct compare_change *change = &figures->items[i].change;
        bool is_open = !change->is_unstable && change->p_of_all < 0;
        if (is_open && (!surest || change_p_of(change) < change_p_of(surest)))
            surest = change;
    }
    return surest;
}

static void judge_figures(struct compare_totals *figures, double smallest)
{
    size_t left = 0;
    double p = 0;
    struct compare_change *change;
    for (size_t i = 0; i < figures->count; i++) {
        figures->items[i].change.p_of_all = -1;
        left += !figures->items[i].change.is_unstable;
    }
    while ((change = surest_change(figures))) {
        struct change_rules rules = {.smallest = smallest * fmax(change->before, change->after),
                                     .rate = change_false_alarms};
        change->p_of_all = p = holm_next(p, change_p_of(change), left--);
        change->verdict = change_judge(change->after - change->before, p, &rules);
    }
}

struct compare_totals compare_totals_of(const struct compare *compare)
{
    struct compare_totals figures = {0};
    for (int i = 0; i < BUDGET_MEASURES; i++)
        if (compare->before.has[i] && compare->after.has[i])
            figures.items[figures.count++] = figure_of(compare, (enum budget_measure)i);
    judge_figures(&figures, compare_smallest_part(compare));
    return figures;
}

void compare_totals_put(struct answer *answer, const struct compare *compare,
                        const struct compare_totals *figures)
{
    struct answer_section section = {.table = &compare_totals_table,
                                     .context = compare,
                                     .has = compare_is_sampled(compare) ? COMPARE_IS_SAMPLED : 0};
    ANSWER_ITEMS(answer, &section, figures->items, figures->count);
}

bool compare_totals_has_changed(const struct compare_totals *figures, enum budget_measure measure)
{
    for (size_t i = 0; i < figures->count; i++) {
        const struct compare_change *change = &figures->items[i].change;
        if (figures->items[i].measure == measure)
            return !change->is_unstable && change->verdict >= CHANGE_LARGER;
    }
    return false;
}

enum budget_measure compare_totals_most_fallen(const struct compare_totals *figures)
{
    enum budget_measure found = BUDGET_MEASURES;
    double part = 0;
    for (size_t i = 0; i < figures->count; i++) {
        const struct compare_total *figure = &figures->items[i];
        double change = figure->change.after - figure->change.before;
        if (figure->measure != BUDGET_OBJECTS && !figure->change.is_unstable &&
            figure->change.verdict == CHANGE_SMALLER && change / figure->change.before < part) {
            part = change / figure->change.before;
            found = figure->measure;
        }
    }
    return found;
}
