/* Before and after.
 *
 * Three questions, in this order.  Are the two comparable: the same program, run in the same way, recorded at the same rate?
 * What differs is a remark.  Which totals changed?  And which functions did that?
 *
 * A change is told as one where it is beyond chance, all of the totals or all of the functions counted as tests
 * (report/change/change_test.h), and where it is large enough to matter.  A figure that depends on when a garbage collector ran, as the
 * peak does in OCaml, may differ by half from one run to the next of the same program; it is shown without a verdict. */
#include "report/change/compare.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/calls/call_graph.h"
#include "report/change/difference_test.h"
#include "report/change/holm.h"
#include "base/plain.h"
#include "base/units.h"
#include "report/head.h"
#include "report/symbol_columns.h"
#include "report/holders/root_changes.h"

enum { ROWS_SHOWN = 20, REMARKS_MAX = 16 };

/* ---- Options ------------------------------------------------------------------------- */

const struct compare_question compare_usual = {.smallest = 0.01};

const struct question_option compare_options[] = {
    {"smallest", 0, OPTION_SHARE, PART_OWN, "PART",
     "The smallest change that matters, as part of the larger of both totals: 1% is the default, 0 for any",
     offsetof(struct compare_question, smallest)},
    {NULL},
};

static double smallest_part(const struct compare *compare)
{
    return ((const struct compare_question *)compare->options->own)->smallest;
}

/* ---- Changes ------------------------------------------------------------------------- */

/* One figure, in both. */
struct change {
    double before, after;
    struct estimate_range before_range, after_range;
    struct estimate_range range; /* of after less before */
    bool is_unstable;            /* it depends on when a garbage collector ran */
    double p_of_all;             /* unless it is unstable: see report/change/change_test.h */
    enum change_verdict verdict; /* likewise */
};

static void find_range(struct change *change)
{
    change->range = estimate_difference_range(change->after, &change->after_range, 1,
                                              change->before, &change->before_range);
}

static double change_p_of(const struct change *change)
{
    return change_p_of_range(change->after - change->before, &change->range);
}

static const char *verdict_of(const struct change *change)
{
    return change->is_unstable ? "collector" : change_verdict_name(change->verdict);
}

static struct answer_value part_of(const struct change *change)
{
    return change->before > 0 ? answer_number((change->after - change->before) / change->before)
                              : answer_nothing();
}

/* ---- Totals -------------------------------------------------------------------------- */

struct figure {
    enum budget_measure measure;
    struct change change;
};

enum { IS_SAMPLED = 1 };

static const char *unit_of(const struct figure *figure)
{
    return figure->measure == BUDGET_OBJECTS ? "count" : "bytes";
}

static struct answer_value written(const struct figure *figure, double value, const char *sign)
{
    char number[UNITS_TEXT_BYTES], *text;
    units_value(number, value, unit_of(figure));
    return answer_made(asprintf(&text, "%s%s", sign, number) < 0 ? NULL : text);
}

static struct answer_value written_change(const struct figure *figure, double change)
{
    return written(figure, fabs(change), change > 0 ? "+" : change < 0 ? "-" : "");
}

#define FIGURE_GETTER(name, expression)                                                            \
    static struct answer_value name(const void *row, const void *context)                          \
    {                                                                                              \
        const struct figure *figure = row;                                                         \
        const struct change *change = &figure->change;                                             \
        (void)change, (void)context;                                                               \
        return expression;                                                                         \
    }

FIGURE_GETTER(get_measure, answer_text(budget_measure_name(figure->measure)))
FIGURE_GETTER(get_measure_unit, answer_text(unit_of(figure)))
FIGURE_GETTER(get_change, answer_number(change->after - change->before))
FIGURE_GETTER(get_part, part_of(change))
FIGURE_GETTER(get_verdict, answer_text(verdict_of(change)))
FIGURE_GETTER(get_before_text, written(figure, change->before, ""))
FIGURE_GETTER(get_after_text, written(figure, change->after, ""))
FIGURE_GETTER(get_change_text, written_change(figure, change->after - change->before))
FIGURE_GETTER(get_low_text, written_change(figure, change->range.low))
FIGURE_GETTER(get_high_text, written_change(figure, change->range.high))

