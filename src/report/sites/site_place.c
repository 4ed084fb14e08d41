#include "report/sites/site_place.h"

#include <stdio.h>

#include "base/affix.h"
#include "profile/frame_edit.h"
#include "profile/library_calls.h"
#include "report/sites/evidence.h"
#include "report/symbol_columns.h"

static const double caller_part = 0.5; /* of a site's bytes: of one caller */

static double bytes_of(const struct site *figures, enum site_figure figure)
{
    return figure == SITE_LEFT   ? figures->live_bytes
           : figure == SITE_PEAK ? figures->peak_bytes
                                 : figures->bytes;
}

static bool is_nameless(const struct site *site)
{
    return site->symbol.function && ends_with_offset(site->symbol.function);
}

/* Of all sites, or of one. */
static bool add_origins(struct library_calls *calls, const struct sites *sites,
                        const struct site *only, enum site_figure figure)
{
    const struct frame_edit *edit = sites->edit;
    bool done = true, is_told = edit && edit->library.ends && (!only || is_nameless(only));
    struct frame_source all = is_told ? frame_edit_all_frames(edit) : (struct frame_source){0};
    for (size_t i = 0; is_told && done && i < sites->origin_count; i++) {
        const struct origin *origin = &sites->origins[i];
        const struct site *site = &sites->items[origin->site];
        if (only ? site == only : is_nameless(site))
            done = library_calls_add(calls, &edit->library, &all, &sites->model->trie,
                                     origin->stack, bytes_of(&origin->figures, figure));
    }
    return done;
}

bool site_calls_init(struct library_calls *calls, const struct sites *sites,
                     enum site_figure figure)
{
    *calls = (struct library_calls){0};
    return add_origins(calls, sites, NULL, figure);
}

/* Without memory, what is known so far. */
static struct symbol_call call_by(const struct sites *sites, const struct site *site,
                                  enum site_figure figure)
{
    struct library_calls calls = {0};
    add_origins(&calls, sites, site, figure);
    struct symbol_call call = library_calls_of(&calls, site->symbol.function);
    library_calls_release(&calls);
    return call;
}

void symbol_call_beside(struct symbol_call *call, const struct symbol_call *whole)
{
    call->has_others |=
        whole->has_others || whole->function != call->function || whole->file != call->file;
}

struct symbol_call site_call(const struct sites *sites, const struct site *site,
                             enum site_figure figure)
{
    struct symbol_call call = call_by(sites, site, figure);
    struct symbol_call whole = call_by(sites, site, SITE_ALLOCATED);
    symbol_call_beside(&call, &whole);
    return call;
}

struct symbol site_place(const struct sites *sites, const struct site *site,
                         enum site_figure figure)
{
    struct symbol place = site->symbol;
    place.call = site_call(sites, site, figure);
    for (size_t i = 0; i < sites->origin_count; i++) {
        const struct origin *origin = &sites->origins[i];
        if (&sites->items[origin->site] != site ||
            origin->figures.bytes < caller_part * site->bytes)
            continue;
        struct evidence evidence = evidence_of(sites, origin, NULL);
        if (evidence.is_maker && evidence.caller) {
            place.function = evidence.caller->function;
            place.call = (struct symbol_call){0};
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
    symbol_call_text(text, place);
    if (place->function != own->function || place->file != own->file || place->line != own->line)
        snprintf(text, SITE_THROUGH_BYTES, " through %s%s", symbol_name(own),
                 symbol_line_text(line, own->file, own->line));
    return text;
}
