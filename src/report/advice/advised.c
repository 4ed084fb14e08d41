#include "report/advice/advised.h"

#include <stdlib.h>

void advised_init(struct advised *advised, const struct report *report)
{
    *advised = (struct advised){.lines = {.sources = report->sources}};
    advised->reader = source_lines_reader(&advised->lines);
}

bool advised_find(struct advised *advised, const struct report *report, enum symbol_grain grain)
{
    return sites_init(&advised->sites, report, grain, report->options->no_inlines, true) &&
           fates_init(&advised->fates, &advised->sites, &report->matcher) &&
           advice_find(&advised->fates, &advised->reader, &advised->items, &advised->count);
}

struct answer_value advised_saved(const struct advised *advised, const struct advice *advice)
{
    struct answer_value value = answer_number(advice->saved_bytes);
    value.range = advice_saved_range(advice, &advised->sites);
    value.has_no_range = !advice_saved_has_range(advice, &advised->sites);
    return value;
}

void advised_release(struct advised *advised)
{
    free(advised->items);
    fates_release(&advised->fates);
    source_lines_release(&advised->lines);
    sites_release(&advised->sites);
}
