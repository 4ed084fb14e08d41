#include "viewer/answer_time.h"

#include <stddef.h>

static void put_column(struct json *json, const char *key, const struct series *series,
                       size_t offset)
{
    json_key(json, key);
    json_begin_array(json);
    for (size_t i = 0; i < series->count; i++)
        json_double(json, *(const double *)((const char *)&series->steps[i] + offset));
    json_end(json);
}

void answer_put_series(struct json *json, const struct series *series)
{
    json_put_int(json, "from_us", series->from_us);
    json_put_int(json, "to_us", series->to_us);
    json_put_int(json, "peak_us", series->peak_us);
    json_put_double(json, "peak_bytes", series->peak.bytes);
    json_put_double(json, "peak_objects", series->peak.objects);
    json_put_double(json, "highest_bytes", series->highest.bytes);
    json_put_double(json, "highest_objects", series->highest.objects);
    put_column(json, "live_bytes", series, offsetof(struct series_step, live.bytes));
    put_column(json, "live_objects", series, offsetof(struct series_step, live.objects));
    put_column(json, "allocated_bytes", series, offsetof(struct series_step, allocated.bytes));
    put_column(json, "allocated_objects", series, offsetof(struct series_step, allocated.objects));
    put_column(json, "collected_bytes", series, offsetof(struct series_step, collected.bytes));
    put_column(json, "collected_objects", series, offsetof(struct series_step, collected.objects));
}

/* ---- Distributions ----------------------------------------------------------------------- */

static void put_sum(struct json *json, const struct distribution_sum *sum)
{
    json_begin_object(json);
    json_put_uint(json, "blocks", sum->blocks);
    json_put_double(json, "bytes", sum->bytes);
    json_put_double(json, "objects", sum->objects);
    json_end(json);
}

static void put_distribution(struct json *json, const char *key,
                             const struct distribution *distribution)
{
    json_key(json, key);
    json_begin_object(json);
    json_key(json, "edges");
    json_begin_array(json);
    for (size_t i = distribution->first; i <= distribution->end; i++)
        json_uint(json, distribution_edge(i));
    json_end(json);
    json_key(json, "bins");
    json_begin_array(json);
    for (size_t i = distribution->first; i < distribution->end; i++)
        put_sum(json, &distribution->bins[i]);
    json_end(json);
    json_end(json);
}

static void put_domain(struct json *json, size_t number, const struct domain_sums *sums,
                       const struct model_domain *domain)
{
    json_begin_object(json);
    json_put_uint(json, "domain", number);
    json_put_string(json, "name", domain->name);
    json_put_uint(json, "thread", domain->thread);
    json_key(json, "all");
    put_sum(json, &sums->all);
    json_key(json, "live");
    put_sum(json, &sums->live);
    json_end(json);
}

void answer_put_distributions(struct json *json, const struct distributions *distributions,
                              const struct model *model)
{
    put_distribution(json, "sizes", &distributions->sizes);
    put_distribution(json, "lifetimes", &distributions->lifetimes);
    json_key(json, "all");
    put_sum(json, &distributions->all);
    json_key(json, "unended");
    put_sum(json, &distributions->unended);
    json_key(json, "domains");
    json_begin_array(json);
    for (size_t i = 0; i < distributions->domain_count; i++)
        if (distributions->domains[i].all.blocks > 0)
            put_domain(json, i, &distributions->domains[i], &model->domains[i]);
    json_end(json);
}
