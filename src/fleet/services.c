/* Points come by value of the label, by series and by time.  What is allocated adds up.  A level counts for as long as its series
 * sends, and that is divided by how long any does: so an instance that goes on under other labels counts once at each time, and
 * rows add up to the mean of all, whichever label they are of.  A series of which only moments are known counts all the time. */
#include "fleet/services.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "fleet/outlier.h"
#include "fleet/times.h"
#include "profile/estimate.h"

/* What is known of one series so far. */
struct levels {
    int64_t series;
    double allocated;
    double sum;
    int64_t count;         /* of profiles that have a level */
    int64_t until_us;      /* of the last of these */
    int64_t sent_us;       /* how long it sent, each time counted once */
    double *sums, *shares; /* by step: levels times what part of the step they hold; these parts */
    double *sent;          /* by step: the part in which it sent */
};

struct gathering {
    struct services *services;
    const struct store_selector *selector;
    size_t capacity;
    double *held; /* by row: levels times how long they held, in microseconds */
    size_t held_capacity;
    struct levels levels;
    struct sending sending;
    struct series_sum *sums; /* of all series */
    size_t sum_count, sum_capacity;
    bool no_memory;
};

/* ---- Time ---------------------------------------------------------------------------- */

/* The steps are those of the time that was asked for; where that has no bounds, of the profiles'. */
static void set_span(void *context, int64_t from_us, int64_t until_us)
{
    struct gathering *gathering = context;
    struct services *services = gathering->services;
    struct store_selector all = store_selector_all();
    const struct store_selector *selector = gathering->selector;
    services->from_us = selector->after_us == all.after_us ? from_us : selector->after_us;
    services->to_us = selector->until_us == all.until_us ? until_us : selector->until_us;
    if (services->to_us <= services->from_us)
        services->to_us = services->from_us + 1;
}

/* ---- Rows ---------------------------------------------------------------------------- */

static struct service *last(const struct gathering *gathering)
{
    struct services *services = gathering->services;
    return services->count > 0 ? &services->items[services->count - 1] : NULL;
}

/* Adds what the series had in use to its row, and forgets it.  False when there is no memory. */
static bool end_series(struct gathering *gathering)
{
    struct levels *levels = &gathering->levels;
    struct service *service = last(gathering);
    size_t steps = gathering->services->steps;
    double mean = levels->count > 0 ? levels->sum / (double)levels->count : 0;
    if (!ARRAY_RESERVE(&gathering->sums, &gathering->sum_capacity, gathering->sum_count + 1))
        return false;
    if (service)
        gathering->sums[gathering->sum_count++] =
            (struct series_sum){levels->series, {levels->allocated, mean}};
    if (service && levels->sent_us > 0)
        gathering->held[gathering->services->count - 1] += mean * (double)levels->sent_us;
    else if (service)
        service->in_use += mean;
    for (size_t i = 0; service && i < steps; i++) {
        double part = levels->sent[i];
        if (levels->shares[i] > 0 && part <= 2 * TIMES_MOMENT)
            part = gathering->sending.parts[i] = 1;
        if (levels->shares[i] > 0)
            service->in_use_steps[i] += levels->sums[i] / levels->shares[i] * part;
        levels->sums[i] = levels->shares[i] = levels->sent[i] = 0;
    }
    levels->sum = levels->allocated = 0;
    levels->count = levels->sent_us = 0;
    levels->until_us = INT64_MIN;
    return true;
}

static struct service *begin_service(struct gathering *gathering, const struct store_point *point)
{
    struct services *services = gathering->services;
    if (!ARRAY_RESERVE(&services->items, &gathering->capacity, services->count + 1) ||
        !ARRAY_RESERVE(&gathering->held, &gathering->held_capacity, services->count + 1))
        return NULL;
    gathering->held[services->count] = 0;
    struct service *service = &services->items[services->count];
    *service = (struct service){.name = strdup(point->value),
                                .from_us = point->from_us,
                                .until_us = point->until_us,
                                .allocated_weight = -1,
                                .allocated_steps = calloc(services->steps + 1, sizeof(double)),
                                .in_use_steps = calloc(services->steps + 1, sizeof(double))};
    services->count++;
    return service->name && service->allocated_steps && service->in_use_steps ? service : NULL;
}

