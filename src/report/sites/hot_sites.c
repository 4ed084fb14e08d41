/* Two passes over the stacks, none over events.  The first gives each stack its place and adds it
 * up.  The second makes paths of callers out of all stacks, in which each function stands once
 * (report/call_path.h), so that what a stack costs is the number of its distinct functions, not
 * its depth; the callers of one site are then found by walking up from the nodes where its stacks
 * end.  Paths aren't looked up by their functions, so equal ones need not be merged: the tree is only
 * appended to. */
#include "report/sites/hot_sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/call_path.h"
#include "base/array.h"
#include "profile/library_calls.h"

/* What comes to one site through one caller. */
struct tally_of_caller {
    struct stack_tally tally;
    double distance; /* sum of samples times calls */
    bool met;
};

struct hotspots_index {
    const struct stack_profile *profile;
    enum stack_weight weight;
    struct symbols places;  /* keeps the names made up for them */
    struct symbols callers; /* functions, or files */
    struct stack_trie tree; /* of callers, without links */
    uint32_t *ends;   /* by stack that has events: the node of the tree at which its callers end */
    uint32_t *stacks; /* grouped by site, in the order of sites */
    size_t *first_stack; /* by site, and one more */
    double *passing;     /* by caller: weight of the stacks it is in, as caller or as site */
    struct tally_of_caller *sums; /* by caller; zeros, but during hotspots_callers */
    uint32_t *met;                /* callers met in it */
};

/* What is needed while it is built. */
struct build {
    struct hotspots *hotspots;
    struct hotspots_index *index;
    const struct frame_source *source;
    const struct hotspots_options *options;
    struct symbols sites;
    struct frame_symbols caller_frames;
    struct call_path path;    /* where the tree grows */
    uint32_t *place_of_stack; /* by stack that has events; later its site */
    uint32_t *site_symbol;    /* by place: number among `sites` */
    uint32_t *of_node;        /* by node of the stacks that is needed: that of the tree, with the
                                 functions of its own frame */
};

/* ---- Sites --------------------------------------------------------------------------- */

/* Stacks of which a filter leaves nothing are passed over: they are as if they were not there. */
static bool is_idle(const struct build *build, size_t stack)
{
    return build->index->profile->tallies[stack].events == 0;
}

/* The number of the place at which a stack ends. */
static uint32_t place_of(struct build *build, uint32_t end)
{
    const struct frame_source *source = build->source;
    size_t count;
    if (end == STACK_ROOT)
        return symbols_number_of(&build->index->places, "<no stack>", NULL);
    uint32_t frame = build->index->profile->trie.nodes[end].frame;
    const struct heaptap_location *locations = frame_source_locations(source, frame, &count);
    return count > 0 ? symbols_number(&build->index->places, &locations[count - 1])
                     : symbols_number_of_code(&build->index->places,
                                              source->code(source->context, frame));
}

static uint32_t site_of(struct build *build, const struct symbol *place)
{
    struct heaptap_location location = {place->file, place->function, place->line,
                                        place->start_char, place->end_char};
    if (!place->file) /* nothing is known of it: it is its own file */
        return symbols_number_of(&build->sites, place->function, NULL);
    return symbols_number(&build->sites, &location);
}

static bool find_places(struct build *build)
{
    const struct stack_profile *profile = build->index->profile;
    struct hotspots *hotspots = build->hotspots;
    size_t stacks = profile->trie.stack_count;
    build->place_of_stack = malloc((stacks + 1) * sizeof *build->place_of_stack);
    if (!build->place_of_stack)
        return false;
    for (size_t i = 0; i < stacks; i++) {
        if (is_idle(build, i))
            continue;
        uint32_t place = place_of(build, profile->trie.ends[i]);
        if (place == SYMBOL_NONE)
            return false;
        build->place_of_stack[i] = place;
    }
    size_t places = build->index->places.count;
    hotspots->places = calloc(places + 1, sizeof *hotspots->places);
    if (!hotspots->places)
        return false;
    for (size_t i = 0; i < places; i++)
        hotspots->places[i].symbol = build->index->places.items[i];
    for (size_t i = 0; i < stacks; i++)
        if (!is_idle(build, i))
            stack_tally_sum(&hotspots->places[build->place_of_stack[i]].tally,
                            &profile->tallies[i]);
    return true;
}

