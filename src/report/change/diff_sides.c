/* How a diff is made of two reports: their values go into one model by stack, and its functions are summed up and judged. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/change/diff.h"
#include "report/head.h"

static const struct diff_question *own(const struct diff *diff)
{
    return (const void *)diff->options->own;
}

static double total_of(const struct report *report)
{
    return report_value(report, &report->selection.profile.total);
}

static struct estimate_range range_of(const struct report *report)
{
    const struct stack_profile *profile = &report->selection.profile;
    return stack_tally_range(&profile->total, &profile->estimate, report->weight);
}

static bool add(struct diff *diff, const struct report *report, int type, double scale)
{
    struct difference_side side = {&report->selection, report->input.model, report->weight, scale};
    return difference_add(diff->merging, &side, type);
}

bool diff_begin(struct diff *diff, const struct report *base)
{
    *diff = (struct diff){.options = base->options,
                          .base_name = base->input.name,
                          .filter = &base->filter,
                          .weight = base->weight,
                          .base_is_sampled = report_is_sampled(base),
                          .base_range = range_of(base),
                          .base_whole = total_of(base),
                          .unit = strdup(base->unit),
                          .sample = strdup(base->sample)};
    diff->tells_codes = base->selection.frames.tells_codes;
    diff->normalize = own(diff)->normalize;
    diff->merging =
        diff->unit && diff->sample ? difference_begin(diff->unit, diff->options->grain) : NULL;
    return diff->merging && add(diff, base, DIFFERENCE_BASE, 1);
}

bool diff_add(struct diff *diff, const struct report *other)
{
    double total = total_of(other);
    diff->other_name = other->input.name;
    diff->other_is_sampled = report_is_sampled(other);
    diff->other_range = range_of(other);
    diff->other_hidden = other->selection.hidden;
    diff->other_hidden_share =
        report_hidden_share(&other->selection.hidden, &other->selection.profile, other->weight);
    diff->has_errors = diff->weight != WEIGHT_VALUE && other->weight != WEIGHT_VALUE;
    diff->tells_codes &= other->selection.frames.tells_codes;
    return add(diff, other, DIFFERENCE_NEW,
               diff->normalize && total != 0 ? diff->base_whole / total : 1);
}

/* ---- Verdicts ------------------------------------------------------------------------ */

static double sample_weight(double total, double samples)
{
    return samples > 0 ? total / samples : 1;
}

/* Of a profile of values, whose errors aren't known, there are none. */
static bool judge(struct diff *diff)
{
    const struct difference_table *table = &diff->table;
    if (!diff->has_errors)
        return true;
    diff->rules = (struct change_rules){
        .before_weight = sample_weight(table->base_total, table->base_samples),
        .after_weight = sample_weight(table->new_total, table->new_samples),
        .smallest = own(diff)->smallest * fmax(table->base_total, table->new_total),
        .rate = change_false_alarms};
    diff->verdicts = calloc(table->count + 1, sizeof *diff->verdicts);
    return diff->verdicts && difference_test(table, &diff->rules, true, diff->verdicts);
}

bool diff_end(struct diff *diff)
{
    const struct question *want = diff->options;
    struct difference_options how = {want->grain, want->no_inlines, want->by_cum,
                                     diff->tells_codes};
    diff->model = difference_end(diff->merging);
    diff->merging = NULL;
    diff->has_table = diff->model && difference_table_init(&diff->table, diff->model, &how);
    return diff->has_table && judge(diff);
}

void diff_release(struct diff *diff)
{
    if (diff->merging)
        diff->model = difference_end(diff->merging);
    if (diff->has_table)
        difference_table_release(&diff->table);
    free(diff->verdicts);
    model_free(diff->model);
    free(diff->unit);
    free(diff->sample);
}

/* ---- The report ---------------------------------------------------------------------- */

enum report_outcome diff_of_reports(struct answer *answer, const struct report *report)
{
    struct diff diff;
    bool done = diff_begin(&diff, report->base) && diff_add(&diff, report) && diff_end(&diff) &&
                diff_put(answer, &diff);
    diff_release(&diff);
    return report_outcome_of(done);
}
