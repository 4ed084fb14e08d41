#include "fleet/regressions.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

static const struct regressions_question *own(const struct question *question)
{
    return (const struct regressions_question *)question->own;
}

enum heaptap_status fleet_regressions_read(struct fleet_comparison *comparison, int side,
                                           const struct question *question, struct store *store,
                                           const struct store_selector *selector,
                                           struct heaptap_error *error)
{
    return store_sites_read(store, selector, regressions_sample_name(own(question)->sample),
                            &comparison->sides[side], error);
}

/* NULL when there is no memory. */
static struct site_change *site_of(struct fleet_comparison *comparison,
                                   const struct store_site *site)
{
    const char *function = names_intern(&comparison->names, site->function, strlen(site->function));
    const char *file = names_intern(&comparison->names, site->file, strlen(site->file));
    bool fresh;
    if (!function || !file)
        return NULL;
    uint64_t key =
        (uint64_t)(uintptr_t)function * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)(uintptr_t)file;
    uint32_t *index = map_put(&comparison->by_place, key, (uint32_t)comparison->count, &fresh);
    if (index && fresh)
        comparison->sites[comparison->count++] =
            (struct site_change){.function = function, .file = file};
    return index ? &comparison->sites[*index] : NULL;
}

static bool join(struct fleet_comparison *comparison)
{
    comparison->sites = calloc(comparison->sides[0].count + comparison->sides[1].count + 1,
                               sizeof *comparison->sites);
    bool done = comparison->sites;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; done && i < comparison->sides[side].count; i++) {
            const struct store_site *from = &comparison->sides[side].items[i];
            struct site_change *to = site_of(comparison, from);
            if ((done = to)) {
                struct site_sum *sum = side == 0 ? &to->base : &to->new;
                sum->value += from->value;
                sum->variance += from->variance;
            }
        }
    return done;
}

/* Puts what grew by enough to matter first, and leaves the order otherwise as it is. */
static void separate_small(struct regressions *regressions)
{
    struct site_change *sites = regressions->sites;
    for (size_t i = 0; i < regressions->count && sites[i].adjusted <= regressions->rate; i++) {
        struct site_change site = sites[i];
        double growth =
            site.new.value / regressions->new.value - site.base.value / regressions->base.value;
        if (growth < regressions->smallest) {
            regressions->small++;
            continue;
        }
        memmove(&sites[regressions->found + 1], &sites[regressions->found],
                (i - regressions->found) * sizeof *sites);
        sites[regressions->found++] = site;
    }
}

bool fleet_regressions_find(struct regressions *regressions, struct fleet_comparison *comparison,
                            const struct question *question)
{
    const struct store_sites *sides = comparison->sides;
    *regressions = (struct regressions){.options = question,
                                        .base_name = question->path,
                                        .new_name = question->other,
                                        .sample = regressions_sample_name(own(question)->sample),
                                        .rate = own(question)->rate,
                                        .smallest = own(question)->smallest,
                                        .base = {sides[0].value, sides[0].variance},
                                        .new = {sides[1].value, sides[1].variance}};
    if (!join(comparison))
        return false;
    regressions->sites = comparison->sites;
    regressions->count = comparison->count;
    regressions_find(comparison->sites, comparison->count, &regressions->base, &regressions->new);
    separate_small(regressions);
    return true;
}

void fleet_regressions_release(struct fleet_comparison *comparison)
{
    store_sites_release(&comparison->sides[0]);
    store_sites_release(&comparison->sides[1]);
    names_release(&comparison->names);
    map_release(&comparison->by_place);
    free(comparison->sites);
    *comparison = (struct fleet_comparison){0};
}
