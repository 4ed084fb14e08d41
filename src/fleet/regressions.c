#include "fleet/regressions.h"

#include <stdlib.h>
#include <string.h>

#include "fleet/site_matching.h"

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

/* Adds up what both sides have of each site; a site of both is named as the new side does. */
static void add_side(struct fleet_comparison *comparison, int side, const uint32_t *numbers)
{
    for (size_t i = 0; i < comparison->sides[side].count; i++) {
        const struct store_site *from = &comparison->sides[side].items[i];
        struct site_change *to = &comparison->sites[numbers[i]];
        struct site_sum *sum = side == 0 ? &to->base : &to->new;
        to->function = from->function;
        to->file = from->file;
        to->line = from->line ? from->line : to->line;
        sum->value += from->value;
        sum->variance += from->variance;
    }
}

static bool join(struct fleet_comparison *comparison)
{
    const struct store_sites *sides = comparison->sides;
    size_t most = sides[0].count + sides[1].count;
    uint32_t count = 0, *both = calloc(most + 1, sizeof *both);
    if (!both)
        return false;
    uint32_t *const numbers[2] = {both, both + sides[0].count};
    comparison->sites = calloc(most + 1, sizeof *comparison->sites);
    bool done = comparison->sites && site_matching(sides, numbers, &count);
    comparison->count = done ? count : 0;
    for (int side = 0; done && side < 2; side++)
        add_side(comparison, side, numbers[side]);
    free(both);
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
    free(comparison->sites);
    *comparison = (struct fleet_comparison){0};
}