static double weight_of(const struct build *build, const struct stack_tally *tally)
{
    return stack_tally_weight(tally, &build->index->profile->estimate, build->options->weight);
}

static bool find_sites(struct build *build)
{
    struct hotspots *hotspots = build->hotspots;
    size_t places = build->index->places.count;
    build->site_symbol = malloc((places + 1) * sizeof *build->site_symbol);
    hotspots->sites = calloc(places + 1, sizeof *hotspots->sites);
    if (!build->site_symbol || !hotspots->sites)
        return false;
    for (size_t i = 0; i < places; i++) {
        uint32_t site = site_of(build, &hotspots->places[i].symbol);
        if (site == SYMBOL_NONE)
            return false;
        build->site_symbol[i] = hotspots->places[i].site = site;
        hotspots->sites[site].symbol = build->sites.items[site];
        hotspots->sites[site].symbol.call =
            library_calls_of(build->source->calls, build->sites.items[site].function);
        hotspots->sites[site].number = site;
        stack_tally_sum(&hotspots->sites[site].tally, &hotspots->places[i].tally);
    }
    hotspots->count = build->sites.count;
    for (size_t i = 0; i < hotspots->count; i++) {
        struct hotspot *site = &hotspots->sites[i];
        site->weight = weight_of(build, &site->tally);
        site->share = hotspots->weight > 0 ? site->weight / hotspots->weight : 0;
    }
    return true;
}

