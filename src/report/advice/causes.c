/* Causes by site: each origin's blocks have one cause at most, and a site's origins of one cause are added up. */
#include <math.h>
#include <stdlib.h>

#include "report/advice/cpp_call.h"
#include "report/advice/cpp_statements.h"
#include "report/advice/cpp_type.h"
#include "report/advice/ocaml_text.h"
#include "report/advice/rules.h"
#include "report/advice/tail_call.h"
#include "base/array.h"

/* Tables of a language, those whose rows are tried first in front. */
enum { TABLES = 3 };

static const struct advice_cause *const tables[LANGUAGES][TABLES] = {
    [LANGUAGE_OCAML] = {advice_ocaml_library, advice_ocaml_numbers, advice_ocaml_values},
    [LANGUAGE_CPP] = {advice_cpp_library, advice_cpp_blocks},
    [LANGUAGE_PYTHON] = {advice_python_values, advice_python_lists},
    [LANGUAGE_LUA] = {advice_lua},
};

static const char verify[] =
    "Record again with the same input: `heaptap compare before.ctf after.ctf` has less in all, "
    "and this function with less.";

static const double least_share = 0.05;  /* of all bytes; stated in advice_cause.h */
static const double least_saved = 0.001; /* of all bytes: a remedy that saves less is none */
static const uint64_t blocks_least = 16;
static const double slack_most = 0.5; /* of a block that is kept, and that has replaced another */

const struct advice_cause *advice_cause_at(size_t i)
{
    for (int table = 0; table < LANGUAGES * TABLES; table++)
        for (const struct advice_cause *cause = tables[table / TABLES][table % TABLES];
             cause && cause->name; cause++)
            if (i-- == 0)
                return cause;
    return NULL;
}

static bool has_needs(const struct evidence *evidence, const struct advice_needs *needs)
{
    static const double alike_part = 0.9, young_part = 0.8;
    double words =
        (double)evidence->figures->common_bytes / evidence->sites->model->estimate.word_bytes;
    if ((needs->calls && !evidence_has_call_of(evidence, needs->calls)) ||
        (needs->applied && !ocaml_applies(evidence, needs->applied)) ||
        (needs->begins && !ocaml_begins_with(evidence, needs->begins)) ||
        (needs->code && !evidence_names(evidence->code, needs->code)) ||
        (needs->types && !evidence_is_type(evidence, needs->types)))
        return false;
    if (needs->words_most > 0 && (evidence_alike(evidence) < alike_part ||
                                  words < needs->words_least || words > needs->words_most))
        return false;
    return !needs->is_young || evidence_young(evidence) >= young_part;
}

/* The first cause that applies; NULL for none. */
static const struct advice_cause *cause_of(const struct evidence *evidence)
{
    for (int table = 0; evidence->place && table < TABLES; table++)
        for (const struct advice_cause *cause = tables[evidence->language][table];
             cause && cause->name; cause++)
            if (has_needs(evidence, &cause->needs) && (!cause->applies || cause->applies(evidence)))
                return cause;
    return NULL;
}

/* A header of 8 bytes; it counts in 16, and takes 32 at least. */
double advice_header_bytes(double size)
{
    double chunk = 16 * (double)(uint64_t)((size + 8 + 15) / 16);
    return (chunk < 32 ? 32 : chunk) - size;
}

const char *advice_verify(const struct advice_cause *cause)
{
    return cause->verify ? cause->verify : verify;
}

/* The place of a line of the same file, whose function is the site's there, or that of the symbol. */
static struct symbol moved(const struct sites *sites, struct symbol symbol, size_t line)
{
    symbol.line = (uint32_t)line;
    for (size_t i = 0; i < sites->count; i++) {
        const struct symbol *other = &sites->items[i].symbol;
        if (other->file == symbol.file && other->line == symbol.line)
            symbol.function = other->function;
    }
    return symbol;
}

/* The place to change. */
static struct symbol symbol_of(const struct sites *sites, const struct site *site,
                               const struct advice_cause *cause, const struct evidence *evidence,
                               const struct evidence_sources *sources)
{
    struct symbol symbol = site->symbol;
    size_t tail = sources && symbol.line > 0 ? tail_call_line(evidence, sources) : 0;
    if (tail > 0)
        return moved(sites, symbol, tail);
    bool decides =
        evidence->is_maker || (evidence->language == LANGUAGE_OCAML && evidence->call_count == 0);
    if (cause->names_caller && decides && evidence->caller) {
        symbol.function = evidence->caller->function;
        symbol.file = evidence->caller->file;
        symbol.line = symbol.line > 0 ? (uint32_t)evidence->caller->line : 0;
    }
    return symbol;
}

bool advice_is_same_place(const struct symbol *a, const struct symbol *b)
{
    return a->function == b->function && a->file == b->file && a->line == b->line;
}

/* The advice of a cause on a place, perhaps a new one; NULL when there is no memory. */
static struct advice *advice_on(struct advice_list *list, const struct site *site,
                                const struct advice_cause *cause, const struct symbol *symbol)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].cause == cause && advice_is_same_place(&list->items[i].place, symbol))
            return &list->items[i];
    if (!ARRAY_RESERVE(&list->items, &list->capacity, list->count + 1))
        return NULL;
    list->items[list->count] =
        (struct advice){.cause = cause, .site = site, .place = *symbol, .line = ""};
    return &list->items[list->count++];
}