#define OF_FIGURE(member) ANSWER_FIELD(struct figure, member)
#define OF_ROW(member) ANSWER_FIELD(struct row, member)
#define OF_FUNCTION(member) ANSWER_FIELD_OF(struct row, of, member)
#define OF_COMPARE(member) ANSWER_FIELD_OF(struct head, compare, member)
#define OF_HEAD(member) ANSWER_FIELD(struct head, member)

static const struct answer_column figure_columns[] = {
    {"measure", "TOTAL", ANSWER_TEXT, get_measure, 0, 0,
     "peak, allocated, live-at-end or objects, as in budgets"},
    {"unit", NULL, ANSWER_TEXT, get_measure_unit, 0, 0, "bytes, or count of objects"},
    {NULL, "BEFORE", ANSWER_TEXT, get_before_text, 0, 0, NULL},
    {NULL, "AFTER", ANSWER_TEXT, get_after_text, 0, 0, NULL},
    {NULL, "CHANGE", ANSWER_TEXT, get_change_text, 0, 0, NULL},
    {NULL, "FROM", ANSWER_TEXT, get_low_text, IS_SAMPLED, 0, NULL},
    {NULL, "TO", ANSWER_TEXT, get_high_text, IS_SAMPLED, 0, NULL},
    {"before", NULL, ANSWER_DECIMAL, OF_FIGURE(change.before), 0, 0, "in the first file"},
    {"after", NULL, ANSWER_DECIMAL, OF_FIGURE(change.after), 0, 0, "in the second one"},
    {"change", NULL, ANSWER_DECIMAL, get_change, 0, 0, "after less before"},
    {"change_low", NULL, ANSWER_DECIMAL, OF_FIGURE(change.range.low), 0, 0,
     "bounds of 95 % of the change"},
    {"change_high", NULL, ANSWER_DECIMAL, OF_FIGURE(change.range.high), 0, 0, "the upper one"},
    {"part", "OF BEFORE", ANSWER_SHIFT, get_part, 0, 0, "the change, as part of before"},
    {"verdict", "VERDICT", ANSWER_TEXT, get_verdict, 0, 0,
     "larger, smaller or same; chance: the samples may have made the change, with all totals counted; small: less than the "
     "smallest change that matters; collector: it depends on when the garbage collector ran"},
};
static const struct answer_table figures_table = {"totals",
                                                  ANSWER_ROWS,
                                                  ANSWER_FITTED,
                                                  ANSWER_IN_TEXT | ANSWER_IN_JSON,
                                                  ANSWER_COLUMNS(figure_columns),
                                                  "a total that both files have"};

static bool is_collected(const struct compare *compare)
{
    return compare->before.model->is_collected || compare->after.model->is_collected;
}

static struct figure figure_of(const struct compare *compare, enum budget_measure measure)
{
    const struct budget_figure *before = &compare->before.figures[measure],
                               *after = &compare->after.figures[measure];
    bool is_live = measure == BUDGET_PEAK || measure == BUDGET_LIVE_AT_END;
    struct figure figure = {measure,
                            {before->value, after->value, before->range, after->range,
                             .is_unstable = is_live && is_collected(compare)}};
    find_range(&figure.change);
    return figure;
}

/* Totals that both files have. */
struct figures {
    struct figure items[BUDGET_MEASURES];
    size_t count;
};

/* The figure that changed least by chance of those that have no verdict yet; NULL for none. */
static struct change *surest_change(struct figures *figures)
{
    struct change *surest = NULL;
    for (size_t i = 0; i < figures->count; i++) {
        struct change *change = &figures->items[i].change;
        bool is_open = !change->is_unstable && change->p_of_all < 0;
        if (is_open && (!surest || change_p_of(change) < change_p_of(surest)))
            surest = change;
    }
    return surest;
}