static int compare_sites(const void *left, const void *right)
{
    const struct hotspot *a = left, *b = right;
    double weight = fabs(a->weight), other = fabs(b->weight);
    if (weight != other)
        return weight < other ? 1 : -1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int compare_places(const void *left, const void *right)
{
    const struct hotspot_place *a = left, *b = right;
    if (a->site != b->site)
        return a->site < b->site ? -1 : 1;
    if (fabs(a->tally.value) != fabs(b->tally.value))
        return fabs(a->tally.value) < fabs(b->tally.value) ? 1 : -1;
    if (a->tally.samples != b->tally.samples)
        return a->tally.samples < b->tally.samples ? 1 : -1;
    if (a->symbol.line != b->symbol.line)
        return a->symbol.line < b->symbol.line ? -1 : 1;
    return a->symbol.start_char < b->symbol.start_char   ? -1
           : a->symbol.start_char > b->symbol.start_char ? 1
                                                         : 0;
}

/* Sorts sites and their places, and turns place_of_stack into each stack's place among the sites.
 */
static bool sort_sites(struct build *build)
{
    struct hotspots *hotspots = build->hotspots;
    size_t places = build->index->places.count;
    uint32_t *rank = malloc((hotspots->count + 1) * sizeof *rank);
    if (!rank)
        return false;
    qsort(hotspots->sites, hotspots->count, sizeof *hotspots->sites, compare_sites);
    for (uint32_t i = 0; i < hotspots->count; i++)
        rank[hotspots->sites[i].number] = i;
    for (size_t i = 0; i < places; i++)
        hotspots->places[i].site = rank[hotspots->places[i].site];
    for (size_t i = 0; i < build->index->profile->trie.stack_count; i++)
        if (!is_idle(build, i))
            build->place_of_stack[i] = rank[build->site_symbol[build->place_of_stack[i]]];
    free(rank);
    qsort(hotspots->places, places, sizeof *hotspots->places, compare_places);
    for (size_t i = places; i-- > 0;) {
        struct hotspot *site = &hotspots->sites[hotspots->places[i].site];
        site->places = &hotspots->places[i];
        site->place_count++;
    }
    return true;
}

/* ---- Callers ------------------------------------------------------------------------- */

/* Goes from `node` of the tree through the first `count - left_out` functions of a frame. */
static uint32_t push_frame(struct build *build, uint32_t node, uint32_t frame, size_t left_out)
{
    size_t count;
    const uint32_t *symbols = frame_symbols_of(&build->caller_frames, frame, &count);
    if (!symbols)
        return STACK_NONE;
    for (size_t i = 0; i + left_out < count && node != STACK_NONE; i++)
        node = call_path_append_once(&build->path, &build->index->tree, node, symbols[i]);
    return node;
}

static bool find_callers(struct build *build)
{
    struct hotspots_index *index = build->index;
    const struct stack_trie *trie = &index->profile->trie;
    uint32_t *of_node = build->of_node = malloc(trie->count * sizeof *of_node);
    bool *needed = stack_profile_nodes(index->profile);
    index->ends = malloc((trie->stack_count + 1) * sizeof *index->ends);
    bool done = of_node && needed && index->ends;
    if (done)
        of_node[STACK_ROOT] = STACK_ROOT;
    for (uint32_t node = 1; done && node < trie->count; node++) {
        if (!needed[node])
            continue;
        uint32_t above = of_node[trie->nodes[node].parent];
        of_node[node] = push_frame(build, above, trie->nodes[node].frame, 0);
        done = of_node[node] != STACK_NONE;
    }
    for (size_t i = 0; done && i < trie->stack_count; i++) {
        uint32_t end = trie->ends[i];
        if (is_idle(build, i))
            continue;
        uint32_t above = of_node[trie->nodes[end].parent];
        index->ends[i] =
            end == STACK_ROOT ? STACK_ROOT : push_frame(build, above, trie->nodes[end].frame, 1);
        done = index->ends[i] != STACK_NONE;
    }
    free(needed);
    return done;
}

/* Fills index->passing.  On a stack's path each function stands once, that in which it ends among them. */
static bool sum_passing(struct build *build)
{
    struct hotspots_index *index = build->index;
    const struct stack_profile *profile = index->profile;
    const struct stack_trie *tree = &index->tree;
    double *below = calloc(tree->count, sizeof *below); /* by node: the weight that comes to it */
    index->passing = calloc(index->callers.count + 1, sizeof *index->passing);
    bool done = below && index->passing;
    for (size_t i = 0; done && i < profile->trie.stack_count; i++)
        if (!is_idle(build, i))
            below[build->of_node[profile->trie.ends[i]]] += weight_of(build, &profile->tallies[i]);
    for (size_t node = tree->count; done && node-- > 1;) {
        index->passing[tree->nodes[node].frame] += below[node];
        below[tree->nodes[node].parent] += below[node];
    }
    free(below);
    return done;
}

static bool group_stacks(struct build *build)
{
    struct hotspots_index *index = build->index;
    size_t stacks = index->profile->trie.stack_count, sites = build->hotspots->count;
    index->stacks = malloc((stacks + 1) * sizeof *index->stacks);
    index->first_stack = calloc(sites + 2, sizeof *index->first_stack);
    if (!index->stacks || !index->first_stack)
        return false;
    size_t *first = index->first_stack; /* counted two ahead, so that filling leaves beginnings */
    for (size_t i = 0; i < stacks; i++)
        if (!is_idle(build, i))
            first[build->place_of_stack[i] + 2]++;
    for (size_t i = 2; i < sites + 2; i++)
        first[i] += first[i - 1];
    for (size_t i = 0; i < stacks; i++)
        if (!is_idle(build, i))
            index->stacks[first[build->place_of_stack[i] + 1]++] = (uint32_t)i;
    return true;
}

static int compare_callers(const void *left, const void *right)
{
    const struct hotspot_caller *a = left, *b = right;
    if (fabs(a->weight) != fabs(b->weight))
        return fabs(a->weight) < fabs(b->weight) ? 1 : -1;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    return strcmp(symbol_name(&a->symbol), symbol_name(&b->symbol));
}

static size_t add_stack(struct hotspots_index *index, uint32_t stack, size_t met)
{
    const struct stack_tally *tally = &index->profile->tallies[stack];
    double calls = 1;
    for (uint32_t node = index->ends[stack]; node != STACK_ROOT;
         node = index->tree.nodes[node].parent) {
        uint32_t caller = index->tree.nodes[node].frame;
        struct tally_of_caller *sum = &index->sums[caller];
        if (!sum->met)
            index->met[met++] = caller;
        sum->met = true;
        stack_tally_sum(&sum->tally, tally);
        sum->distance += calls++ * (double)tally->samples;
    }
    return met;
}

static struct hotspot_caller caller_of(const struct hotspots_index *index,
                                       const struct hotspot *site, uint32_t number,
                                       const struct tally_of_caller *sum)
{
    struct hotspot_caller caller = {
        .number = number, .symbol = index->callers.items[number], .tally = sum->tally};
    caller.weight = stack_tally_weight(&sum->tally, &index->profile->estimate, index->weight);
    caller.share = site->weight > 0 ? caller.weight / site->weight : 0;
    caller.own_share = index->passing[number] > 0 ? caller.weight / index->passing[number] : 0;
    caller.distance = sum->distance / (double)sum->tally.samples;
    return caller;
}

bool hotspots_callers(const struct hotspots *hotspots, size_t site, struct hotspot_caller **callers,
                      size_t *count)
{
    struct hotspots_index *index = hotspots->index;
    size_t met = 0;
    for (size_t i = index->first_stack[site]; i < index->first_stack[site + 1]; i++)
        met = add_stack(index, index->stacks[i], met);
    struct hotspot_caller *list = malloc((met + 1) * sizeof *list);
    for (size_t i = 0; i < met; i++) {
        uint32_t caller = index->met[i];
        if (list)
            list[i] = caller_of(index, &hotspots->sites[site], caller, &index->sums[caller]);
        index->sums[caller] = (struct tally_of_caller){0};
    }
    *callers = list;
    *count = list ? met : 0;
    if (list)
        qsort(list, met, sizeof *list, compare_callers);
    return list;
}

/* Of the callers on a stack: each is left with those that are nearer. */
static void keep_nearer(const struct hotspots_index *index, uint32_t stack, const uint8_t *places,
                        uint64_t *nearer)
{
    uint64_t met = 0;
    for (uint32_t node = index->ends[stack]; node != STACK_ROOT;
         node = index->tree.nodes[node].parent) {
        unsigned place = places[index->tree.nodes[node].frame];
        if (place == 0)
            continue;
        nearer[place - 1] &= met;
        met |= UINT64_C(1) << (place - 1);
    }
}

bool hotspots_chains(const struct hotspots *hotspots, size_t site,
                     const struct hotspot_caller *callers, size_t count, size_t *through)
{
    const struct hotspots_index *index = hotspots->index;
    uint64_t nearer[HOTSPOT_CHAINED_MOST];
    size_t chained = count < HOTSPOT_CHAINED_MOST ? count : HOTSPOT_CHAINED_MOST;
    uint8_t *places = calloc(index->callers.count + 1, 1); /* by caller, from 1 */
    if (!places)
        return false;
    for (size_t i = 0; i < chained; i++) {
        places[callers[i].number] = (uint8_t)(i + 1);
        nearer[i] = (UINT64_C(1) << i) - 1; /* those before it in the list */
    }
    for (size_t i = index->first_stack[site]; i < index->first_stack[site + 1]; i++)
        keep_nearer(index, index->stacks[i], places, nearer);
    for (size_t i = 0; i < count; i++)
        through[i] =
            i < chained && nearer[i] ? 63 - (size_t)__builtin_clzll(nearer[i]) : HOTSPOT_NO_CALLER;
    free(places);
    return true;
}

/* What the callers that always come through this one have together. */
static double share_below(const struct hotspot_caller *callers, size_t count, const size_t *through,
                          size_t above)
{
    double share = 0;
    for (size_t i = 0; i < count; i++)
        share += through[i] == above ? callers[i].share : 0;
    return share;
}

bool hotspots_callers_overlap(const struct hotspot_caller *callers, size_t count,
                              const size_t *through)
{
    static const double rounding = 1.001;
    if (share_below(callers, count, through, HOTSPOT_NO_CALLER) > rounding)
        return true;
    for (size_t i = 0; i < count && i < HOTSPOT_CHAINED_MOST; i++)
        if (share_below(callers, count, through, i) > rounding * callers[i].share)
            return true;
    return false;
}

bool hotspot_caller_is_telling(const struct hotspot *site, const struct hotspot_caller *caller)
{
    double least = 1.2 * site->share;
    return caller->own_share > (least > 0.10 ? least : 0.10);
}

/* ---- The whole ----------------------------------------------------------------------- */

static bool make_workspace(struct hotspots_index *index)
{
    index->sums = calloc(index->callers.count + 1, sizeof *index->sums);
    index->met = malloc((index->callers.count + 1) * sizeof *index->met);
    return index->sums && index->met;
}

/* Sites at which nothing ends any more, once allocators were taken off. */
static void drop_idle(struct hotspots *hotspots)
{
    while (hotspots->count > 0 && hotspots->sites[hotspots->count - 1].tally.events == 0)
        hotspots->count--;
}

static bool build_all(struct build *build)
{
    struct hotspots *hotspots = build->hotspots;
    hotspots->total = build->index->profile->total;
    hotspots->weight = weight_of(build, &hotspots->total);
    return find_places(build) && find_sites(build) && sort_sites(build) &&
           stack_trie_init_appended(&build->index->tree) &&
           frame_symbols_init(&build->caller_frames, build->source, &build->index->callers) &&
           find_callers(build) && sum_passing(build) && group_stacks(build) &&
           make_workspace(build->index);
}

bool hotspots_init(struct hotspots *hotspots, const struct stack_profile *profile,
                   const struct frame_source *source, const struct hotspots_options *options)
{
    struct hotspots_index *index = calloc(1, sizeof *index);
    struct build build = {
        .hotspots = hotspots, .index = index, .source = source, .options = options};
    *hotspots = (struct hotspots){.index = index, .measure = profile->measure};
    if (!index)
        return false;
    index->profile = profile;
    index->weight = options->weight;
    symbols_init(&index->callers, options->grain == GRAIN_FILE ? GRAIN_FILE : GRAIN_FUNCTION);
    symbols_init(&index->places, GRAIN_PLACE);
    symbols_init(&build.sites, options->grain);
    bool done = build_all(&build);
    frame_symbols_release(&build.caller_frames);
    call_path_release(&build.path);
    free(build.of_node);
    free(build.place_of_stack);
    free(build.site_symbol);
    symbols_release(&build.sites);
    if (done)
        drop_idle(hotspots);
    else
        hotspots_release(hotspots);
    return done;
}

void hotspots_forget_callers(struct hotspots *hotspots)
{
    struct hotspots_index *index = hotspots->index;
    stack_trie_release(&index->tree);
    free(index->ends);
    free(index->stacks);
    free(index->first_stack);
    free(index->passing);
    free(index->sums);
    free(index->met);
    *index = (struct hotspots_index){.places = index->places, .callers = index->callers};
}

void hotspots_release(struct hotspots *hotspots)
{
    struct hotspots_index *index = hotspots->index;
    if (index) {
        hotspots_forget_callers(hotspots);
        symbols_release(&index->places);
        symbols_release(&index->callers);
    }
    free(index);
    free(hotspots->sites);
    free(hotspots->places);
    *hotspots = (struct hotspots){0};
}
