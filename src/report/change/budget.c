#include "report/change/budget.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/plain.h"
#include "profile/live_peak.h"
#include "profile/selection.h"
#include "profile/series.h"

static const char *const names[BUDGET_MEASURES] = {"peak", "allocated", "live-at-end", "objects"};

void budget_limit(char text[UNITS_TEXT_BYTES], bool is_count, double low, double high)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double unit = 1, middle = (low + high) / 2;
    size_t i = 0;
    for (; !is_count && i + 1 < sizeof units / sizeof *units && middle >= 1000 * unit; i++)
        unit *= 1024;
    for (int decimals = 0; decimals <= 3 && (i > 0 || decimals == 0); decimals++) {
        snprintf(text, UNITS_TEXT_BYTES, "%.*f", decimals, middle / unit);
        double limit = strtod(text, NULL) * unit;
        if (limit >= low && limit <= high) {
            strcat(text, is_count ? "" : units[i]);
            return;
        }
    }
    snprintf(text, UNITS_TEXT_BYTES, "%.0f%s", middle, is_count ? "" : "B");
}

const char *budget_measure_name(enum budget_measure measure)
{
    return names[measure];
}

enum budget_measure budget_find_measure(const char *name, size_t length)
{
    int i = 0;
    while (i < BUDGET_MEASURES && (strlen(names[i]) != length || memcmp(names[i], name, length)))
        i++;
    return (enum budget_measure)i;
}

/* ---- Traces -------------------------------------------------------------------------- */

static enum selection_quantity quantity_of(enum budget_measure measure)
{
    return measure == BUDGET_LIVE_AT_END ? SELECT_LIVE : SELECT_ALLOCATED;
}

static void set_sum(struct budget_figure *figure, const struct estimate_sum *sum,
                    const struct estimate *estimate)
{
    figure->value = sum->value;
    figure->samples = sum->samples;
    figure->range = estimate_range(sum, estimate->sample_rate);
}

static void count_objects(struct budget_figure *figure, const struct matcher *matcher,
                          enum budget_measure measure)
{
    const struct estimate *estimate = &matcher->model->estimate;
    struct stack_tally sum = {0};
    struct matcher_life life;
    for (size_t row = 0; row < matcher->model->objects.count; row++) {
        if (!matcher_object(matcher, row, &life) ||
            !selection_counts(quantity_of(measure), matcher, row, &life))
            continue;
        selection_add_row(&sum, matcher->model, row, &life);
    }
    struct estimate_sum of = measure == BUDGET_OBJECTS ? stack_tally_objects_sum(&sum, estimate)
                                                       : stack_tally_bytes_sum(&sum, estimate);
    set_sum(figure, &of, estimate);
}

static bool measure_trace(struct budget_figure *figure, const struct matcher *matcher,
                          enum budget_measure measure)
{
    const struct estimate *estimate = &matcher->model->estimate;
    struct live_peak found;
    if (measure != BUDGET_PEAK) {
        count_objects(figure, matcher, measure);
        return true;
    }
    if (!live_peak_find(&found, matcher, 0, matcher->model->end_us + 1))
        return false;
    figure->peak = found.peak;
    figure->samples = (double)found.peak.samples;
    figure->value = estimate_bytes(estimate, figure->samples);
    figure->range = peak_range(&found.peak, estimate);
    return true;
}

void budget_measure_series(struct budget_figure *figure, const struct series *series)
{
    *figure = (struct budget_figure){
        .value = series->peak.bytes, .samples = series->peak.samples, .range = series->peak_range};
}

/* ---- Profiles ------------------------------------------------------------------------ */

/* The index of the type that is named as a measure's, whatever its unit; -1 for none. */
static long named_type_of(const struct model *model, enum budget_measure measure)
{
    static const char *const types[BUDGET_MEASURES] = {NULL, "alloc_space", "inuse_space",
                                                       "alloc_objects"};
    return types[measure] ? model_find_value_type(model, types[measure]) : -1;
}

const struct model_value_type *budget_odd_type(const struct model *model,
                                               enum budget_measure measure)
{
    long number = measure == BUDGET_OBJECTS ? -1 : named_type_of(model, measure);
    const struct model_value_type *type = number < 0 ? NULL : &model->samples.types[number];
    bool is_odd = type && *type->unit && strcmp(type->unit, "bytes") != 0;
    return is_odd ? type : NULL;
}

