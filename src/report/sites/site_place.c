#include "report/sites/site_place.h"

#include <stdio.h>

#include "report/sites/evidence.h"
#include "report/symbol_columns.h"

static const double caller_part = 0.5; /* of a site's bytes: of one caller */

struct symbol site_place(const struct sites *sites, const struct site *site)
{
    struct symbol place = site->symbol;
    for (size_t i = 0; i < sites->origin_count; i++) {
        const struct origin *origin = &sites->origins[i];
        if (&sites->items[origin->site] != site ||
            origin->figures.bytes < caller_part * site->bytes)
            continue;
        struct evidence evidence = evidence_of(sites, origin, NULL);
        if (evidence.is_maker && evidence.caller) {
            place.function = evidence.caller->function;
            place.file = evidence.caller->file;
            place.line = place.line > 0 ? (uint32_t)evidence.caller->line : 0;
        }
    }
    return place;
}

const char *site_through_text(char text[SITE_THROUGH_BYTES], const struct symbol *place,
                              const struct site *site)
{
    const struct symbol *own = &site->symbol;
    char line[SYMBOL_LINE_BYTES];
    text[0] = 0;
    if (place->function != own->function || place->file != own->file || place->line != own->line)
        snprintf(text, SITE_THROUGH_BYTES, " through %s%s", symbol_name(own),
                 symbol_line_text(line, own->file, own->line));
    return text;
}
