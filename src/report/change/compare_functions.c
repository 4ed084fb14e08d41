/* Which functions changed?  All of them count as tests (report/change/difference_test.h). */
#include <math.h>
#include <stdlib.h>

#include "report/calls/call_graph.h"
#include "report/change/compare_parts.h"
#include "report/change/difference_test.h"
#include "report/symbol_columns.h"
#include "base/text.h"

bool compare_side_is_sampled(const struct compare *compare, const struct compare_side *side)
{
    return compare->weight == WEIGHT_BYTES && side->model->info.sample_rate < 1;
}

bool compare_is_sampled(const struct compare *compare)
{
    return compare_side_is_sampled(compare, &compare->before) ||
           compare_side_is_sampled(compare, &compare->after);
}

struct row {
    struct symbol symbol;
    const char *name;
    const struct difference_row *of;
    struct compare_change change;
};

static const char *state_of(const struct compare_change *change)
{
    return change->before == 0              ? "came"
           : change->after == 0             ? "went"
           : change->after > change->before ? "grew"
                                            : "shrank";
}

#define ROW_GETTER(name, expression)                                                               \
    static struct answer_value name(const void *item, const void *context)                         \
    {                                                                                              \
        const struct row *row = item;                                                              \
        const struct compare_change *change = &row->change;                                        \
        (void)change, (void)context;                                                               \
        return expression;                                                                         \
    }

ROW_GETTER(get_row_state, answer_text(state_of(change)))
ROW_GETTER(get_row_change, answer_number(change->after - change->before))
/* With the line's number in the first file, where it has moved. */
static struct answer_value shown_of(const struct row *row)
{
    if (row->of->base_line == 0)
        return answer_text(row->name);
    return answer_made(text_format("%s, line %u before", row->name, (unsigned)row->of->base_line));
}

ROW_GETTER(get_row_shown, shown_of(row))
ROW_GETTER(get_row_part, compare_part_of(change))

#define OF_ROW(member) ANSWER_FIELD(struct row, member)
#define OF_FUNCTION(member) ANSWER_FIELD_OF(struct row, of, member)

static const struct answer_column row_columns[] = {
    {"name", NULL, ANSWER_NAME, OF_ROW(name), "the function as pprof names it"},
    {"function", NULL, ANSWER_TEXT, SYMBOL_FUNCTION, "its name", .flags = ANSWER_NO_CSV},
    {"file", NULL, ANSWER_TEXT, SYMBOL_FILE, "source file", .flags = ANSWER_NO_CSV},
    {"line", NULL, ANSWER_WHOLE, SYMBOL_LINE, "line of the file",
     .flags = ANSWER_OMIT | ANSWER_NO_CSV},
    {"line_before", NULL, ANSWER_WHOLE, ANSWER_FILLED_OF(struct row, of, base_line),
     "of a line that has moved, its number in the first file",
     .flags = ANSWER_OMIT | ANSWER_NO_CSV},
    {"state", "STATE", ANSWER_TEXT, get_row_state, "came, went, grew or shrank"},
    {"before", "BEFORE", ANSWER_AMOUNT, OF_ROW(change.before),
     "what the function itself has of `measure`, in the first file"},
    {"after", "AFTER", ANSWER_AMOUNT, OF_ROW(change.after), "in the second one"},
    {"change", "CHANGE", ANSWER_CHANGE, get_row_change, "after less before"},
    {"change_low", "FROM", ANSWER_CHANGE, OF_ROW(change.range.low), "bounds of 95 % of the change",
     COMPARE_IS_SAMPLED},
    {"change_high", "TO", ANSWER_CHANGE, OF_ROW(change.range.high), "the upper one",
     COMPARE_IS_SAMPLED},
    {"part", "OF BEFORE", ANSWER_SHIFT, get_row_part, "the change, as part of before"},
    {"before_samples", NULL, ANSWER_WHOLE, OF_FUNCTION(base_flat_samples),
     "samples that `before` rests on; 0 where it is exact", COMPARE_IS_SAMPLED},
    {"after_samples", NULL, ANSWER_WHOLE, OF_FUNCTION(new_flat_samples),
     "samples that `after` rests on; 0 where it is exact", COMPARE_IS_SAMPLED},
    {"p_of_all", NULL, ANSWER_DECIMAL, OF_ROW(change.p_of_all),
     "probability that chance alone makes such a change of any function", COMPARE_IS_SAMPLED},
    {NULL, "FUNCTION", ANSWER_NAME, get_row_shown, NULL, COMPARE_OF_FUNCTIONS},
    {NULL, "FILE", ANSWER_NAME, get_row_shown, NULL, COMPARE_OF_FILES},
};
const struct answer_table compare_functions_table =
    ANSWER_TABLE(ANSWER_ROWS, "rows", ANSWER_IN_ALL, row_columns,
                 "a function that changed, beyond chance and by enough to matter");

