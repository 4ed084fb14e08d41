#include "report/change/measured.h"

/* How each is asked of blocks, by a clause, and of a profile, by its values. */
static const struct {
    const char *clause, *sample;
} ways[BUDGET_MEASURES] = {[BUDGET_PEAK] = {"live-at=peak", NULL},
                           [BUDGET_LIVE_AT_END] = {"collected=never", "inuse_space"}};

static bool is_of_blocks(const struct report *report)
{
    return report->input.model->kind == MODEL_OBJECTS;
}

static bool side_can(const struct report *report, enum budget_measure measure)
{
    const char *sample = ways[measure].sample;
    if (is_of_blocks(report))
        return ways[measure].clause && (sample || !*report->filter.text);
    return sample && budget_has(report->input.model, measure);
}

bool measured_can(const struct report *before, const struct report *after,
                  enum budget_measure measure)
{
    return side_can(before, measure) && side_can(after, measure);
}

bool measured_side_init(struct measured_side *side, const struct report *of,
                        enum budget_measure measure)
{
    struct report_problem problem;
    side->question = *of->options;
    side->report = *of;
    side->report.options = &side->question;
    side->report.series = NULL;
    side->question.sample = is_of_blocks(of) ? "alloc_space" : ways[measure].sample;
    if (filter_parse_both(&side->report.filter, of->filter.text,
                          is_of_blocks(of) ? ways[measure].clause : "", NULL, NULL) != HEAPTAP_OK)
        return false;
    if (report_narrow(&side->report, of, &problem))
        return true;
    filter_release(&side->report.filter);
    return false;
}

void measured_side_release(struct measured_side *side)
{
    report_release_selection(&side->report);
    filter_release(&side->report.filter);
}

static bool compare(struct measured *measured, const struct difference_options *how)
{
    measured->difference =
        difference_of(&measured->before.report, &measured->after.report, how->grain);
    if (measured->difference && difference_table_init(&measured->table, measured->difference, how))
        return true;
    model_free(measured->difference);
    return false;
}

bool measured_init(struct measured *measured, const struct report *before,
                   const struct report *after, enum budget_measure measure,
                   const struct difference_options *how)
{
    if (!measured_side_init(&measured->before, before, measure))
        return false;
    if (measured_side_init(&measured->after, after, measure)) {
        if (compare(measured, how))
            return true;
        measured_side_release(&measured->after);
    }
    measured_side_release(&measured->before);
    return false;
}

void measured_release(struct measured *measured)
{
    difference_table_release(&measured->table);
    model_free(measured->difference);
    measured_side_release(&measured->before);
    measured_side_release(&measured->after);
}