/* Of an expression of several lines the line is that of the function which it applies. */
static void show_at(struct advice *advice, const struct symbol *symbol,
                    const struct evidence *evidence, const struct evidence_sources *sources)
{
    advice->symbol = *symbol;
    if (evidence->language == LANGUAGE_OCAML && *evidence->expression &&
        symbol->line == (uint32_t)evidence->place->line)
        advice->symbol.line = (uint32_t)evidence_line_at(evidence, ocaml_applied(evidence));
    const struct advice_cause *cause = advice->cause;
    advice->example = cause->example ? *cause->example(evidence)
                                     : (struct advice_example){cause->before, cause->after};
    advice->line = advice->symbol.line != advice->site->symbol.line && symbol->file
                       ? evidence_line(sources, symbol->file, advice->symbol.line)
                       : evidence->line;
}

/* What is seen to be replaced, or the part of it that is saved. */
static double paired_bytes(const struct evidence *evidence, double spared)
{
    const struct site *figures = evidence->figures;
    double replaced = figures->bytes - evidence_unreplaced(evidence);
    return figures->replaced_bytes * (spared < replaced ? spared / replaced : 1);
}

static bool add_origin(struct advice_list *list, const struct fates *fates,
                       const struct origin *origin, const struct evidence_sources *sources)
{
    const struct sites *sites = fates->sites;
    struct evidence evidence = evidence_of(sites, origin, sources);
    const struct site *site = &sites->items[origin->site];
    evidence.grows = fates_accuses(fates, site);
    const struct advice_cause *cause = cause_of(&evidence);
    if (!cause)
        return true;
    struct symbol symbol = symbol_of(sites, site, cause, &evidence, sources);
    struct advice *advice = advice_on(list, site, cause, &symbol);
    if (!advice)
        return false;
    double kept = cause->keeps ? cause->keeps(&evidence) : 0;
    double spared = origin->figures.bytes - kept;
    double slack = cause->spares_slack ? slack_most * fmin(kept, spared) : 0;
    advice->bytes += origin->figures.bytes;
    advice->objects += origin->figures.objects;
    advice->saved_bytes += spared + ADVICE_SLACK_TAKEN * slack;
    advice->slack_bytes += slack;
    advice->overhead_bytes +=
        cause->spares_overhead
            ? origin->figures.objects * advice_header_bytes((double)origin->figures.common_bytes)
            : 0;
    advice->paired_bytes += paired_bytes(&evidence, spared);
    advice->gone_bytes += origin->figures.bytes - origin->figures.live_bytes;
    if (origin->figures.bytes > advice->most_bytes) {
        advice->most_bytes = origin->figures.bytes;
        advice->origin = origin;
        show_at(advice, &symbol, &evidence, sources);
    }
    return true;
}

/* Is there another cause of the place that doesn't yield? */
static bool must_yield(const struct advice_list *list, const struct advice *advice)
{
    for (size_t i = 0; advice->cause->yields && i < list->count; i++)
        if (list->items[i].site == advice->site && !list->items[i].cause->yields)
            return true;
    return false;
}

/* Leaves those out that are too little, and then those that must yield to what is left. */
static void choose(struct advice_list *list, const struct sites *sites)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct advice advice = list->items[i];
        advice.share = sites->whole.bytes > 0 ? advice.bytes / sites->whole.bytes : 0;
        advice.part = advice.site->bytes > 0 ? advice.bytes / advice.site->bytes : 0;
        double saved = advice.saved_bytes + advice.overhead_bytes;
        if (advice.share >= least_share && saved >= least_saved * sites->whole.bytes &&
            (sites->model->info.sample_rate == 1 || advice.site->blocks >= blocks_least))
            list->items[kept++] = advice;
    }
    list->count = kept;
    kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (!must_yield(list, &list->items[i]))
            list->items[kept++] = list->items[i];
    list->count = kept;
}

/* Of those that are told: debug information may be large. */
static void find_details(struct advice *advice, const struct sites *sites,
                         const struct evidence_sources *sources)
{
    struct evidence evidence = evidence_of(sites, advice->origin, sources);
    advice->is_guess =
        advice->cause->reads_line && cpp_has_several_calls(evidence.code, cpp_is_own(&evidence));
    if (evidence.language != LANGUAGE_CPP || !cpp_type_of(&evidence, &advice->type))
        *advice->type.name = 0;
}

/* Only origins of sites that can reach the share are looked at: the others' sources need not be read. */
bool advice_add_causes(struct advice_list *list, const struct fates *fates,
                       const struct evidence_sources *sources)
{
    const struct sites *sites = fates->sites;
    bool done = true;
    for (size_t i = 0; done && i < sites->origin_count; i++) {
        const struct origin *origin = &sites->origins[i];
        if (sites->items[origin->site].bytes >= least_share * sites->whole.bytes)
            done = add_origin(list, fates, origin, sources);
    }
    choose(list, sites);
    for (size_t i = 0; done && i < list->count; i++)
        find_details(&list->items[i], sites, sources);
    return done;
}
