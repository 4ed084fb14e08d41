#include "report/sites/lost.h"

#include "profile/holders.h"

double lost_part(const struct sites *sites, const struct site *site)
{
    const struct model_holders *holders = sites->model->holders;
    if (!holders || holders->count == 0)
        return 0;
    const struct holders_snapshot *last = &holders->snapshots[holders->count - 1];
    double all = 0, lost = 0;
    for (size_t i = 0; i < last->paths.count; i++) {
        const struct holders_way *way = &last->paths.items[i];
        uint32_t index = way->stack != HOLDERS_NONE ? sites->site_of[way->stack] : STACK_NONE;
        if (index == STACK_NONE || &sites->items[index] != site)
            continue;
        all += (double)way->bytes;
        lost += last->roots[way->root].kind == HOLDERS_LOST ? (double)way->bytes : 0;
    }
    return all > 0 ? lost / all : 0;
}
