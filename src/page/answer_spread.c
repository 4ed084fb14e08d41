#include "page/answer_spread.h"

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