/* The index of the type that has a measure; -1 for none. */
static long type_of(const struct model *model, enum budget_measure measure)
{
    return budget_odd_type(model, measure) ? -1 : named_type_of(model, measure);
}

bool budget_has(const struct model *model, enum budget_measure measure)
{
    return model->kind == MODEL_OBJECTS || type_of(model, measure) >= 0;
}

static enum heaptap_status refuse(const struct model *model, enum budget_measure measure,
                                  struct heaptap_error *error)
{
    const struct model_value_type *odd = budget_odd_type(model, measure);
    if (!odd)
        return error_set(error, HEAPTAP_BAD_ARGUMENT, "this profile has no '%s'", names[measure]);
    return error_set(
        error, HEAPTAP_BAD_ARGUMENT,
        "%s of this profile is in '%.80s', which can't be turned into bytes, so it has "
        "no '%s'",
        odd->name, plain(odd->unit), names[measure]);
}

static void measure_profile(struct budget_figure *figure, const struct matcher *matcher, long type)
{
    const struct model_samples *samples = &matcher->model->samples;
    for (size_t row = 0; row < samples->count; row++)
        if (matcher_sample(matcher, row))
            figure->value += (double)samples->values[row * samples->type_count + (size_t)type];
    figure->range = (struct estimate_range){figure->value, figure->value};
}

/* ---- Both ---------------------------------------------------------------------------- */

enum heaptap_status budget_measure(struct budget_figure *figure, const struct model *model,
                                   const struct filter *filter, enum budget_measure measure,
                                   size_t *length, struct heaptap_error *error)
{
    struct matcher matcher;
    bool is_trace = model->kind == MODEL_OBJECTS, done = true;
    *figure = (struct budget_figure){0};
    *length = 0;
    if (!budget_has(model, measure))
        return refuse(model, measure, error);
    enum heaptap_status status = matcher_init(&matcher, model, filter, length, error);
    if (status != HEAPTAP_OK)
        return status;
    figure->is_empty = matcher_leaves_nothing(&matcher);
    if (is_trace)
        done = measure_trace(figure, &matcher, measure);
    else
        measure_profile(figure, &matcher, type_of(model, measure));
    matcher_release(&matcher);
    return done ? HEAPTAP_OK : error_no_memory(error);
}

/* ---- Sites --------------------------------------------------------------------------- */

static bool graph_of(struct call_graph *sites, const struct budget_figure *figure,
                     const struct model *model, const struct filter *filter,
                     enum budget_measure measure)
{
    struct matcher matcher;
    struct selection selection;
    bool is_trace = model->kind == MODEL_OBJECTS;
    struct selection_options what = {.quantity = quantity_of(measure),
                                     .value_type = is_trace ? 0 : (size_t)type_of(model, measure)};
    struct call_graph_options how = {.grain = GRAIN_LINE,
                                     .weight = !is_trace                   ? WEIGHT_VALUE
                                               : measure == BUDGET_OBJECTS ? WEIGHT_OBJECTS
                                                                           : WEIGHT_BYTES,
                                     .order = ORDER_FLAT,
                                     .node_count = BUDGET_SITES,
                                     .no_edges = true};
    if (matcher_init(&matcher, model, filter, NULL, NULL) != HEAPTAP_OK)
        return false;
    if (measure == BUDGET_PEAK)
        matcher_move_peak(&matcher, &figure->peak);
    bool done = selection_init(&selection, &matcher, filter, &what, NULL);
    if (done) {
        done = call_graph_init(sites, &selection.profile, &selection.frames, &how);
        selection_release(&selection);
    }
    matcher_release(&matcher);
    return done;
}

bool budget_sites(struct call_graph *sites, const struct budget_figure *figure,
                  const struct model *model, const struct filter *filter,
                  enum budget_measure measure)
{
    struct filter at; /* the same, and what was alive then */
    const char *when = measure == BUDGET_PEAK ? "live-at=peak" : "";
    if (filter_parse_both(&at, filter->text, when, NULL, NULL) != HEAPTAP_OK)
        return false;
    filter_hide_libraries(&at);
    bool done = graph_of(sites, figure, model, &at, measure);
    filter_release(&at);
    return done;
}