static void judge_figures(struct figures *figures, double smallest)
{
    size_t left = 0;
    double p = 0;
    struct change *change;
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

static struct figures figures_of(const struct compare *compare)
{
    struct figures figures = {0};
    for (int i = 0; i < BUDGET_MEASURES; i++)
        if (compare->before.has[i] && compare->after.has[i])
            figures.items[figures.count++] = figure_of(compare, (enum budget_measure)i);
    judge_figures(&figures, smallest_part(compare));
    return figures;
}

static bool side_is_sampled(const struct compare *compare, const struct compare_side *side)
{
    return compare->weight == WEIGHT_BYTES && side->model->info.sample_rate < 1;
}

static void put_figures(struct answer *answer, const struct compare *compare,
                        const struct figures *figures)
{
    bool is_sampled =
        side_is_sampled(compare, &compare->before) || side_is_sampled(compare, &compare->after);
    struct answer_section section = {
        .table = &figures_table, .context = compare, .has = is_sampled ? IS_SAMPLED : 0};
    answer_begin(answer, &section);
    for (size_t i = 0; i < figures->count; i++)
        answer_row(answer, &figures->items[i]);
    answer_end(answer);
}

/* ---- Functions ----------------------------------------------------------------------- */

struct row {
    struct symbol symbol;
    const char *name;
    const struct difference_row *of;
    struct change change;
};

static const char *state_of(const struct change *change)
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
        const struct change *change = &row->change;                                                \
        (void)change, (void)context;                                                               \
        return expression;                                                                         \
    }

ROW_GETTER(get_row_state, answer_text(state_of(change)))
ROW_GETTER(get_row_change, answer_number(change->after - change->before))
ROW_GETTER(get_row_part, part_of(change))

static const struct answer_column row_columns[] = {
    {"name", NULL, ANSWER_NAME, OF_ROW(name), 0, 0, "the function as pprof names it"},
    {"function", NULL, ANSWER_TEXT, symbol_column_function, 0, ANSWER_NO_CSV, "its name"},
    {"file", NULL, ANSWER_TEXT, symbol_column_file, 0, ANSWER_NO_CSV, "source file"},
    {"line", NULL, ANSWER_WHOLE, symbol_column_line, 0, ANSWER_OMIT | ANSWER_NO_CSV,
     "line of the file"},
    {"state", "STATE", ANSWER_TEXT, get_row_state, 0, 0, "came, went, grew or shrank"},
    {"before", "BEFORE", ANSWER_AMOUNT, OF_ROW(change.before), 0, 0,
     "what the function allocates itself, in the first file"},
    {"after", "AFTER", ANSWER_AMOUNT, OF_ROW(change.after), 0, 0, "in the second one"},
    {"change", "CHANGE", ANSWER_CHANGE, get_row_change, 0, 0, "after less before"},
    {"change_low", "FROM", ANSWER_CHANGE, OF_ROW(change.range.low), IS_SAMPLED, 0,
     "bounds of 95 % of the change"},
    {"change_high", "TO", ANSWER_CHANGE, OF_ROW(change.range.high), IS_SAMPLED, 0, "the upper one"},
    {"part", "OF BEFORE", ANSWER_SHIFT, get_row_part, 0, 0, "the change, as part of before"},
    {"before_samples", NULL, ANSWER_WHOLE, OF_FUNCTION(base_flat_samples), IS_SAMPLED, 0,
     "samples that `before` rests on; 0 where it is exact"},
    {"after_samples", NULL, ANSWER_WHOLE, OF_FUNCTION(new_flat_samples), IS_SAMPLED, 0,
     "samples that `after` rests on; 0 where it is exact"},
    {"p_of_all", NULL, ANSWER_DECIMAL, OF_ROW(change.p_of_all), IS_SAMPLED, 0,
     "probability that chance alone makes such a change of any function"},
    {NULL, "FUNCTION", ANSWER_NAME, OF_ROW(name), 0, 0, NULL},
};
static const struct answer_table rows_table = {
    "rows",
    ANSWER_ROWS,
    ANSWER_FITTED,
    ANSWER_IN_ALL,
    ANSWER_COLUMNS(row_columns),
    "a function that changed, beyond chance and by enough to matter"};

static struct estimate_range range_of(const struct compare *compare,
                                      const struct compare_side *side, double value, double samples)
{
    const struct estimate *estimate = &side->model->estimate;
    if (!side_is_sampled(compare, side))
        return (struct estimate_range){value, value, false};
    struct estimate_sum sum = estimate_bytes_sum(estimate, samples);
    return estimate_range(&sum, estimate->sample_rate);
}

/* The functions' changes and how they were judged. */
struct changes {
    struct change *items; /* by row of the table; malloc'ed */
    struct change_rules rules;
    /* How many changed; and how many of these by what: those that are small, be it by chance or not, count as small alone. */
    size_t changed, chance, small, certain;
};

