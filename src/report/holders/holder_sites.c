#include "report/holders/holder_sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/array.h"

struct build {
    struct holder_sites *sites;
    const struct matcher *matcher;
    const struct selection *selection;
    struct frame_symbols frames;
    struct map site_of_symbol, step_of; /* step_of: by parent and site, or root */
    uint32_t *site_of;                  /* by stack of the model; HOLDERS_NONE before it is known */
    uint32_t *mark;                     /* by site: the last way that it was met on, and 1 */
    uint32_t unknown; /* the site of what has no stack; HOLDERS_NONE before it is met */
};

/* ---- Sites --------------------------------------------------------------------------- */

/* The innermost symbol of what the filter leaves of a stack; SYMBOL_NONE when there is no memory. */
static uint32_t symbol_of(struct build *build, uint32_t stack)
{
    const struct selection *selection = build->selection;
    uint32_t left = stack == HOLDERS_NONE ? STACK_NONE : selection_stack(selection, stack);
    uint32_t end = left == STACK_NONE ? STACK_ROOT : selection->profile.trie.ends[left];
    size_t count;
    if (end == STACK_ROOT)
        return symbols_number_of(&build->sites->symbols,
                                 stack == HOLDERS_NONE ? HOLDERS_NOT_RECORDED : "<no stack>", NULL);
    const uint32_t *symbols =
        frame_symbols_of(&build->frames, selection->profile.trie.nodes[end].frame, &count);
    return symbols ? symbols[count - 1] : SYMBOL_NONE;
}

static uint32_t find_site(struct build *build, uint32_t stack)
{
    struct holder_sites *sites = build->sites;
    bool fresh;
    uint32_t symbol = symbol_of(build, stack);
    uint32_t *number = symbol == SYMBOL_NONE ? NULL
                                             : map_put(&build->site_of_symbol, symbol,
                                                       (uint32_t)sites->site_count, &fresh);
    if (!number || !ARRAY_RESERVE(&sites->sites, &sites->site_capacity, sites->site_count + 1))
        return HOLDERS_NONE;
    if (fresh)
        sites->sites[sites->site_count++] = (struct holder_site){.symbol = symbol};
    return *number;
}

/* HOLDERS_NONE when there is no memory. */
static uint32_t site_of(struct build *build, uint32_t stack)
{
    uint32_t *known = stack == HOLDERS_NONE ? &build->unknown : &build->site_of[stack];
    if (*known == HOLDERS_NONE)
        *known = find_site(build, stack);
    return *known;
}

/* ---- Steps --------------------------------------------------------------------------- */

static uint32_t new_step(struct build *build, uint64_t key, const struct holder_step *step)
{
    struct holder_sites *sites = build->sites;
    bool fresh;
    uint32_t *number = map_put(&build->step_of, key, (uint32_t)sites->step_count, &fresh);
    if (!number || !ARRAY_RESERVE(&sites->steps, &sites->step_capacity, sites->step_count + 1))
        return HOLDERS_NONE;
    if (fresh)
        sites->steps[sites->step_count++] = *step;
    else if (sites->steps[*number].name != step->name)
        sites->steps[*number].name = "";
    return *number;
}

/* The step of a way, behind that of the way before it; a site that is on the way already, with the same type, is not added once more.
 * Of blocks that were not recorded only the step before is: nothing says that others are alike. */
static uint32_t step_of(struct build *build, const struct holders_way *way, uint32_t parent)
{
    const struct holder_sites *sites = build->sites;
    struct holder_step step = {.parent = parent,
                               .root = way->root,
                               .site = HOLDERS_NONE,
                               .stack = way->stack,
                               .name = way->name,
                               .offset = way->offset};
    if (parent == HOLDERS_NONE)
        return new_step(build, (uint64_t)HOLDERS_NONE << 32 | way->root, &step);
    step.site = site_of(build, way->stack);
    if (step.site == HOLDERS_NONE)
        return HOLDERS_NONE;
    step.type =
        *way->class_name ? way->class_name : holder_type_of(build->matcher->model, way->stack);
    for (uint32_t at = parent; sites->steps[at].parent != HOLDERS_NONE;
         at = sites->steps[at].parent)
        if (sites->steps[at].site == step.site && sites->steps[at].type == step.type &&
            (step.stack != HOLDERS_NONE || at == parent))
            return at;
    step.depth = sites->steps[parent].depth + 1;
    uint64_t key = (uint64_t)parent << 32 | step.site;
    return new_step(build, key ^ (uint64_t)(uintptr_t)step.type * UINT64_C(0x9e3779b97f4a7c15),
                    &step);
}

