/* Before and after.
 *
 * Three questions, in this order.  Are the two comparable: the same program, run in the same way, recorded at the same rate?
 * What differs is a remark.  Which totals changed?  And which functions did that?  Where none allocates more or less than before, but what is
 * alive at the end or at the peak has changed, those are named that changed in that.
 *
 * A change is told as one where it is beyond chance, all of the totals or all of the functions counted as tests
 * (report/change/change_test.h), and where it is large enough to matter.  A figure that depends on when a garbage collector ran, as the
 * peak does in OCaml, may differ by half from one run to the next of the same program; it is shown without a verdict. */
#include "report/change/compare.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/amount.h"
#include "base/plain.h"
#include "base/units.h"
#include "report/change/compare_parts.h"
#include "report/head.h"
#include "report/holders/root_changes.h"

enum { ROWS_SHOWN = 20 };

/* ---- Options ---------------------------------------------------------------------------- */

const struct compare_question compare_usual = {.smallest = 0.01};

const struct question_option compare_options[] = {
    {"smallest", 0, OPTION_SHARE, PART_OWN, "PART",
     "The smallest change that matters, as part of the larger of both totals: 1% is the default, 0 for any",
     offsetof(struct compare_question, smallest)},
    {NULL},
};

double compare_smallest_part(const struct compare *compare)
{
    return ((const struct compare_question *)compare->options->own)->smallest;
}

/* ---- The answer ------------------------------------------------------------------------- */

struct head {
    const struct compare *compare;
    struct compare_totals figures;
    struct compare_functions changes;
    bool is_other; /* the changes are of another measure than what is allocated */
};

#define OF_COMPARE(member) ANSWER_FIELD_OF(struct head, compare, member)
#define OF_HEAD(member) ANSWER_FIELD(struct head, member)
#define HEAD_GETTER(name, expression)                                                              \
    ANSWER_GET(name, const void *of = row, const struct head *head = context, expression)

HEAD_GETTER(get_filter, answer_text(head->compare->filter->text))
HEAD_GETTER(get_complete,
            answer_number(head->compare->before.is_whole && head->compare->after.is_whole))
HEAD_GETTER(get_smallest_part, answer_number(compare_smallest_part(head->compare)))

HEAD_GETTER(get_small_change,
            answer_number(head->changes.small_sum.after - head->changes.small_sum.before))

static const struct answer_column head_columns[] = {
    SCHEMA_COLUMN,
    {"before", NULL, ANSWER_TEXT, OF_COMPARE(before.name), "the first file"},
    {"after", NULL, ANSWER_TEXT, OF_COMPARE(after.name), "the second one"},
    {"complete", NULL, ANSWER_FLAG, get_complete,
     "whether all that the program did is in the figures of both; else `remarks` says of which it is not"},
    {"measure", NULL, ANSWER_TEXT, OF_COMPARE(measure),
     "what the functions' values are: allocated; where no function changed in that, live-at-end or peak; of other sample types, their name"},
    {"sample_type", NULL, ANSWER_TEXT, OF_COMPARE(sample),
     "the functions' values, by pprof's names"},
    {"unit", NULL, ANSWER_TEXT, OF_COMPARE(unit), "their unit"},
    {"filter", NULL, ANSWER_TEXT, get_filter, "the filter; empty for none"},
    {"smallest_part", NULL, ANSWER_SHARE, get_smallest_part,
     "the smallest change that matters, as part of the larger of both totals"},
    {"smallest", NULL, ANSWER_AMOUNT, OF_HEAD(changes.rules.smallest),
     "the same for the functions' values"},
    {"false_alarm_rate", NULL, ANSWER_SHARE, OF_HEAD(changes.rules.rate),
     "the largest probability that any function is listed that did not change"},
    {"changed", NULL, ANSWER_WHOLE, OF_HEAD(changes.changed), "how many functions differ at all"},
    {"count", NULL, ANSWER_WHOLE, OF_HEAD(changes.certain),
     "how many of them changed, beyond chance and by enough to matter, shown or not"},
    {"small", NULL, ANSWER_WHOLE, OF_HEAD(changes.small),
     "how many differ by less than `smallest`"},
    {"small_change", NULL, ANSWER_CHANGE, get_small_change,
     "what these come to: after less before"},
};
static const struct answer_table head_table = ANSWER_JSON(ANSWER_RECORD, NULL, head_columns, NULL);