static struct change change_of(const struct compare *compare, const struct difference_row *row)
{
    struct change change = {
        .before = row->base_flat,
        .after = row->new_flat,
        .before_range = range_of(compare, &compare->before, row->base_flat, row->base_flat_samples),
        .after_range = range_of(compare, &compare->after, row->new_flat, row->new_flat_samples)};
    find_range(&change);
    return change;
}

/* What a sample stands for; 1 where there are none. */
static double sample_weight(const struct compare *compare, const struct compare_side *side)
{
    return side_is_sampled(compare, side) ? side->model->estimate.bytes_per_sample : 1;
}

static void judge_function(struct changes *changes, struct change *change,
                           const struct function_verdict *judged)
{
    bool is_small = fabs(change->after - change->before) < changes->rules.smallest;
    change->p_of_all = judged->p_of_all;
    change->verdict = judged->verdict;
    changes->changed += change->verdict != CHANGE_SAME;
    changes->chance += change->verdict == CHANGE_CHANCE && !is_small;
    changes->small +=
        change->verdict == CHANGE_SMALL || (change->verdict == CHANGE_CHANCE && is_small);
    changes->certain += change->verdict >= CHANGE_LARGER;
}

/* False when there is no memory; then there is nothing to free. */
static bool judge_functions(struct changes *changes, const struct compare *compare)
{
    size_t count = compare->table.count;
    double total = fmax(compare->table.base_total, compare->table.new_total);
    struct function_verdict *verdicts = calloc(count + 1, sizeof *verdicts);
    *changes = (struct changes){.rules = {sample_weight(compare, &compare->before),
                                          sample_weight(compare, &compare->after),
                                          smallest_part(compare) * total, change_false_alarms}};
    changes->items = calloc(count + 1, sizeof *changes->items);
    bool done = verdicts && changes->items &&
                difference_test(&compare->table, &changes->rules, false, verdicts);
    for (size_t i = 0; done && i < count; i++) {
        changes->items[i] = change_of(compare, &compare->table.rows[i]);
        judge_function(changes, &changes->items[i], &verdicts[i]);
    }
    free(verdicts);
    if (!done)
        free(changes->items);
    return done;
}

static bool put_row(struct answer *answer, const struct compare *compare, struct names *names,
                    const struct difference_row *of, const struct change *change)
{
    const struct symbol *symbol = &compare->table.symbols.items[of->symbol];
    struct row row = {*symbol, call_graph_name(names, symbol), of, *change};
    if (row.name)
        answer_row(answer, &row);
    return row.name;
}