static bool passes(const struct build *build, uint32_t stack)
{
    const bool *stacks = build->matcher->stack_passes;
    return !stacks || (stack != HOLDERS_NONE && stacks[stack]);
}

static void add_blocks(struct build *build, struct holder_step *step, const struct holders_way *way)
{
    struct holder_sites *sites = build->sites;
    struct holder_site *of[] = {&sites->sites[step->site], &sites->whole};
    struct holder_root_sum *root = &sites->roots[step->root];
    bool is_lost = sites->snapshot->roots[step->root].kind == HOLDERS_LOST;
    step->blocks += way->blocks;
    step->bytes += way->bytes;
    step->left_bytes += way->left_bytes;
    step->samples += way->samples;
    root->blocks += way->blocks;
    root->bytes += way->bytes;
    root->samples += way->samples;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        of[i]->blocks += way->blocks;
        of[i]->bytes += way->bytes;
        of[i]->samples += way->samples;
        of[i]->lost_samples += is_lost ? way->samples : 0;
        of[i]->lost_blocks += is_lost ? way->blocks : 0;
        of[i]->lost_bytes += is_lost ? way->bytes : 0;
    }
}

static bool add_paths(struct build *build)
{
    const struct holders_ways *paths = &build->sites->snapshot->paths;
    uint32_t *steps = malloc((paths->count + 1) * sizeof *steps);
    bool done = steps != NULL;
    for (size_t i = 0; done && i < paths->count; i++) {
        const struct holders_way *way = &paths->items[i];
        steps[i] =
            step_of(build, way, way->parent == HOLDERS_NONE ? HOLDERS_NONE : steps[way->parent]);
        done = steps[i] != HOLDERS_NONE;
        if (done && way->blocks > 0 && passes(build, way->stack))
            add_blocks(build, &build->sites->steps[steps[i]], way);
    }
    free(steps);
    return done;
}

/* ---- Dominators ---------------------------------------------------------------------- */

/* Each site on the way, and its root, retains what ends there. */
static bool add_retained(struct build *build)
{
    struct holder_sites *sites = build->sites;
    const struct holders_ways *dominated = &sites->snapshot->dominated;
    for (size_t i = 0; i < dominated->count; i++)
        if (dominated->items[i].parent != HOLDERS_NONE &&
            site_of(build, dominated->items[i].stack) == HOLDERS_NONE)
            return false;
    build->mark = calloc(sites->site_count + 1, sizeof *build->mark);
    for (size_t i = 0; build->mark && i < dominated->count; i++) {
        const struct holders_way *end = &dominated->items[i], *way = end;
        if (end->blocks == 0)
            continue;
        sites->roots[end->root].retained_bytes += end->bytes;
        for (; way->parent != HOLDERS_NONE; way = &dominated->items[way->parent]) {
            uint32_t site = site_of(build, way->stack);
            if (build->mark[site] != i + 1)
                sites->sites[site].retained_bytes += end->bytes;
            build->mark[site] = (uint32_t)i + 1;
        }
    }
    return build->mark != NULL;
}

/* ---- The whole ----------------------------------------------------------------------- */

bool holder_sites_init(struct holder_sites *sites, const struct holders_snapshot *snapshot,
                       const struct matcher *matcher, const struct selection *selection,
                       enum symbol_grain grain)
{
    const struct model *model = matcher->model;
    struct build build = {
        .sites = sites, .matcher = matcher, .selection = selection, .unknown = HOLDERS_NONE};
    size_t stacks = model->trie.stack_count;
    *sites = (struct holder_sites){.snapshot = snapshot};
    symbols_init(&sites->symbols, grain);
    sites->roots = calloc(snapshot->root_count + 1, sizeof *sites->roots);
    build.site_of = malloc((stacks + 1) * sizeof *build.site_of);
    if (!sites->roots || !build.site_of ||
        !frame_symbols_init(&build.frames, &selection->frames, &sites->symbols)) {
        free(build.site_of);
        return false;
    }
    memset(build.site_of, 0xff, (stacks + 1) * sizeof *build.site_of);
    bool done = add_paths(&build) && add_retained(&build);
    frame_symbols_release(&build.frames);
    map_release(&build.site_of_symbol);
    map_release(&build.step_of);
    free(build.site_of);
    free(build.mark);
    return done;
}

