#include "report/sites/lost.h"

#include <stdlib.h>

#include "profile/holders.h"

/* The last snapshot; NULL for none. */
static const struct holders_snapshot *last_snapshot(const struct sites *sites)
{
    const struct model_holders *holders = sites->model->holders;
    return holders && holders->count > 0 ? &holders->snapshots[holders->count - 1] : NULL;
}

/* What ends on a way, as far as it is left where that is known. */
static double bytes_of(const struct holders_snapshot *snapshot, const struct holders_way *way)
{
    return (double)(snapshot->knows_left ? way->left_bytes : way->bytes);
}

static uint32_t site_of(const struct sites *sites, const struct holders_way *way)
{
    return way->stack != HOLDERS_NONE ? sites->site_of[way->stack] : STACK_NONE;
}

static bool is_lost(const struct holders_snapshot *snapshot, const struct holders_way *way)
{
    return snapshot->roots[way->root].kind == HOLDERS_LOST;
}

double lost_part(const struct sites *sites, const struct site *site)
{
    const struct holders_snapshot *last = last_snapshot(sites);
    double all = 0, lost = 0;
    for (size_t i = 0; last && i < last->paths.count; i++) {
        const struct holders_way *way = &last->paths.items[i];
        uint32_t index = site_of(sites, way);
        if (index == STACK_NONE || &sites->items[index] != site)
            continue;
        all += bytes_of(last, way);
        lost += is_lost(last, way) ? bytes_of(last, way) : 0;
    }
    return all > 0 ? lost / all : 0;
}

double *lost_bytes(const struct sites *sites)
{
    const struct holders_snapshot *last = last_snapshot(sites);
    double *bytes = calloc(sites->count + 1, sizeof *bytes);
    for (size_t i = 0; bytes && last && last->knows_left && i < last->paths.count; i++) {
        const struct holders_way *way = &last->paths.items[i];
        uint32_t index = site_of(sites, way);
        if (index != STACK_NONE && is_lost(last, way))
            bytes[index] += bytes_of(last, way);
    }
    return bytes;
}