static struct estimate_range range_of(const struct compare *compare,
                                      const struct compare_side *side, double value, double samples)
{
    const struct estimate *estimate = &side->model->estimate;
    if (!compare_side_is_sampled(compare, side))
        return (struct estimate_range){value, value, false};
    struct estimate_sum sum = estimate_bytes_sum(estimate, samples);
    return estimate_range(&sum, estimate->sample_rate);
}

static struct compare_change change_of(const struct compare *compare,
                                       const struct difference_row *row)
{
    struct compare_change change = {
        .before = row->base_flat,
        .after = row->new_flat,
        .before_range = range_of(compare, &compare->before, row->base_flat, row->base_flat_samples),
        .after_range = range_of(compare, &compare->after, row->new_flat, row->new_flat_samples)};
    compare_find_range(&change);
    return change;
}

/* What a sample stands for; 1 where there are none. */
static double sample_weight(const struct compare *compare, const struct compare_side *side)
{
    return compare_side_is_sampled(compare, side) ? side->model->estimate.bytes_per_sample : 1;
}

/* Is it one of those that are small? */
static bool judge_function(struct compare_functions *changes, struct compare_change *change,
                           const struct function_verdict *judged)
{
    bool is_small = fabs(change->after - change->before) < changes->rules.smallest;
    bool counts_as_small =
        judged->verdict == CHANGE_SMALL || (judged->verdict == CHANGE_CHANCE && is_small);
    change->p_of_all = judged->p_of_all;
    change->verdict = judged->verdict;
    changes->changed += change->verdict != CHANGE_SAME;
    changes->chance += change->verdict == CHANGE_CHANCE && !is_small;
    changes->small += counts_as_small;
    changes->certain += change->verdict >= CHANGE_LARGER;
    return counts_as_small;
}

static void add_row(struct difference_row *sum, const struct difference_row *row)
{
    sum->base_flat += row->base_flat;
    sum->new_flat += row->new_flat;
    sum->base_flat_samples += row->base_flat_samples;
    sum->new_flat_samples += row->new_flat_samples;
}

bool compare_functions_add_up(const struct compare_functions *changes)
{
    const struct compare_change *sum = &changes->small_sum;
    bool is_sure = sum->range.low > 0 || sum->range.high < 0;
    return is_sure && fabs(sum->after - sum->before) >= changes->rules.smallest;
}

bool compare_functions_judge(struct compare_functions *changes, const struct compare *compare)
{
    size_t count = compare->table.count;
    double total = fmax(compare->table.base_total, compare->table.new_total);
    struct function_verdict *verdicts = calloc(count + 1, sizeof *verdicts);
    *changes = (struct compare_functions){
        .rules = {sample_weight(compare, &compare->before), sample_weight(compare, &compare->after),
                  compare_smallest_part(compare) * total, change_false_alarms}};
    changes->items = calloc(count + 1, sizeof *changes->items);
    struct difference_row small = {0};
    bool done = verdicts && changes->items &&
                difference_test(&compare->table, &changes->rules, false, verdicts);
    for (size_t i = 0; done && i < count; i++) {
        changes->items[i] = change_of(compare, &compare->table.rows[i]);
        if (judge_function(changes, &changes->items[i], &verdicts[i]))
            add_row(&small, &compare->table.rows[i]);
    }
    changes->small_sum = change_of(compare, &small);
    free(verdicts);
    if (!done)
        free(changes->items);
    return done;
}

static bool put_row(struct answer *answer, const struct compare *compare, struct names *names,
                    const struct difference_row *of, const struct compare_change *change)
{
    const struct symbol *symbol = &compare->table.symbols.items[of->symbol];
    struct row row = {*symbol, call_graph_name(names, symbol), of, *change};
    if (row.name)
        answer_row(answer, &row);
    return row.name;
}

bool compare_functions_put(struct answer *answer, const struct compare *compare,
                           const struct compare_functions *changes, size_t shown)
{
    struct answer_section section = {.table = &compare_functions_table,
                                     .context = compare,
                                     .unit = compare->unit,
                                     .has = compare_is_sampled(compare) ? COMPARE_IS_SAMPLED : 0};
    section.has |= compare->options->grain == GRAIN_FILE ? COMPARE_OF_FILES : COMPARE_OF_FUNCTIONS;
    struct names names = {0};
    bool done = true;
    answer_begin(answer, &section);
    for (size_t i = 0; done && i < compare->table.count && shown > 0; i++) {
        if (changes->items[i].verdict < CHANGE_LARGER)
            continue;
        done = put_row(answer, compare, &names, &compare->table.rows[i], &changes->items[i]);
        shown--;
    }
    answer_end(answer);
    names_release(&names);
    return done;
}
