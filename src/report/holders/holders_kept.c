/* What held most at the last snapshot, for other reports to say in a sentence. */
#include <stdlib.h>
#include <string.h>

#include "report/holders/holders.h"
#include "report/holders/holders_parts.h"

/* Of each step, the bytes that are left of those that end there or behind; NULL when there is no memory. */
static uint64_t *bytes_through(const struct holder_sites *sites)
{
    uint64_t *bytes = calloc(sites->step_count + 1, sizeof *bytes);
    for (size_t i = sites->step_count; bytes && i-- > 0;) {
        const struct holder_step *step = &sites->steps[i];
        bytes[i] += step->left_bytes;
        if (step->parent != HOLDERS_NONE)
            bytes[step->parent] += bytes[i];
    }
    return bytes;
}

/* The heaviest step behind another, or root; HOLDERS_NONE for none. */
static uint32_t heaviest_behind(const struct holder_sites *sites, const uint64_t *bytes,
                                uint32_t parent)
{
    uint32_t found = HOLDERS_NONE;
    for (uint32_t i = 0; i < sites->step_count; i++)
        if (sites->steps[i].parent == parent && bytes[i] > 0 &&
            (found == HOLDERS_NONE || bytes[i] > bytes[found]))
            found = i;
    return found;
}

/* From the root that holds most, as long as nearly all of that goes the same way. */
static uint32_t heaviest_way(const struct holder_sites *sites, const uint64_t *bytes)
{
    const double nearly_all = 0.9;
    uint32_t way = heaviest_behind(sites, bytes, HOLDERS_NONE), next = way;
    while (next != HOLDERS_NONE) {
        way = next;
        next = heaviest_behind(sites, bytes, way);
        if (next != HOLDERS_NONE && (double)bytes[next] < nearly_all * (double)bytes[way])
            next = HOLDERS_NONE;
    }
    return way;
}

/* The line at the inner end of the heaviest way behind a step. */
static struct symbol place_of(const struct holders *holders, const uint64_t *bytes, uint32_t way)
{
    uint32_t step = way, next;
    while ((next = heaviest_behind(&holders->sites, bytes, step)) != HOLDERS_NONE &&
           bytes[next] >= holders->sites.steps[step].left_bytes)
        step = next;
    uint32_t site = holders->sites.steps[step].site;
    return site == HOLDERS_NONE || !holders_symbol_of(holders, site)->file
               ? (struct symbol){0}
               : *holders_symbol_of(holders, site);
}

static bool can_tell_kept(const struct report *report)
{
    const struct model_holders *all = report->input.model->holders;
    return all && all->count > 0 && all->snapshots[all->count - 1].knows_left &&
           !report->matcher.shape_passes && !matcher_is_of_lives(&report->matcher);
}

/* What is lost is so on every way. */
static void take_kept(struct holders_kept *kept, const struct holders *holders,
                      const uint64_t *bytes, uint32_t way)
{
    const struct holder_sites *sites = &holders->sites;
    uint32_t root = way;
    while (sites->steps[root].parent != HOLDERS_NONE)
        root = sites->steps[root].parent;
    kept->is_lost = sites->snapshot->roots[sites->steps[way].root].kind == HOLDERS_LOST;
    kept->bytes = (double)bytes[kept->is_lost ? root : way];
    kept->by = holders_way_text(holders, &sites->steps[way]);
    kept->site = place_of(holders, bytes, way);
}

bool holders_kept_by(const struct report *report, struct holders_kept *kept)
{
    *kept = (struct holders_kept){0};
    if (!can_tell_kept(report))
        return (kept->by = strdup(""));
    struct holders holders = {.report = report, .model = report->input.model};
    const struct model_holders *all = holders.model->holders;
    uint64_t *bytes = holders_init(&holders, &all->snapshots[all->count - 1], GRAIN_LINE)
                          ? bytes_through(&holders.sites)
                          : NULL;
    uint32_t way = bytes ? heaviest_way(&holders.sites, bytes) : HOLDERS_NONE;
    if (way != HOLDERS_NONE)
        take_kept(kept, &holders, bytes, way);
    else if (bytes)
        kept->by = strdup("");
    free(bytes);
    holders_release(&holders);
    return kept->by;
}
