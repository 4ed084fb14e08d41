#include "report/blocks/timeline.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/plain.h"
#include "base/units.h"
#include "profile/range_text.h"
#include "report/head.h"
#include "report/blocks/functions_over_time.h"
#include "report/blocks/over_time.h"
#include "report/symbol_columns.h"

enum { LIVE_ROWS = 12, RATE_ROWS = 4, USUAL_STEPS = 68 };
static const double TIME_MAX_US = 4e15; /* some 126 years */

/* ---- Options ------------------------------------------------------------------------- */

const struct question_option timeline_options[] = {
    {"steps", 0, OPTION_NUMBER, PART_OWN, "N",
     "Cut the time into N steps (default: as many as there is room for)",
     offsetof(struct timeline_question, steps), .least = 1, .most = 1000000},
    {"from", 0, OPTION_TIME, PART_OWN, "TIME",
     "Begin at TIME, such as 1.5s or 20ms, after the start",
     offsetof(struct timeline_question, from_us)},
    {"to", 0, OPTION_TIME, PART_OWN, "TIME",
     "End at TIME after the start (default: at the run's end)",
     offsetof(struct timeline_question, to_us)},
    {"by", 0, OPTION_TEXT, PART_OWN, "LABEL",
     "For a store: a chart for each value of a label (default: service)",
     offsetof(struct timeline_question, label)},
    {"by-function", 0, OPTION_NUMBER, PART_OWN, "N",
     "Tell the N functions of your own code that hold most one by one",
     offsetof(struct timeline_question, functions), .least = 1, .most = FUNCTIONS_OVER_TIME_MAX},
    {NULL},
};

static const struct timeline_question *own(const struct question *question)
{
    return (const struct timeline_question *)question->own;
}

bool timeline_check(struct question *question, struct heaptap_error *error)
{
    bool is_wrong = own(question)->to_us > 0 && own(question)->from_us >= own(question)->to_us;
    return question_accept(is_wrong ? "--from has to be before --to" : NULL, error);
}

/* The first microsecond behind it. */
static int64_t end_of(const struct report *report)
{
    double to_us = own(report->options)->to_us;
    return to_us > 0 ? (int64_t)fmin(ceil(to_us), TIME_MAX_US) : report->input.model->end_us + 1;
}

const char *timeline_refuse(const struct report *report)
{
    return own(report->options)->from_us >= (double)end_of(report) ? "the run ends before --from"
                                                                   : NULL;
}

struct timeline {
    const struct report *report;
    struct over_time over;
    struct functions_over_time functions; /* none unless the question asks for them */
};

/* ---- For programs -------------------------------------------------------------------- */

enum { IS_SAMPLED = 1 };