void holder_sites_release(struct holder_sites *sites)
{
    symbols_release(&sites->symbols);
    free(sites->steps);
    free(sites->sites);
    free(sites->roots);
    *sites = (struct holder_sites){0};
}

/* ---- Types --------------------------------------------------------------------------- */

/* What functions of the standard libraries allocate. */
static const struct known {
    const char *function; /* is in its name */
    const char *type;
    const char *
        of_set; /* of what maps and sets have in common: the type where a set's function is further out; else NULL */
} known[] = {
    {"std::_Rb_tree::", "std::map node", "std::set node"},
    {"std::map::", "std::map node"},
    {"std::set::", "std::set node"},
    {"std::_Hashtable::_M_allocate_buckets", "std::unordered_map table",
     "std::unordered_set table"},
    {"_Hashtable_alloc::_M_allocate_buckets", "std::unordered_map table",
     "std::unordered_set table"},
    {"std::_Hashtable::", "std::unordered_map node", "std::unordered_set node"},
    {"_Hashtable_alloc::", "std::unordered_map node", "std::unordered_set node"},
    {"std::vector::", "std::vector"},
    {"std::_Vector_base::", "std::vector"},
    {"std::__cxx11::list::", "std::list node"},
    {"std::_List_base::", "std::list node"},
    {"std::_Deque_base::", "std::deque"},
    {"std::deque::", "std::deque"},
    {"basic_string::", "std::string"},
    {"std::make_shared", "std::make_shared"},
    {"std::make_unique", "std::make_unique"},
    {"std::__shared_count::", "std::shared_ptr count"},
    {"std::function", "std::function"},
    {"alloc::sync::Arc", "Arc"},
    {"alloc::rc::Rc", "Rc"},
    {"alloc::collections::btree", "BTreeMap node"},
    {"hashbrown::", "HashMap table"},
    {"alloc::string::String", "String"},
    {"alloc::vec::Vec", "Vec"},
    {"alloc::raw_vec::", "Vec"},
    {"alloc::boxed::Box", "Box"},
};

static const struct known *known_function(const char *function)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(function, known[i].function))
            return &known[i];
    return NULL;
}

static bool is_of_library(const char *function)
{
    static const char *const beginnings[] = {"std::",  "__gnu_cxx::", "operator new", "alloc::",
                                             "core::", "hashbrown::", "<alloc::",     "__rust",
                                             "__rdl",  "malloc",      "calloc",       "realloc"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (begins_with(function, beginnings[i]))
            return true;
    return strstr(function, "std::") || strstr(function, "__gnu_cxx::");
}

/* A function, further out than those that are known already, if any.  Does it end the search for the type? */
static bool ends_search(const char *function, const struct known **found, const char **type)
{
    const struct known *within = *found;
    if (!within && (*found = known_function(function))) {
        *type = (*found)->type;
        return !(*found)->of_set;
    }
    if (within && strstr(function, "set::")) {
        *type = within->of_set;
        return true;
    }
    return !is_of_library(function);
}

/* From the innermost function out, as long as these are of a standard library. */
const char *holder_type_of(const struct model *model, uint32_t stack)
{
    const struct stack_trie *trie = &model->trie;
    struct frame_source frames = model_frames(model);
    uint32_t node = stack == HOLDERS_NONE ? STACK_ROOT : trie->ends[stack];
    const struct known *found = NULL;
    const char *type = NULL;
    for (; node != STACK_ROOT; node = trie->nodes[node].parent) {
        size_t count;
        const struct heaptap_location *lines =
            frames.locations(frames.context, trie->nodes[node].frame, &count);
        if (count == 0)
            break;
        while (count-- > 0)
            if (ends_search(lines[count].function, &found, &type))
                return type;
    }
    return type;
}
