/* Causes by site: each origin's blocks have one cause at most, and a site's origins of one cause are added up. */
#include <stdlib.h>

#include "analyze/advice.h"
#include "base/array.h"

static const struct advice_cause *const tables[LANGUAGES] = {
    [LANGUAGE_OCAML] = advice_ocaml,
    [LANGUAGE_CPP] = advice_cpp,
    [LANGUAGE_PYTHON] = advice_python,
    [LANGUAGE_LUA] = advice_lua,
};

const char advice_verify[] =
    "Record again with the same input: `heaptap compare before.ctf after.ctf` has this function "
    "with less, and no other with more.";

static const double least_share = 0.05; /* of all bytes; stated in advice_cause.h */
static const uint64_t blocks_least = 16;

const struct advice_cause *advice_cause_at(size_t i)
{
    for (int language = 0; language < LANGUAGES; language++)
        for (const struct advice_cause *cause = tables[language]; cause && cause->name; cause++)
            if (i-- == 0)
                return cause;
    return NULL;
}

/* The first cause that applies; NULL for none. */
static const struct advice_cause *cause_of(const struct evidence *evidence)
{
    const struct advice_cause *cause = evidence->place ? tables[evidence->language] : NULL;
    while (cause && cause->name && !cause->applies(evidence))
        cause++;
    return cause && cause->name ? cause : NULL;
}

/* The advice of a cause on a site, perhaps a new one; NULL when there is no memory. */
static struct advice *advice_on(struct advice_list *list, const struct site *site,
                                const struct advice_cause *cause)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].site == site && list->items[i].cause == cause)
            return &list->items[i];
    if (!ARRAY_RESERVE(&list->items, &list->capacity, list->count + 1))
        return NULL;
    list->items[list->count] = (struct advice){.cause = cause, .site = site, .line = ""};
    return &list->items[list->count++];
}

static bool add_origin(struct advice_list *list, const struct sites *sites,
                       const struct origin *origin, const struct evidence_sources *sources)
{
    struct evidence evidence = evidence_of(sites, origin, sources);
    const struct advice_cause *cause = cause_of(&evidence);
    struct advice *advice = cause ? advice_on(list, &sites->items[origin->site], cause) : NULL;
    if (!advice)
        return !cause;
    advice->bytes += origin->figures.bytes;
    advice->objects += origin->figures.objects;
    advice->saved_bytes += cause->saved ? cause->saved(&evidence) : origin->figures.bytes;
    advice->line = evidence.line;
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
        if (advice.share >= least_share &&
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

/* Only origins of sites that can reach the share are looked at: the others' sources need not be read. */
bool advice_add_causes(struct advice_list *list, const struct sites *sites,
                       const struct evidence_sources *sources)
{
    bool done = true;
    for (size_t i = 0; done && i < sites->origin_count; i++) {
        const struct origin *origin = &sites->origins[i];
        if (sites->items[origin->site].bytes >= least_share * sites->whole.bytes)
            done = add_origin(list, sites, origin, sources);
    }
    choose(list, sites);
    return done;
}