/* The context is the series. */
#define GETTER(type, name, expression)                                                             \
    ANSWER_GET(get_##name, const type *of = row, const struct series *series = context, expression)

GETTER(struct series_step, step_from,
       answer_number((double)series_step_us(series, (size_t)(of - series->steps))))

#define OF_SERIES(member) ANSWER_FIELD(struct series, member)
#define OF_SUM(member) ANSWER_FIELD(struct series_sum, member)
#define OF_STEP(member) ANSWER_FIELD(struct series_step, member)

static const struct answer_column series_columns[] = {
    {"from_us", NULL, ANSWER_TIME, OF_SERIES(from_us), "when the first step begins"},
    {"to_us", NULL, ANSWER_TIME, OF_SERIES(to_us), "when the last one ends"},
    {"peak_us", NULL, ANSWER_TIME, OF_SERIES(peak_us), "when most was alive"},
    {"peak_bytes", NULL, ANSWER_BYTES, ANSWER_BOUNDED(struct series, peak.bytes, peak_range),
     "alive then", .flags = ANSWER_HAS_RANGE},
    {"peak_objects", NULL, ANSWER_COUNT,
     ANSWER_BOUNDED(struct series, peak.objects, peak_objects_range), "blocks alive then",
     .flags = ANSWER_HAS_RANGE},
    {"peak_samples", NULL, ANSWER_WHOLE, OF_SERIES(peak.samples), "samples that these rest on"},
};

static const struct answer_column curve_columns[] = {
    {"from_us", NULL, ANSWER_TIME, OF_SERIES(from_us), "when the first step begins"},
    {"to_us", NULL, ANSWER_TIME, OF_SERIES(to_us), "when the last one ends"},
    {"highest_bytes", NULL, ANSWER_BYTES, OF_SERIES(highest.bytes), "most at a step's end"},
    {"highest_objects", NULL, ANSWER_COUNT, OF_SERIES(highest.objects),
     "most blocks at a step's end"},
};

static const struct answer_column sum_columns[] = {
    {"bytes", NULL, ANSWER_BYTES, OF_SUM(bytes), "bytes"},
    {"objects", NULL, ANSWER_COUNT, OF_SUM(objects), "blocks"},
    {"samples", NULL, ANSWER_WHOLE, OF_SUM(samples), "samples that these rest on", IS_SAMPLED},
};

static const struct answer_column step_columns[] = {
    {"from_us", NULL, ANSWER_TIME, get_step_from, "when the step begins"},
};

static const struct answer_column flat_columns[] = {
    {"from_us", NULL, ANSWER_TIME, get_step_from, "when the step begins"},
    {"live_bytes", NULL, ANSWER_BYTES, OF_STEP(live.bytes), "alive at its end"},
    {"live_objects", NULL, ANSWER_COUNT, OF_STEP(live.objects), "blocks alive at its end"},
    {"allocated_bytes", NULL, ANSWER_BYTES, OF_STEP(allocated.bytes), "allocated in it"},
    {"allocated_objects", NULL, ANSWER_COUNT, OF_STEP(allocated.objects), "blocks allocated in it"},
    {"collected_bytes", NULL, ANSWER_BYTES, OF_STEP(collected.bytes), "freed in it"},
    {"collected_objects", NULL, ANSWER_COUNT, OF_STEP(collected.objects), "blocks freed in it"},
    {"live_samples", NULL, ANSWER_WHOLE, OF_STEP(live.samples),
     "samples that what is alive rests on", IS_SAMPLED},
    {"allocated_samples", NULL, ANSWER_WHOLE, OF_STEP(allocated.samples),
     "samples of what was allocated", IS_SAMPLED},
    {"collected_samples", NULL, ANSWER_WHOLE, OF_STEP(collected.samples),
     "samples of what was freed", IS_SAMPLED},
};

/* Bounds of what is alive at a step's end; the context is the series. */
GETTER(struct series_step, live_low, answer_number(series_bytes_range(series, &of->live).low))
GETTER(struct series_step, live_high, answer_number(series_bytes_range(series, &of->live).high))
GETTER(struct series_step, live_objects_low,
       answer_number(series_objects_range(series, &of->live).low))
GETTER(struct series_step, live_objects_high,
       answer_number(series_objects_range(series, &of->live).high))

static const struct answer_column bound_columns[] = {
    {"live_bytes_low", NULL, ANSWER_BYTES, get_live_low, "95 % bounds of what is alive"},
    {"live_bytes_high", NULL, ANSWER_BYTES, get_live_high, "the upper ones"},
    {"live_objects_low", NULL, ANSWER_COUNT, get_live_objects_low, "of the blocks"},
    {"live_objects_high", NULL, ANSWER_COUNT, get_live_objects_high, "the upper ones"},
};

/* The context is nothing. */
GETTER(struct function_over_time, function_bytes, answer_series(of->live_bytes, of->steps))
GETTER(struct function_over_time, function_objects, answer_series(of->live_objects, of->steps))

static const struct answer_column function_columns[] = {
    {"share", "SHARE", ANSWER_SHARE, ANSWER_FIELD(struct function_over_time, share),
     "of all that is held, bytes times time"},
    {NULL, "LIVE OVER TIME", ANSWER_SERIES, ANSWER_FIELD(struct function_over_time, shown)},
    SYMBOL_COLUMNS,
    {"live_bytes", NULL, ANSWER_SERIES, get_function_bytes, "alive at the end of each step"},
    {"live_objects", NULL, ANSWER_SERIES, get_function_objects,
     "blocks alive at the end of each step"},
};

static const struct answer_table series_table =
    ANSWER_JSON(ANSWER_RECORD, "series", series_columns, "what passes the filter, over time");
static const struct answer_table whole_table = ANSWER_JSON(
    ANSWER_RECORD, "whole", series_columns, "the same for everything, if there is a filter");
static const struct answer_table before_table = ANSWER_JSON(
    ANSWER_RECORD, "live_before", sum_columns, "in `series`: alive when the first step begins");
static const struct answer_table peak_table =
    ANSWER_JSON(ANSWER_RECORD, "peak", sum_columns, "in `series`: alive at the peak");
static const struct answer_table steps_table =
    ANSWER_JSON(ANSWER_ROWS, "steps", step_columns, "in `series`: a step");
static const struct answer_table live_table =
    ANSWER_JSON(ANSWER_RECORD, "live", sum_columns, "in `steps`: alive at the end of the step");
static const struct answer_table allocated_table =
    ANSWER_JSON(ANSWER_RECORD, "allocated", sum_columns, "in `steps`: allocated in it");
static const struct answer_table collected_table =
    ANSWER_JSON(ANSWER_RECORD, "collected", sum_columns, "in `steps`: freed in it");
static const struct answer_table curve_table = {
    .shape = ANSWER_RECORD, .forms = ANSWER_IN_COLUMNS, ANSWER_COLUMNS(curve_columns)};
static const struct answer_table flat_table =
    ANSWER_TABLE(ANSWER_ROWS, "steps", ANSWER_IN_CSV | ANSWER_IN_COLUMNS, flat_columns, "a step");

static const struct answer_table bounds_table = {
    .key = "bounds", .forms = ANSWER_IN_COLUMNS, ANSWER_COLUMNS(bound_columns)};
static const struct answer_table functions_table = ANSWER_TABLE(
    ANSWER_ROWS, "functions", ANSWER_IN_TEXT | ANSWER_IN_JSON | ANSWER_IN_COLUMNS, function_columns,
    "with --by-function: a function of your own code, the one that holds most first");

const struct answer_table *const timeline_tables[] = {
    &series_table,    &whole_table,     &before_table, &peak_table,      &steps_table, &live_table,
    &allocated_table, &collected_table, &flat_table,   &functions_table, NULL};

static struct answer_section section_of(const struct answer_table *table,
                                        const struct series *series)
{
    return (struct answer_section){.table = table,
                                   .context = series,
                                   .has = series->estimate.sample_rate < 1 ? IS_SAMPLED : 0};
}

static void put_sum(struct answer *answer, const struct answer_table *table,
                    const struct series *series, const struct series_sum *sum)
{
    struct answer_section section = section_of(table, series);
    answer_record(answer, &section, sum);
}

static void put_steps(struct answer *answer, const struct series *series)
{
    struct answer_section steps = section_of(&steps_table, series);
    answer_begin(answer, &steps);
    for (size_t i = 0; i < series->count; i++) {
        const struct series_step *step = &series->steps[i];
        answer_row(answer, step);
        put_sum(answer, &live_table, series, &step->live);
        put_sum(answer, &allocated_table, series, &step->allocated);
        put_sum(answer, &collected_table, series, &step->collected);
    }
    answer_end(answer);
}

static void put_series(struct answer *answer, const struct answer_table *table,
                       const struct series *series)
{
    struct answer_section section = section_of(table, series);
    answer_begin(answer, &section);
    answer_row(answer, series);
    put_sum(answer, &before_table, series, &series->before);
    put_sum(answer, &peak_table, series, &series->peak);
    put_steps(answer, series);
    answer_end(answer);
}

static void put_flat(struct answer *answer, const struct series *series)
{
    struct answer_section section = section_of(&flat_table, series);
    ANSWER_ITEMS(answer, &section, series->steps, series->count);
}

/* Of a sampled trace, for who draws the curve. */
static void put_bounds(struct answer *answer, const struct series *series)
{
    struct answer_section section = section_of(&bounds_table, series);
    if (!answer_tells(answer, &bounds_table) || series->estimate.sample_rate >= 1)
        return;
    ANSWER_ITEMS(answer, &section, series->steps, series->count);
}

static void put_functions(struct answer *answer, const struct timeline *timeline)
{
    if (own(timeline->report->options)->functions == 0)
        return;
    ANSWER_ITEMS(answer, &(struct answer_section){.table = &functions_table},
                 timeline->functions.items, timeline->functions.count);
}

/* ---- For people ---------------------------------------------------------------------- */

static bool counts_objects(const struct timeline *timeline)
{
    return timeline->report->weight == WEIGHT_OBJECTS;
}

static double value_of(const struct timeline *timeline, const struct series_sum *sum)
{
    return counts_objects(timeline) ? sum->objects : sum->bytes;
}

static const char *quantity(const struct timeline *timeline, char *text,
                            const struct series_sum *sum)
{
    return (counts_objects(timeline) ? units_count : units_bytes)(text, value_of(timeline, sum));
}

/* Bounds of what is shown. */
static struct estimate_range range_of(const struct timeline *timeline, const struct series_sum *sum)
{
    return counts_objects(timeline) ? series_objects_range(&timeline->over.passing, sum)
                                    : series_bytes_range(&timeline->over.passing, sum);
}

static const char *bounds(const struct timeline *timeline, char text[RANGE_TEXT_BYTES],
                          const struct series_sum *sum)
{
    struct estimate_range range = range_of(timeline, sum);
    return range_text(text, &range, counts_objects(timeline) ? units_count : units_bytes);
}

static struct series_sum sum_allocated(const struct series *series)
{
    struct series_sum sum = {0};
    for (size_t i = 0; i < series->count; i++) {
        const struct series_sum *step = &series->steps[i].allocated;
        sum.bytes += step->bytes;
        sum.objects += step->objects;
        sum.samples += step->samples;
        sum.squares += step->squares;
        sum.seen_blocks += step->seen_blocks;
        sum.seen_bytes += step->seen_bytes;
    }
    return sum;
}

static void describe(const struct timeline *timeline, char *text, size_t size)
{
    const struct series *series = &timeline->over.passing;
    char duration[UNITS_TEXT_BYTES], peak[UNITS_TEXT_BYTES], time[UNITS_TEXT_BYTES];
    char all[UNITS_TEXT_BYTES], end[UNITS_TEXT_BYTES], ranges[3][RANGE_TEXT_BYTES];
    bool is_objects = counts_objects(timeline);
    struct series_sum allocated = sum_allocated(series);
    const struct series_sum *left = &series->steps[series->count - 1].live;
    snprintf(text, size,
             "%s%s%s allocated in %s; %s%s live at the peak, after %s; %s%s at the end%s",
             quantity(timeline, all, &allocated), bounds(timeline, ranges[0], &allocated),
             is_objects ? " objects" : "",
             units_duration(duration, (double)(series->to_us - series->from_us) * 1e-6),
             quantity(timeline, peak, &series->peak),
             range_text(ranges[1], is_objects ? &series->peak_objects_range : &series->peak_range,
                        is_objects ? units_count : units_bytes),
             units_duration(time, (double)series->peak_us * 1e-6), quantity(timeline, end, left),
             bounds(timeline, ranges[2], left),
             timeline->report->input.status == 0 ? "" : " of what there is of the trace");
}

/* What is alive at the end of each step.  malloc'ed; NULL when there is no memory. */
static double *live_values(const struct timeline *timeline, const struct series *series)
{
    double *values = malloc(series->count * sizeof *values);
    for (size_t i = 0; values && i < series->count; i++)
        values[i] = value_of(timeline, &series->steps[i].live);
    return values;
}

/* The highest point of what is alive. */
static struct answer_point peak_of(const struct timeline *timeline, const struct series *series)
{
    return (struct answer_point){series->peak_us,
                                 series->peak.bytes > 0 ? value_of(timeline, &series->highest) : 0};
}

/* Bounds of the same: the lower ones of all steps, then the upper ones.  malloc'ed; NULL when there is no memory. */
static double *live_bounds(const struct timeline *timeline, const struct series *series)
{
    double *bounds = malloc(2 * series->count * sizeof *bounds);
    for (size_t i = 0; bounds && i < series->count; i++) {
        struct estimate_range range = range_of(timeline, &series->steps[i].live);
        bounds[i] = range.low;
        bounds[series->count + i] = range.high;
    }
    return bounds;
}

/* What is allocated in each step, a second. */
static double *rate_values(const struct timeline *timeline, const struct series *series)
{
    double *values = malloc(series->count * sizeof *values);
    double seconds = (double)(series->to_us - series->from_us) * 1e-6 / (double)series->count;
    for (size_t i = 0; values && i < series->count; i++)
        values[i] = value_of(timeline, &series->steps[i].allocated) / seconds;
    return values;
}

/* False when there is no memory. */
static bool draw(struct answer *answer, const struct timeline *timeline, struct answer_chart chart,
                 double *(*values)(const struct timeline *, const struct series *))
{
    double *own = values(timeline, &timeline->over.passing);
    double *all = timeline->over.has_filter ? values(timeline, &timeline->over.all) : NULL;
    bool done = own && (all || !timeline->over.has_filter);
    chart.kind = counts_objects(timeline) ? ANSWER_COUNT : ANSWER_BYTES;
    chart.count = timeline->over.passing.count;
    chart.from_us = timeline->over.passing.from_us;
    chart.to_us = timeline->over.passing.to_us;
    chart.values = own;
    chart.whole = all;
    if (done)
        answer_draw(answer, &chart);
    free(own);
    free(all);
    return done;
}

static bool is_sampled(const struct timeline *timeline)
{
    return timeline->over.passing.estimate.sample_rate < 1;
}

/* The line goes through what the samples say, whose top is above the estimate: they were looked for where they are most. */
static void put_mark(const struct timeline *timeline, char *text, size_t size)
{
    const struct series *series = &timeline->over.passing;
    char peak[UNITS_TEXT_BYTES], time[UNITS_TEXT_BYTES], top[UNITS_TEXT_BYTES];
    quantity(timeline, peak, &series->peak);
    quantity(timeline, top, &series->highest);
    bool is_apart = is_sampled(timeline) && strcmp(peak, top) != 0;
    snprintf(text, size, "peak %s at %s%s%s", peak,
             units_duration(time, (double)series->peak_us * 1e-6),
             is_apart ? "; samples reach " : "", is_apart ? top : "");
}

static bool draw_live(struct answer *answer, const struct timeline *timeline)
{
    const struct series *series = &timeline->over.passing, *all = &timeline->over.all;
    char mark[4 * UNITS_TEXT_BYTES];
    double *bounds = is_sampled(timeline) ? live_bounds(timeline, series) : NULL;
    put_mark(timeline, mark, sizeof mark);
    struct answer_chart chart = {.title = "live",
                                 .per = "",
                                 .rows = LIVE_ROWS,
                                 .before = value_of(timeline, &series->before),
                                 .peak = peak_of(timeline, series),
                                 .mark = series->peak.bytes > 0 ? mark : NULL};
    if (bounds) {
        chart.low = bounds;
        chart.high = bounds + series->count;
        chart.estimate = answer_estimate(value_of(timeline, &series->peak),
                                         counts_objects(timeline) ? series->peak_objects_range
                                                                  : series->peak_range);
    }
    if (timeline->over.has_filter) {
        chart.whole_before = value_of(timeline, &all->before);
        chart.whole_peak = peak_of(timeline, all);
    }
    bool done = (bounds || !is_sampled(timeline)) && draw(answer, timeline, chart, live_values);
    free(bounds);
    return done;
}

static bool draw_both(struct answer *answer, const struct timeline *timeline)
{
    struct answer_chart rate = {
        .title = "allocated", .per = "/s", .is_rate = true, .rows = RATE_ROWS, .has_times = true};
    return draw_live(answer, timeline) && draw(answer, timeline, rate, rate_values);
}

static bool tell(struct answer *answer, const struct timeline *timeline)
{
    char about[512];
    const char *name = plain(timeline->report->input.name);
    describe(timeline, about, sizeof about);
    answer_title(answer, "%s over time", name);
    answer_say(answer, "%s: %s", name, about);
    report_say_filter(answer, timeline->report);
    answer_say(answer, "%s", "");
    report_head(answer, timeline->report);
    put_series(answer, &series_table, &timeline->over.passing);
    if (timeline->over.has_filter)
        put_series(answer, &whole_table, &timeline->over.all);
    answer_record(answer, &(struct answer_section){.table = &curve_table}, &timeline->over.passing);
    put_flat(answer, &timeline->over.passing);
    put_bounds(answer, &timeline->over.passing);
    bool done = !answer_is_read(answer) || draw_both(answer, timeline);
    put_functions(answer, timeline);
    return done;
}

enum report_outcome timeline_put(struct answer *answer, const struct report *report)
{
    const struct over_time_part part = {
        .from_us = (int64_t)own(report->options)->from_us,
        .to_us = end_of(report),
        .steps =
            own(report->options)->steps > 0 ? (size_t)own(report->options)->steps : USUAL_STEPS,
        .is_curve = answer_tells(answer, &curve_table),
    };
    struct timeline timeline = {.report = report};
    size_t functions = (size_t)own(report->options)->functions;
    if (!over_time_init(&timeline.over, report, &part))
        return REPORT_UNFINISHED;
    bool done =
        functions == 0 || functions_over_time_init(&timeline.functions, report, &part, functions);
    if (done) {
        done = tell(answer, &timeline);
        functions_over_time_release(&timeline.functions);
    }
    over_time_release(&timeline.over);
    return report_outcome_of(done);
}
