/* Points come by value of the label, by series and by time.  What is allocated adds up.  Of a level each series has its mean,
 * over all of its profiles and over those of each step, and these add up over series. */
#include "fleet/services.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "profile/estimate.h"

/* What is known of one series so far. */
struct levels {
    int64_t series;
    double sum;
    int64_t count;         /* of profiles that have a level */
    double *sums, *shares; /* by step: levels times what part of the step they hold; these parts */
};

struct gathering {
    struct services *services;
    const struct store_selector *selector;
    size_t capacity;
    struct levels levels;
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

/* Adds `value` to steps by the time that it holds; `shares`, NULL for none, gets how much of each step that is.  What is of a
 * moment belongs to one step. */
static void spread(const struct services *services, const struct store_point *point, double value,
                   bool is_level, double *sums, double *shares)
{
    double step = (double)(services->to_us - services->from_us) / (double)services->steps;
    double from = (double)(point->from_us - services->from_us) / step;
    double until = (double)(point->until_us - services->from_us) / step;
    double whole = until - from > 1e-9 ? until - from : 1e-9;
    from = until - whole;
    size_t first = from > 0 ? (size_t)from : 0;
    for (size_t i = first; i < services->steps && (double)i < until; i++) {
        double begin = from > (double)i ? from : (double)i;
        double end = until < (double)i + 1 ? until : (double)i + 1;
        double part = end - begin;
        if (part <= 0)
            continue;
        sums[i] += is_level ? value * part : value * part / whole;
        if (shares)
            shares[i] += part;
    }
}

/* ---- Rows ---------------------------------------------------------------------------- */

static struct service *last(const struct gathering *gathering)
{
    struct services *services = gathering->services;
    return services->count > 0 ? &services->items[services->count - 1] : NULL;
}

/* Adds the series' means to those of its row, and forgets it. */
static void end_series(struct gathering *gathering)
{
    struct levels *levels = &gathering->levels;
    struct service *service = last(gathering);
    size_t steps = gathering->services->steps;
    if (service && levels->count > 0)
        service->in_use += levels->sum / (double)levels->count;
    for (size_t i = 0; service && i < steps; i++) {
        if (levels->shares[i] > 0)
            service->in_use_steps[i] += levels->sums[i] / levels->shares[i];
        levels->sums[i] = levels->shares[i] = 0;
    }
    levels->sum = 0;
    levels->count = 0;
}

static struct service *begin_service(struct gathering *gathering, const struct store_point *point)
{
    struct services *services = gathering->services;
    if (!ARRAY_RESERVE(&services->items, &gathering->capacity, services->count + 1))
        return NULL;
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
static void add(struct gathering *gathering, struct service *service,
                const struct store_point *point)
{
    struct services *services = gathering->services;
    service->profiles++;
    service->from_us = point->from_us < service->from_us ? point->from_us : service->from_us;
    service->until_us = point->until_us > service->until_us ? point->until_us : service->until_us;
    if (point->has_allocated) {
        bool is_known = service->allocated_error >= 0 && point->allocated_variance >= 0;
        service->has_allocated = true;
        service->allocated += point->allocated;
        service->allocated_error =
            is_known ? service->allocated_error + point->allocated_variance : -1;
        service->allocated_weight = fmax(service->allocated_weight, point->allocated_weight);
        services->allocated += point->allocated;
        if (services->steps > 0)
            spread(services, point, point->allocated, false, service->allocated_steps, NULL);
    }
    if (point->has_in_use) {
        struct levels *levels = &gathering->levels;
        service->has_in_use = true;
        levels->sum += point->in_use;
        levels->count++;
        if (services->steps > 0)
            spread(services, point, point->in_use, true, levels->sums, levels->shares);
    }
}

static void take_point(void *context, const struct store_point *point)
{
    struct gathering *gathering = context;
    struct service *service = last(gathering);
    bool is_other = !service || strcmp(service->name, point->value) != 0;
    if (gathering->no_memory)
        return;
    if (is_other || gathering->levels.series != point->series)
        end_series(gathering);
    if (is_other && !(service = begin_service(gathering, point))) {
        gathering->no_memory = true;
        return;
    }
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
    levels->sums = calloc(services->steps + 1, sizeof *levels->sums);
    levels->shares = calloc(services->steps + 1, sizeof *levels->shares);
    enum heaptap_status status = levels->sums && levels->shares
                                     ? store_points(store, selector, &question, error)
                                     : error_no_memory(error);
    if (status == HEAPTAP_OK && !gathering.no_memory)
        end_series(&gathering);
    free(levels->sums);
    free(levels->shares);
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
    services->items = NULL;
    services->count = 0;
}