static void say_verdicts(struct answer *answer, const struct compare *compare)
{
    if (compare->before.has[BUDGET_PEAK] && compare->after.has[BUDGET_PEAK] &&
        compare_is_collected(compare))
        answer_say(answer,
                   "Peak and live-at-end depend on when the garbage collector ran: judge by "
                   "allocated and objects.");
}

static void say_smallest(struct answer *answer, const struct head *head)
{
    char smallest[UNITS_TEXT_BYTES];
    if (head->changes.rules.smallest > 0)
        answer_say(answer, "Smallest change that matters: %g %% of a total, %s of a function's",
                   100 * compare_smallest_part(head->compare),
                   units_value(smallest, ceil(head->changes.rules.smallest), head->compare->unit));
}

enum { SUM_BYTES = 256 };

/* " each, but together by +30 kB (+28 kB to +32 kB)", of those that are small; "" where that does not matter either. */
static const char *sum_of_small(char text[SUM_BYTES], const struct head *head)
{
    const struct compare_change *sum = &head->changes.small_sum;
    const char *unit = head->compare->unit, *plus = sum->after > sum->before ? "+" : "";
    char all[UNITS_TEXT_BYTES], low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES], range[80] = "";
    text[0] = 0;
    if (!compare_functions_add_up(&head->changes))
        return text;
    if (sum->range.low < sum->range.high)
        snprintf(range, sizeof range, " (%s%s to %s%s)", plus,
                 units_value(low, sum->range.low, unit), plus,
                 units_value(high, sum->range.high, unit));
    snprintf(text, SUM_BYTES, " each, but together by %s%s%s", plus,
             units_value(all, sum->after - sum->before, unit), range);
    return text;
}

/* Functions that differ, and aren't listed. */
static void say_left_out(struct answer *answer, const struct head *head)
{
    const struct compare_functions *changes = &head->changes;
    char smallest[UNITS_TEXT_BYTES], text[SUM_BYTES];
    const char *sum = sum_of_small(text, head);
    if (changes->chance > 0)
        answer_say(answer, "%zu more differ%s by no more than chance.", changes->chance,
                   changes->chance == 1 ? "s" : "");
    if (changes->small > 0)
        answer_say(answer, "%zu more differ%s by less than %s%s%s.", changes->small,
                   changes->small == 1 ? "s" : "",
                   units_value(smallest, ceil(changes->rules.smallest), head->compare->unit), sum,
                   *sum ? "; --smallest=0 lists them" : "");
}

static void say_functions(struct answer *answer, const struct head *head, size_t shown)
{
    const struct compare_functions *changes = &head->changes;
    const char *grain = report_grain_name(head->compare->options->grain);
    const char *how = compare_functions_add_up(changes) && changes->certain == 0
                          ? " by as much as matters on its own"
                      : changes->chance > 0 ? " beyond chance"
                      : changes->small > 0  ? " by as much as matters"
                                            : "";
    answer_say(answer, "%s", "");
    if (changes->certain == 0)
        answer_say(answer, "None of the %s changed%s.", grain, how);
    else if (head->is_other)
        answer_say(answer, "%zu of %zu %s that changed in %s%s; none did in what it allocates",
                   shown, changes->certain, grain, head->compare->measure, how);
    else
        answer_say(answer, "%zu of %zu %s that changed%s", shown, changes->certain, grain, how);
    say_left_out(answer, head);
}

