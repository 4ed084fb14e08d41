#include "report/change/grown_sites.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "report/change/binomial.h"
#include "report/change/holm.h"

/* ---- Sites --------------------------------------------------------------------------- */

/* What a sample stands for. */
static double weight_of(const struct site_sum *sum)
{
    return sum->value > 0 && sum->variance > 0 ? sum->variance / sum->value : 1;
}

/* The same of a site, which may have nothing on this side: then as on the other one, in the proportion of the totals. */
static double weight_at(const struct site_sum *site, const struct site_sum *total,
                        const struct site_sum *other, const struct site_sum *other_total)
{
    if (site->value > 0)
        return weight_of(site);
    return weight_of(other) * weight_of(total) / weight_of(other_total);
}

/* What all other sites have. */
static struct site_sum rest_of(const struct site_sum *total, const struct site_sum *site)
{
    return (struct site_sum){fmax(0, total->value - site->value),
                             fmax(0, total->variance - site->variance)};
}

/* Without it, p would be too small where there are few samples. */
static struct site_sum with_one_more(const struct site_sum *sum, const struct site_sum *total)
{
    double weight = weight_of(sum->value > 0 ? sum : total);
    return (struct site_sum){sum->value + weight,
                             total->variance > 0 ? sum->variance + weight * weight : 0};
}

/* The relative variance of a sum. */
static double spread_of(const struct site_sum *sum)
{
    return sum->value > 0 ? sum->variance / (sum->value * sum->value) : 0;
}

static double p_of(const struct site_change *site, const struct site_sum *base,
                   const struct site_sum *new)
{
    if (site->new.value <= 0 || base->value <= 0 || new->value <= 0 ||
        site->new.value / new->value <= site->base.value / base->value)
        return 1;
    struct site_sum base_rest = rest_of(base, &site->base), seen = rest_of(new, &site->new);
    struct site_sum new_rest = with_one_more(&seen, new);
    double base_weight = weight_at(&site->base, base, &site->new, new);
    double new_weight = weight_at(&site->new, new, &site->base, base);
    double before = site->base.value / base_weight, after = site->new.value / new_weight;
    double base_size = base_rest.value / base_weight, new_size = new_rest.value / new_weight;
    if (base_size <= 0)
        return 1;
    double chance = new_size / (new_size + base_size);
    double effect = 1 + (before + after) * chance * (1 - chance) *
                            (spread_of(&base_rest) + spread_of(&new_rest));
    before = ceil(before / effect - 1e-9);
    after = floor(after / effect + 1e-9);
    return binomial_upper_tail(after, before + after, chance);
}

static int compare(const void *left, const void *right)
{
    const struct site_change *a = left, *b = right;
    double by_value = (b->new.value - b->base.value) - (a->new.value - a->base.value);
    return a->p != b->p ? (a->p > b->p) - (a->p < b->p) : (by_value > 0) - (by_value < 0);
}

void regressions_find(struct site_change *sites, size_t count, const struct site_sum *base,
                      const struct site_sum *new)
{
    double least = 0;
    for (size_t i = 0; i < count; i++)
        sites[i].p = p_of(&sites[i], base, new);
    qsort(sites, count, sizeof *sites, compare);
    for (size_t i = 0; i < count; i++)
        sites[i].adjusted = least = holm_next(least, sites[i].p, count - i);
}
