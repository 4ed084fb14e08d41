#include "report/blocks/over_time.h"

/* All of the trace, whatever the filter: of a builder, or of the model.  False when there is no memory. */
static bool series_of_all(struct series *series, const struct model *model,
                          const struct over_time_part *part, struct series_builder *builder)
{
    struct filter everything;
    struct matcher matcher;
    struct heaptap_error error;
    if (filter_parse(&everything, "", NULL, &error) != HEAPTAP_OK)
        return false;
    bool done = matcher_init(&matcher, model, &everything, NULL, &error) == HEAPTAP_OK;
    if (done) {
        done = builder ? series_builder_finish(builder, series, &matcher)
                       : series_init(series, &matcher, part->from_us, part->to_us, part->steps);
        matcher_release(&matcher);
    }
    filter_release(&everything);
    return done;
}

static bool init_of_model(struct over_time *over, const struct report *report,
                          const struct over_time_part *part)
{
    if (!(part->is_curve ? series_init_steps : series_init)(
            &over->passing, &report->matcher, part->from_us, part->to_us, part->steps))
        return false;
    if (!over->has_filter || part->lacks_all ||
        series_of_all(&over->all, report->input.model, part, NULL))
        return true;
    series_release(&over->passing);
    return false;
}

static bool init_of_series(struct over_time *over, const struct report *report)
{
    struct report_series *made = report->series;
    struct series_builder *builder = made->all;
    made->all = NULL;
    if (over->has_filter) {
        over->passing = made->passing;
        made->passing = (struct series){0};
    }
    if (series_of_all(over->has_filter ? &over->all : &over->passing, report->input.model, NULL,
                      builder))
        return true;
    series_release(&over->passing);
    return false;
}

bool over_time_init(struct over_time *over, const struct report *report,
                    const struct over_time_part *part)
{
    *over = (struct over_time){.has_filter = *report->filter.text && !part->is_curve};
    return report->series ? init_of_series(over, report) : init_of_model(over, report, part);
}

void over_time_release(struct over_time *over)
{
    series_release(&over->passing);
    series_release(&over->all);
}