/* What has become smaller stays so under a budget: what it is now, and a twentieth more; or, where it was no more than that before, half
 * way.  False where samples are too few to tell the two. */
static bool limit_of(char limit[UNITS_TEXT_BYTES], double now, double before)
{
    static const double room = 1.05;
    double bytes;
    if (now >= before || now < 0)
        return false;
    units_bytes(limit, round(room * now));
    for (char *space = limit; (space = strchr(space, ' '));)
        memmove(space, space + 1, strlen(space));
    if (!amount_bytes(limit, &bytes) || bytes < now || bytes >= before)
        budget_limit(limit, false, now, before - 1);
    return true;
}

static void say_budget(struct answer *answer, const struct compare *compare,
                       const struct compare_totals *figures)
{
    enum budget_measure measure = compare_totals_most_fallen(figures);
    bool is_filtered = *compare->filter->text;
    char limit[UNITS_TEXT_BYTES];
    if (measure == BUDGET_MEASURES || !compare->options->other ||
        !limit_of(limit, compare->after.figures[measure].range.high,
                  compare->before.figures[measure].range.low))
        return;
    answer_say(answer, "%s", "");
    answer_say(answer, "To keep it so: `heaptap check %s --max-%s=%s%s%s%s`",
               plain(compare->options->other), budget_measure_name(measure), limit,
               is_filtered ? " -F '" : "", plain(compare->filter->text), is_filtered ? "'" : "");
}

/* A filter chooses what allocated; what roots hold is of all blocks. */
static bool put_roots(struct answer *answer, const struct compare *compare)
{
    if (*compare->filter->text && compare->before.model->holders && compare->after.model->holders)
        answer_say(answer, "What roots hold is of all blocks, and is compared without a filter");
    return *compare->filter->text ||
           root_changes_put(answer, compare->before.model, compare->after.model,
                            compare_smallest_part(compare), ROWS_SHOWN);
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
    if (!compare_remarks_put(answer, compare))
        return false;
    compare_totals_put(answer, compare, &head->figures);
    say_verdicts(answer, compare);
    say_functions(answer, head, shown);
    if (!compare_functions_put(answer, compare, &head->changes, shown))
        return false;
    if (!put_roots(answer, compare))
        return false;
    say_budget(answer, compare, &head->figures);
    return true;
}

/* Are there functions that changed in a measure?  Then it puts them, unless there is no answer: `*is_put`. */
static bool put_measure(struct answer *answer, const struct compare *compare,
                        const struct head *head, enum budget_measure measure, bool *is_put)
{
    struct measured measured;
    struct compare other = *compare;
    struct head of_other = {&other, head->figures, {0}, true};
    struct difference_options how = {.grain = compare->options->grain,
                                     .tells_codes = compare->base->selection.frames.tells_codes &&
                                                    compare->report->selection.frames.tells_codes};
    if (!measured_init(&measured, compare->base, compare->report, measure, &how))
        return false;
    other.measure = budget_measure_name(measure);
    other.table = measured.table;
    bool done = compare_functions_judge(&of_other.changes, &other);
    *is_put = done && of_other.changes.certain > 0;
    if (*is_put && answer)
        done = put(answer, &other, &of_other);
    if (done || *is_put)
        free(of_other.changes.items);
    measured_release(&measured);
    return done;
}

/* The same of the first measure that has some, where what is allocated has none. */
static bool put_others(struct answer *answer, const struct compare *compare,
                       const struct head *head, bool *is_put, enum budget_measure *measure)
{
    static const enum budget_measure order[] = {BUDGET_LIVE_AT_END, BUDGET_PEAK};
    bool done = true;
    if (head->changes.certain > 0 || strcmp(compare->sample, "alloc_space") != 0)
        return true;
    for (size_t i = 0; done && !*is_put && i < sizeof order / sizeof *order; i++)
        if (compare_totals_has_changed(&head->figures, order[i]) &&
            measured_can(compare->base, compare->report, order[i]))
            done = put_measure(answer, compare, head, *measure = order[i], is_put);
    return done;
}