/* Until all is gathered, `allocated_error` is the variance. */
static void add_allocated(struct services *services, struct service *service,
                          const struct store_point *point)
{
    struct interval time = {point->from_us, point->until_us};
    bool is_known = service->allocated_error >= 0 && point->allocated_variance >= 0;
    service->has_allocated = true;
    service->allocated += point->allocated;
    service->allocated_error = is_known ? service->allocated_error + point->allocated_variance : -1;
    service->allocated_weight = fmax(service->allocated_weight, point->allocated_weight);
    services->allocated += point->allocated;
    if (services->steps > 0)
        times_spread(services, time, point->allocated, false, service->allocated_steps, NULL);
}

/* False when there is no memory.  What two profiles of a series say of one time counts as their mean. */
static bool add_level(struct gathering *gathering, const struct store_point *point)
{
    struct levels *levels = &gathering->levels;
    struct interval time = {point->from_us, point->until_us}, fresh = time;
    if (fresh.from_us < levels->until_us)
        fresh.from_us = levels->until_us;
    levels->sum += point->in_use;
    levels->count++;
    levels->until_us = time.until_us;
    if (gathering->services->steps > 0)
        times_spread(gathering->services, time, point->in_use, true, levels->sums, levels->shares);
    if (fresh.until_us <= fresh.from_us)
        return true;
    levels->sent_us += fresh.until_us - fresh.from_us;
    if (gathering->services->steps > 0)
        times_spread(gathering->services, fresh, 1, true, levels->sent, NULL);
    return times_add(&gathering->sending, fresh);
}

static void add(struct gathering *gathering, struct service *service,
                const struct store_point *point)
{
    service->profiles++;
    service->from_us = point->from_us < service->from_us ? point->from_us : service->from_us;
    service->until_us = point->until_us > service->until_us ? point->until_us : service->until_us;
    if (point->has_allocated)
        add_allocated(gathering->services, service, point);
    gathering->levels.allocated += point->has_allocated ? point->allocated : 0;
    service->has_in_use |= point->has_in_use;
    if (point->has_in_use && !add_level(gathering, point))
        gathering->no_memory = true;
}

static void take_point(void *context, const struct store_point *point)
{
    struct gathering *gathering = context;
    struct service *service = last(gathering);
    bool is_other = !service || strcmp(service->name, point->value) != 0;
    if (gathering->no_memory)
        return;
    if (is_other || gathering->levels.series != point->series)
        gathering->no_memory = !end_series(gathering);
    if (is_other && !gathering->no_memory)
        gathering->no_memory = !(service = begin_service(gathering, point));
    if (gathering->no_memory)
        return;
    service->series += is_other || gathering->levels.series != point->series;
    gathering->levels.series = point->series;
    add(gathering, service, point);
}

/* ---- All ----------------------------------------------------------------------------- */

static int by_allocated(const void *left, const void *right)
{
    const struct service *a = left, *b = right;
    return a->allocated != b->allocated
               ? (a->allocated < b->allocated) - (a->allocated > b->allocated)
               : strcmp(a->name, b->name);
}

/* An estimate of an error has no more digits; those beyond are what a store in ClickHouse rounds. */
static double rounded(double error)
{
    char text[32];
    snprintf(text, sizeof text, "%.5g", error);
    return strtod(text, NULL);
}

/* The bounds for few samples (profile/estimate.h); the variances include the other sources of error. */
static void set_bounds(struct service *service, double variance)
{
    struct estimate_sum sum = {.samples = service->allocated > 0,
                               .value = service->allocated,
                               .squares = variance,
                               .heaviest = service->allocated_weight};
    struct estimate_range range = {service->allocated, service->allocated, false};
    if (service->allocated_weight > 0)
        range = estimate_range(&sum, 0);
    service->allocated_low = service->allocated - rounded(service->allocated - range.low);
    service->allocated_high = service->allocated + rounded(range.high - service->allocated);
    if (service->allocated_weight < 0)
        service->allocated_high = -1;
}