static bool put_rows(struct answer *answer, const struct compare *compare,
                     const struct changes *changes, size_t shown)
{
    bool is_sampled =
        side_is_sampled(compare, &compare->before) || side_is_sampled(compare, &compare->after);
    struct answer_section section = {.table = &rows_table,
                                     .context = compare,
                                     .unit = compare->unit,
                                     .has = is_sampled ? IS_SAMPLED : 0};
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

/* ---- Are the two comparable? --------------------------------------------------------- */

struct remarks {
    char *items[REMARKS_MAX]; /* malloc'ed */
    size_t count;
    bool failed; /* there was no memory */
};

__attribute__((format(printf, 2, 3))) static void remark(struct remarks *remarks,
                                                         const char *format, ...)
{
    va_list arguments;
    char *text;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        remarks->failed = true;
    else
        remarks->items[remarks->count++] = text;
    va_end(arguments);
}

static void look_at_texts(struct remarks *remarks, const char *what, const char *before,
                          const char *after)
{
    before = before ? before : "";
    after = after ? after : "";
    if (strcmp(before, after) != 0)
        remark(remarks, "%s: %s before, %s after", what, *before ? plain(before) : "none",
               *after ? plain(after) : "none");
}

static void look_at_traces(struct remarks *remarks, const struct model *before,
                           const struct model *after)
{
    double shorter = (double)(before->end_us < after->end_us ? before->end_us : after->end_us),
           longer = (double)(before->end_us < after->end_us ? after->end_us : before->end_us);
    look_at_texts(remarks, "the runtime's parameters differ", before->info.runtime_params,
                  after->info.runtime_params);
    look_at_texts(remarks, "the recordings' contexts differ", before->info.context,
                  after->info.context);
    if (before->info.sample_rate != after->info.sample_rate)
        remark(remarks, "the sampling rates differ: %g before, %g after; the bounds allow for it",
               before->info.sample_rate, after->info.sample_rate);
    if (longer > 2 * shorter && longer > 1e6)
        remark(remarks, "one ran longer than the other: %.3g s before, %.3g s after",
               (double)before->end_us / 1e6, (double)after->end_us / 1e6);
    if (before->info.pid == after->info.pid && before->info.start_us == after->info.start_us &&
        before->info.pid != 0)
        remark(remarks, "both are of the same run");
}

/* What isn't known of one of them is no difference. */
static void look_at_programs(struct remarks *remarks, const char *before, const char *after)
{
    if (*before && *after)
        look_at_texts(remarks, "the programs differ", before, after);
}

/* Totals that are left out as their unit is none of bytes. */
static void look_at_units(struct remarks *remarks, const struct compare_side *side)
{
    for (int i = 0; i < BUDGET_MEASURES; i++) {
        const struct model_value_type *odd = budget_odd_type(side->model, (enum budget_measure)i);
        if (odd)
            remark(remarks,
                   "%s of %s is in '%s', which can't be turned into bytes: '%s' isn't compared",
                   odd->name, plain(side->name), plain(odd->unit),
                   budget_measure_name((enum budget_measure)i));
    }
}

static void look(struct remarks *remarks, const struct compare *compare)
{
    const struct model *before = compare->before.model, *after = compare->after.model;
    look_at_programs(remarks, model_program_name(before), model_program_name(after));
    if (before->kind != after->kind)
        remark(remarks, "one is a trace, the other a profile");
    else if (before->kind == MODEL_OBJECTS)
        look_at_traces(remarks, before, after);
    look_at_units(remarks, &compare->before);
    look_at_units(remarks, &compare->after);
    if (before->kind == MODEL_SAMPLES || after->kind == MODEL_SAMPLES)
        remark(remarks,
               "a profile does not record the errors of its figures: they are taken as exact");
    if (!compare->before.is_whole || !compare->after.is_whole)
        remark(remarks, "%s not hold all that the program did",
               compare->before.is_whole  ? "the second file does"
               : compare->after.is_whole ? "the first file does"
                                         : "both files do");
}

static struct answer_value get_remark(const void *row, const void *context)
{
    (void)context;
    return answer_text(row);
}

static const struct answer_column remark_columns[] = {
    {"remark", NULL, ANSWER_TEXT, get_remark, 0, 0, "a sentence"},
};
static const struct answer_table remarks_table = {"remarks",
                                                  ANSWER_LIST,
                                                  ANSWER_FITTED,
                                                  ANSWER_IN_JSON,
                                                  ANSWER_COLUMNS(remark_columns),
                                                  "reasons to doubt the comparison"};

static bool put_remarks(struct answer *answer, const struct compare *compare)
{
    struct remarks remarks = {0};
    struct answer_section section = {.table = &remarks_table, .context = compare};
    look(&remarks, compare);
    answer_begin(answer, &section);
    for (size_t i = 0; i < remarks.count; i++)
        answer_row(answer, remarks.items[i]);
    answer_end(answer);
    for (size_t i = 0; i < remarks.count; i++) {
        answer_say(answer, "Note: %s", remarks.items[i]);
        free(remarks.items[i]);
    }
    return !remarks.failed;
}

/* ---- The answer ---------------------------------------------------------------------- */

struct head {
    const struct compare *compare;
    struct figures figures;
    struct changes changes;
};

#define HEAD_GETTER(name, expression)                                                              \
    static struct answer_value name(const void *row, const void *context)                          \
    {                                                                                              \
        const struct head *head = context;                                                         \
        (void)row;                                                                                 \
        return expression;                                                                         \
    }

HEAD_GETTER(get_filter, answer_text(head->compare->filter->text))
HEAD_GETTER(get_smallest_part, answer_number(smallest_part(head->compare)))

static const struct answer_column head_columns[] = {
    {"schema", NULL, ANSWER_WHOLE, report_column_schema, 0, 0, "the version of these keys"},
    {"before", NULL, ANSWER_TEXT, OF_COMPARE(before.name), 0, 0, "the first file"},
    {"after", NULL, ANSWER_TEXT, OF_COMPARE(after.name), 0, 0, "the second one"},
    {"sample_type", NULL, ANSWER_TEXT, OF_COMPARE(sample), 0, 0,
     "the functions' values, by pprof's names"},
    {"unit", NULL, ANSWER_TEXT, OF_COMPARE(unit), 0, 0, "their unit"},
    {"filter", NULL, ANSWER_TEXT, get_filter, 0, 0, "the filter; empty for none"},
    {"smallest_part", NULL, ANSWER_SHARE, get_smallest_part, 0, 0,
     "the smallest change that matters, as part of the larger of both totals"},
    {"smallest", NULL, ANSWER_AMOUNT, OF_HEAD(changes.rules.smallest), 0, 0,
     "the same for the functions' values"},
    {"false_alarm_rate", NULL, ANSWER_SHARE, OF_HEAD(changes.rules.rate), 0, 0,
     "the largest probability that any function is listed that did not change"},
    {"changed", NULL, ANSWER_WHOLE, OF_HEAD(changes.changed), 0, 0,
     "how many functions differ at all"},
    {"count", NULL, ANSWER_WHOLE, OF_HEAD(changes.certain), 0, 0,
     "how many of them changed, beyond chance and by enough to matter, shown or not"},
};
static const struct answer_table head_table = {
    NULL, ANSWER_RECORD, ANSWER_FITTED, ANSWER_IN_JSON, ANSWER_COLUMNS(head_columns), NULL};

static void say_verdicts(struct answer *answer, const struct compare *compare)
{
    if (compare->before.has[BUDGET_PEAK] && compare->after.has[BUDGET_PEAK] &&
        is_collected(compare))
        answer_say(answer,
                   "Peak and live-at-end depend on when the garbage collector ran: judge by "
                   "allocated and objects.");
}

static void say_smallest(struct answer *answer, const struct head *head)
{
    char smallest[UNITS_TEXT_BYTES];
    if (head->changes.rules.smallest > 0)
        answer_say(answer, "Smallest change that matters: %g %% of a total, %s of a function's",
                   100 * smallest_part(head->compare),
                   units_value(smallest, ceil(head->changes.rules.smallest), head->compare->unit));
}

/* Functions that differ, and aren't listed. */
static void say_left_out(struct answer *answer, const struct head *head)
{
    const struct changes *changes = &head->changes;
    char smallest[UNITS_TEXT_BYTES];
    if (changes->chance > 0)
        answer_say(answer, "%zu more differ by no more than chance.", changes->chance);
    if (changes->small > 0)
        answer_say(answer, "%zu more differ by less than %s.", changes->small,
                   units_value(smallest, ceil(changes->rules.smallest), head->compare->unit));
}

static void say_functions(struct answer *answer, const struct head *head, size_t shown)
{
    const struct changes *changes = &head->changes;
    const char *grain = report_grain_name(head->compare->options->grain);
    const char *how = changes->chance > 0  ? " beyond chance"
                      : changes->small > 0 ? " by as much as matters"
                                           : "";
    answer_say(answer, "%s", "");
    if (changes->certain == 0)
        answer_say(answer, "None of the %s changed%s.", grain, how);
    else
        answer_say(answer, "%zu of %zu %s that changed%s", shown, changes->certain, grain, how);
    say_left_out(answer, head);
}

/* Which total of bytes has fallen most, by its part, surely and not by the collector's timing; BUDGET_MEASURES for none. */
static enum budget_measure most_fallen(const struct figures *figures)
{
    enum budget_measure found = BUDGET_MEASURES;
    double part = 0;
    for (size_t i = 0; i < figures->count; i++) {
        const struct figure *figure = &figures->items[i];
        double change = figure->change.after - figure->change.before;
        if (figure->measure != BUDGET_OBJECTS && !figure->change.is_unstable &&
            figure->change.verdict == CHANGE_SMALLER && change / figure->change.before < part) {
            part = change / figure->change.before;
            found = figure->measure;
        }
    }
    return found;
}

/* What has become smaller stays so under a budget: what it is now, and a twentieth more. */
static void say_budget(struct answer *answer, const struct compare *compare,
                       const struct figures *figures)
{
    static const double room = 1.05;
    enum budget_measure measure = most_fallen(figures);
    bool is_filtered = *compare->filter->text;
    char limit[UNITS_TEXT_BYTES];
    if (measure == BUDGET_MEASURES || !compare->options->other)
        return;
    units_bytes(limit, round(room * compare->after.figures[measure].range.high));
    for (char *space = limit; (space = strchr(space, ' '));)
        memmove(space, space + 1, strlen(space));
    answer_say(answer, "%s", "");
    answer_say(answer, "To keep it so: `heaptap check %s --max-%s=%s%s%s%s`",
               plain(compare->options->other), budget_measure_name(measure), limit,
               is_filtered ? " -F '" : "", plain(compare->filter->text), is_filtered ? "'" : "");
}

/* A filter chooses what allocated; what roots hold is of all blocks. */
static bool put_roots(struct answer *answer, const struct compare *compare)
{
    return *compare->filter->text ||
           root_changes_put(answer, compare->before.model, compare->after.model,
                            smallest_part(compare), ROWS_SHOWN);
}

static bool put(struct answer *answer, const struct compare *compare, const struct head *head)
{
    struct answer_section section = {.table = &head_table, .context = head, .unit = compare->unit};
    size_t shown = question_rows(compare->options, ROWS_SHOWN, head->changes.certain);
    answer_say(answer, "%s to %s", plain(compare->before.name), plain(compare->after.name));
    if (*compare->filter->text)
        answer_say(answer, "Filter: %s", plain(compare->filter->text));
    say_smallest(answer, head);
    answer_record(answer, &section, head);
    if (!put_remarks(answer, compare))
        return false;
    put_figures(answer, compare, &head->figures);
    say_verdicts(answer, compare);
    say_functions(answer, head, shown);
    if (!put_rows(answer, compare, &head->changes, shown))
        return false;
    if (!put_roots(answer, compare))
        return false;
    say_budget(answer, compare, &head->figures);
    return true;
}

static bool judge(struct answer *answer, const struct compare *compare)
{
    struct head head = {compare, figures_of(compare), {0}};
    if (!judge_functions(&head.changes, compare))
        return false;
    bool done = put(answer, compare, &head);
    free(head.changes.items);
    return done;
}

/* ---- Two reports --------------------------------------------------------------------- */

/* The figures that the file has.  False when there is no memory: the filter, which the report was made of, fits. */
static bool measure(struct compare_side *side, const struct report *report)
{
    struct heaptap_error error;
    size_t length;
    *side = (struct compare_side){report->input.name, report->input.model, report->input.is_whole};
    for (int i = 0; i < BUDGET_MEASURES; i++) {
        if (i == BUDGET_PEAK && report->series) { /* folded rows do not know it */
            side->has[i] = true;
            budget_measure_series(&side->figures[i], &report->series->passing);
            side->figures[i].is_empty = report->is_filtered_empty;
            continue;
        }
        enum heaptap_status found = budget_measure(&side->figures[i], side->model, &report->filter,
                                                   (enum budget_measure)i, &length, &error);
        side->has[i] = found == HEAPTAP_OK;
        if (found == HEAPTAP_NO_MEMORY)
            return false;
    }
    return true;
}

const char *compare_refuse(const struct report *report)
{
    return strcmp(report->base->sample, report->sample) != 0
               ? "the other file's values are of another type: they can't be compared"
               : NULL;
}

enum report_outcome compare_put(struct answer *answer, const struct report *report)
{
    const struct report *base = report->base;
    struct compare compare = {base->options, &base->filter, base->sample, base->unit, base->weight};
    struct difference_options how = {.grain = report->options->grain,
                                     .tells_codes = base->selection.frames.tells_codes &&
                                                    report->selection.frames.tells_codes};
    struct model *model = difference_of(base, report);
    bool has_table = model && difference_table_init(&compare.table, model, &how);
    bool done = has_table && measure(&compare.before, base) && measure(&compare.after, report) &&
                judge(answer, &compare);
    if (has_table)
        difference_table_release(&compare.table);
    model_free(model);
    return report_outcome_of(done);
}

const struct answer_table *const compare_tables[] = {
    &head_table, &remarks_table, &figures_table, &rows_table, &root_changes_table, NULL};