static bool judge(struct answer *answer, const struct compare *compare)
{
    struct head head = {compare, compare_totals_of(compare), {0}, false};
    bool is_put = false;
    enum budget_measure measure;
    if (!compare_functions_judge(&head.changes, compare))
        return false;
    bool done = put_others(answer, compare, &head, &is_put, &measure) &&
                (is_put || put(answer, compare, &head));
    free(head.changes.items);
    return done;
}

static bool find_measure(const struct compare *compare, enum budget_measure *measure)
{
    struct head head = {compare, compare_totals_of(compare), {0}, false};
    bool is_other = false;
    if (!compare_functions_judge(&head.changes, compare))
        return false;
    bool done = put_others(NULL, compare, &head, &is_other, measure);
    *measure = is_other ? *measure : BUDGET_ALLOCATED;
    free(head.changes.items);
    return done;
}

/* ---- Two reports ------------------------------------------------------------------------ */

/* The figures that the file has.  False when there is no memory: the filter, which the report was made of, fits. */
static bool measure(struct compare_side *side, const struct report *report)
{
    struct heaptap_error error;
    size_t length;
    *side = (struct compare_side){report->input.name, report->input.model, report->input.is_whole};
    for (int i = 0; i < BUDGET_MEASURES; i++) {
        if (i == BUDGET_PEAK && report->series &&
            *report->filter.text) { /* folded rows do not know it */
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
    char text[320];
    if (strcmp(report->base->sample, report->sample) == 0)
        return NULL;
    snprintf(
        text, sizeof text,
        "its values are %.100s, those of the other file %.100s: they can't be compared; --long compares those that "
        "--sample chooses",
        plain(report->sample), plain(report->base->sample));
    return model_text(report->input.model, text);
}

static const char *measure_of(const char *sample)
{
    return strcmp(sample, "alloc_space") == 0   ? budget_measure_name(BUDGET_ALLOCATED)
           : strcmp(sample, "inuse_space") == 0 ? budget_measure_name(BUDGET_LIVE_AT_END)
                                                : sample;
}

/* Puts the answer; without one, finds the measure. */
static bool compare_both(struct answer *answer, const struct report *report,
                         const struct question *options, enum budget_measure *found)
{
    const struct report *base = report->base;
    struct compare compare = {.options = options,
                              .filter = &base->filter,
                              .sample = base->sample,
                              .unit = base->unit,
                              .weight = base->weight,
                              .base = base,
                              .report = report,
                              .measure = measure_of(base->sample)};
    struct difference_options how = {.grain = options->grain,
                                     .tells_codes = base->selection.frames.tells_codes &&
                                                    report->selection.frames.tells_codes};
    struct model *model = difference_of(base, report, options->grain);
    bool has_table = model && difference_table_init(&compare.table, model, &how);
    bool done = has_table && measure(&compare.before, base) && measure(&compare.after, report) &&
                (answer ? judge(answer, &compare) : find_measure(&compare, found));
    if (has_table)
        difference_table_release(&compare.table);
    model_free(model);
    return done;
}

enum report_outcome compare_put(struct answer *answer, const struct report *report)
{
    return report_outcome_of(compare_both(answer, report, report->base->options, NULL));
}

bool compare_measure(const struct report *report, enum budget_measure *measure)
{
    struct question usual = *report->base->options;
    usual.grain = GRAIN_NAME;
    memcpy(usual.own, &compare_usual, sizeof compare_usual);
    return compare_both(NULL, report, &usual, measure);
}

const struct answer_table *const compare_tables[] = {
    &head_table,           &compare_remarks_table,
    &compare_totals_table, &compare_functions_table,
    &root_changes_table,   NULL};