/* Until all is gathered, `in_use` is of series of which moments are known, and steps are not divided. */
static void divide_levels(struct gathering *gathering)
{
    struct services *services = gathering->services;
    double sent = times_sent(services, &gathering->sending);
    for (size_t i = 0; i < services->count; i++) {
        struct service *service = &services->items[i];
        if (sent > 0)
            service->in_use += gathering->held[i] / sent;
        for (size_t step = 0; step < services->steps; step++)
            if (service->in_use_steps[step] != 0)
                service->in_use_steps[step] /= fmin(1, gathering->sending.parts[step]);
    }
}

/* False when there is no memory. */
static bool find_outlier(struct gathering *gathering, struct store *store)
{
    struct services_outlier *told = &gathering->services->outlier;
    struct outlier outlier;
    struct store_label label;
    for (int of = OF_ALLOCATED; of < OF_COUNT && !told->of; of++)
        if (outlier_find(&outlier, gathering->sums, gathering->sum_count, of))
            *told = (struct services_outlier){.of = of == OF_ALLOCATED ? "allocated" : "in use",
                                              .series = (int64_t)outlier.count,
                                              .bytes = outlier.bytes,
                                              .rest = outlier.rest};
    if (!told->of)
        return true;
    store_rarest_label(store, outlier.series, &label);
    if (!*label.key)
        return true;
    told->label = strdup(label.key);
    told->value = strdup(label.value);
    return told->label && told->value;
}

static void finish(struct services *services)
{
    for (size_t i = 0; i < services->count; i++) {
        struct service *service = &services->items[i];
        if (service->allocated_error >= 0)
            set_bounds(service, service->allocated_error);
        service->allocated_error =
            service->allocated_error >= 0 ? rounded(sqrt(service->allocated_error)) : -1;
        services->magnitude += fabs(service->allocated);
    }
    if (services->count > 0)
        qsort(services->items, services->count, sizeof *services->items, by_allocated);
}

enum heaptap_status fleet_services_read(struct services *services, struct store *store,
                                        const struct store_selector *selector,
                                        struct heaptap_error *error)
{
    struct gathering gathering = {.services = services, .selector = selector};
    struct levels *levels = &gathering.levels;
    struct store_points_question question = {.label = services->label,
                                             .through = services->through,
                                             .span = set_span,
                                             .each = take_point,
                                             .context = &gathering};
    double **const by_step[] = {&levels->sums, &levels->shares, &levels->sent,
                                &gathering.sending.parts};
    bool has_memory = true;
    for (size_t i = 0; i < sizeof by_step / sizeof *by_step; i++)
        has_memory &= (*by_step[i] = calloc(services->steps + 1, sizeof(double))) != NULL;
    levels->until_us = INT64_MIN;
    enum heaptap_status status =
        has_memory ? store_points(store, selector, &question, error) : error_no_memory(error);
    if (status == HEAPTAP_OK && !gathering.no_memory) {
        gathering.no_memory = !end_series(&gathering) || !find_outlier(&gathering, store);
        divide_levels(&gathering);
    }
    for (size_t i = 0; i < sizeof by_step / sizeof *by_step; i++)
        free(*by_step[i]);
    free(gathering.held);
    free(gathering.sending.items);
    free(gathering.sums);
    if (status == HEAPTAP_OK && gathering.no_memory)
        status = error_no_memory(error);
    if (status == HEAPTAP_OK)
        finish(services);
    return status;
}

void fleet_services_release(struct services *services)
{
    for (size_t i = 0; i < services->count; i++) {
        free(services->items[i].name);
        free(services->items[i].allocated_steps);
        free(services->items[i].in_use_steps);
    }
    free(services->items);
    free(services->outlier.label);
    free(services->outlier.value);
    services->outlier = (struct services_outlier){0};
    services->items = NULL;
    services->count = 0;
}
