/* Order among equals.  Memtrace's report keeps functions and pairs of functions in hash tables and
 * sorts what it takes from them by weight, stably; equals therefore stand in an order that follows
 * from the tables.  It can be computed:
 *
 * Functions are numbered as they are met, an allocation's stack from its site outwards.  The trie
 * numbers its nodes as they are met too, but a new stack's nodes from the caller down; and the
 * nodes that one allocation added are exactly those above the highest node of the stacks before
 * it.  So the functions are numbered by going through the stacks in the order in which they were
 * first seen and, for one whose end is above all before, up from its end through the new nodes.
 *
 * A table of 2^n buckets keeps number i at hash(i) mod 2^n, in each bucket the newest first, and is
 * walked from bucket 0 on; the report builds its lists by prepending.  So before the sort the
 * callers of a site are in falling order of bucket, and sites as well. */
#include "report/sites/memtrace_hotspots.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/call_path.h"
#include "base/array.h"

enum { MAX_DISCARD = 2, PAIR_BUCKETS = 16384, SITE_BUCKETS = 128 };

#define NONE UINT32_MAX

static const double least_share = 0.005;

/* What memtrace knows of a code. */
struct entry {
    uint32_t function; /* NONE: not met yet */
    uint32_t line, start_char, end_char;
    uint32_t number; /* in the order in which codes were met */
    uint64_t samples;
};

struct function {
    uint64_t direct;    /* samples of its codes as sites */
    uint64_t as_caller; /* samples of stacks in which it calls */
    bool has_caller;    /* as a site */
};

struct candidate { /* a site in the report */
    uint32_t function;
    uint32_t pair_bucket; /* the first of its pairs in the table of pairs ... */
    uint32_t pair_stack;  /* ... and the stack by which that pair was met */
};

struct build {
    struct memtrace_hotspots *hotspots;
    const struct stack_profile *profile;
    const struct frame_source *source;
    struct symbols symbols; /* functions in their files, numbered in memtrace's order */
    struct entry *entries;  /* by frame */
    uint32_t entry_count;   /* met so far */
    struct stack_trie tree; /* of functions, each once a path; without links */
    uint32_t *of_node;      /* by node of the profile's trie: its node in the tree */
    struct function *functions;
    struct candidate *candidates;
    size_t candidate_count;
    uint32_t *site_of;   /* by function: which candidate it is, or NONE */
    uint32_t *stacks;    /* those of candidates, grouped by candidate */
    size_t *first_stack; /* by candidate, and one more: where its stacks begin */
    size_t caller_count, caller_capacity;
};

/* ---- Functions ----------------------------------------------------------------------- */

/* The function of a node's code; of the code around it where that has no location. */
static bool describe(struct build *build, uint32_t node)
{
    const struct stack_trie *trie = &build->profile->trie;
    const struct frame_source *source = build->source;
    struct entry *entry = &build->entries[trie->nodes[node].frame];
    size_t count;
    for (int left = MAX_DISCARD;; left--) {
        const struct heaptap_location *locations =
            source->locations(source->context, trie->nodes[node].frame, &count);
        if (count > 0) {
            const struct heaptap_location *last = &locations[count - 1];
            *entry = (struct entry){symbols_number(&build->symbols, last), last->line,
                                    last->start_char, last->end_char};
            break;
        }
        if (left == 0 || trie->nodes[node].parent == STACK_ROOT) {
            char text[32];
            uint64_t code = source->code(source->context, trie->nodes[node].frame) & INT64_MAX;
            int size = snprintf(text, sizeof text, "#%" PRIx64, code);
            const char *name = names_intern(&build->hotspots->names, text, (size_t)size);
            *entry =
                (struct entry){name ? symbols_number_of(&build->symbols, name, "??") : SYMBOL_NONE};
            break;
        }
        node = trie->nodes[node].parent;
    }
    entry->number = build->entry_count++;
    return entry->function != SYMBOL_NONE;
}

static bool number_functions(struct build *build)
{
    const struct stack_trie *trie = &build->profile->trie;
    uint32_t highest = STACK_ROOT;
    for (size_t i = 0; i < trie->stack_count; i++) {
        uint32_t end = trie->ends[i];
        for (uint32_t node = end; node > highest; node = trie->nodes[node].parent)
            if (build->entries[trie->nodes[node].frame].function == NONE && !describe(build, node))
                return false;
        highest = end > highest ? end : highest;
    }
    return true;
}

static uint32_t function_at(const struct build *build, uint32_t node)
{
    return build->entries[build->profile->trie.nodes[node].frame].function;
}

/* ---- Weights ------------------------------------------------------------------------- */

/* The node of the tree whose path holds the callers of a stack. */
static uint32_t callers_of(const struct build *build, uint32_t end)
{
    return build->of_node[build->profile->trie.nodes[end].parent];
}

/* Nodes through which no stack goes have no function. */
static bool build_tree(struct build *build)
{
    const struct stack_trie *trie = &build->profile->trie;
    struct call_path path = {0};
    build->of_node = calloc(trie->count, sizeof *build->of_node);
    bool done = build->of_node && stack_trie_init_appended(&build->tree);
    for (uint32_t node = 1; done && node < trie->count; node++) {
        uint32_t above = build->of_node[trie->nodes[node].parent],
                 function = function_at(build, node);
        if (function != NONE)
            build->of_node[node] = call_path_append_once(&path, &build->tree, above, function);
        done = build->of_node[node] != STACK_NONE;
    }
    call_path_release(&path);
    return done;
}

static bool weigh(struct build *build)
{
    const struct stack_profile *profile = build->profile;
    uint64_t *below = calloc(build->tree.count, sizeof *below);
    build->functions = calloc(build->symbols.count + 1, sizeof *build->functions);
    if (!below || !build->functions) {
        free(below);
        return false;
    }
    for (size_t i = 0; i < profile->trie.stack_count; i++) {
        uint32_t end = profile->trie.ends[i];
        if (end == STACK_ROOT)
            continue;
        struct entry *entry = &build->entries[profile->trie.nodes[end].frame];
        struct function *site = &build->functions[entry->function];
        entry->samples += profile->tallies[i].samples;
        site->direct += profile->tallies[i].samples;
        site->has_caller |= profile->trie.nodes[end].parent != STACK_ROOT;
        below[callers_of(build, end)] += profile->tallies[i].samples;
    }
    for (size_t node = build->tree.count; node-- > 1;) {
        build->functions[build->tree.nodes[node].frame].as_caller += below[node];
        below[build->tree.nodes[node].parent] += below[node];
    }
    free(below);
    return true;
}

/* ---- Sites --------------------------------------------------------------------------- */

static uint32_t pair_bucket(uint32_t caller, uint32_t site)
{
    return (uint32_t)(((uint64_t)caller * 1231441 + (uint64_t)site * 3821) % PAIR_BUCKETS);
}

static uint32_t site_bucket(uint32_t site)
{
    return (uint32_t)((uint64_t)site * 21089245 % SITE_BUCKETS);
}

static double share_of(const struct build *build, uint64_t samples)
{
    return (double)samples / (double)build->profile->total.samples;
}

static bool list_candidates(struct build *build)
{
    build->candidates = malloc((build->symbols.count + 1) * sizeof *build->candidates);
    build->site_of = malloc((build->symbols.count + 1) * sizeof *build->site_of);
    if (!build->candidates || !build->site_of)
        return false;
    for (uint32_t i = 0; i < build->symbols.count; i++) {
        const struct function *function = &build->functions[i];
        build->site_of[i] = NONE;
        if (function->has_caller && share_of(build, function->direct) > least_share)
            build->candidates[build->candidate_count++] = (struct candidate){i, NONE, NONE};
    }
    return true;
}

/* The candidate that a stack ends in, or NONE. */
static uint32_t site_of_stack(const struct build *build, size_t stack)
{
    uint32_t end = build->profile->trie.ends[stack];
    return end == STACK_ROOT ? NONE : build->site_of[function_at(build, end)];
}

/* Finds where the walk through the table of pairs comes first upon each candidate.  Of pairs in the
 * same bucket, the newest is first. */
static void place_candidates(struct build *build)
{
    const struct stack_trie *trie = &build->profile->trie;
    for (uint32_t i = 0; i < trie->stack_count; i++) {
        uint32_t site = site_of_stack(build, i);
        if (site == NONE)
            continue;
        struct candidate *candidate = &build->candidates[site];
        for (uint32_t node = callers_of(build, trie->ends[i]); node != STACK_ROOT;
             node = build->tree.nodes[node].parent) {
            uint32_t bucket = pair_bucket(build->tree.nodes[node].frame, candidate->function);
            if (bucket < candidate->pair_bucket) {
                candidate->pair_bucket = bucket;
                candidate->pair_stack = i;
            }
        }
    }
}

static int compare_candidates(const void *left, const void *right, void *context)
{
    const struct candidate *a = left, *b = right;
    const struct build *build = context;
    uint64_t of_a = build->functions[a->function].direct;
    uint64_t of_b = build->functions[b->function].direct;
    uint32_t bucket_a = site_bucket(a->function), bucket_b = site_bucket(b->function);
    if (of_a != of_b)
        return of_a < of_b ? 1 : -1;
    if (bucket_a != bucket_b)
        return bucket_a < bucket_b ? 1 : -1;
    if (a->pair_bucket != b->pair_bucket)
        return a->pair_bucket < b->pair_bucket ? -1 : 1;
    return a->pair_stack > b->pair_stack ? -1 : a->pair_stack < b->pair_stack;
}

/* Sorts the candidates by what is known of them; true where two are equal. */
static bool sort_candidates(struct build *build)
{
    bool equal = false;
    qsort_r(build->candidates, build->candidate_count, sizeof *build->candidates,
            compare_candidates, build);
    for (uint32_t i = 0; i < build->candidate_count; i++) {
        build->site_of[build->candidates[i].function] = i;
        equal |= i > 0 &&
                 compare_candidates(&build->candidates[i - 1], &build->candidates[i], build) == 0;
    }
    return equal;
}

static bool group_stacks(struct build *build)
{
    size_t stacks = build->profile->trie.stack_count;
    build->stacks = malloc((stacks + 1) * sizeof *build->stacks);
    build->first_stack = calloc(build->candidate_count + 2, sizeof *build->first_stack);
    if (!build->stacks || !build->first_stack)
        return false;
    size_t *first = build->first_stack; /* counted two ahead, so that filling leaves beginnings */
    for (size_t i = 0; i < stacks; i++)
        if (site_of_stack(build, i) != NONE)
            first[site_of_stack(build, i) + 2]++;
    for (size_t i = 2; i < build->candidate_count + 2; i++)
        first[i] += first[i - 1];
    for (size_t i = 0; i < stacks; i++)
        if (site_of_stack(build, i) != NONE)
            build->stacks[first[site_of_stack(build, i) + 1]++] = (uint32_t)i;
    return true;
}

static bool choose_sites(struct build *build)
{
    if (!list_candidates(build))
        return false;
    if (sort_candidates(build)) {
        place_candidates(build);
        sort_candidates(build);
    }
    return group_stacks(build);
}

/* ---- What is told of a site ---------------------------------------------------------- */

struct numbered_position {
    struct memtrace_position position;
    uint32_t site, number;
};

static int compare_positions(const void *left, const void *right)
{
    const struct numbered_position *a = left, *b = right;
    if (a->site != b->site)
        return a->site < b->site ? -1 : 1;
    if (a->position.samples != b->position.samples)
        return a->position.samples < b->position.samples ? 1 : -1;
    return a->number > b->number ? -1 : a->number < b->number;
}

/* Lists the positions of all sites, site by site. */
static bool add_positions(struct build *build)
{
    struct memtrace_hotspots *hotspots = build->hotspots;
    struct numbered_position *list = NULL;
    size_t count = 0, capacity = 0;
    bool done = true;
    for (uint32_t i = 0; done && i < build->source->frame_count; i++) {
        const struct entry *entry = &build->entries[i];
        if (entry->function == NONE || entry->samples == 0 ||
            build->site_of[entry->function] == NONE)
            continue;
        done = ARRAY_RESERVE(&list, &capacity, count + 1);
        if (done)
            list[count++] = (struct numbered_position){
                {entry->line, entry->start_char, entry->end_char, entry->samples},
                build->site_of[entry->function],
                entry->number};
    }
    hotspots->positions = malloc((count + 1) * sizeof *hotspots->positions);
    done = done && hotspots->positions;
    if (done && count > 0)
        qsort(list, count, sizeof *list, compare_positions);
    for (size_t i = 0; done && i < count; i++) {
        hotspots->positions[i] = list[i].position;
        hotspots->sites[list[i].site].position_count++;
    }
    free(list);
    return done;
}

struct numbered_caller {
    struct memtrace_caller caller;
    uint32_t number, bucket;
};

static int compare_callers(const void *left, const void *right)
{
    const struct numbered_caller *a = left, *b = right;
    if (a->caller.samples != b->caller.samples)
        return a->caller.samples < b->caller.samples ? 1 : -1;
    if (a->bucket != b->bucket)
        return a->bucket < b->bucket ? 1 : -1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Adds what comes to a site through each function to pairs[function]. */
static void sum_pairs(const struct build *build, uint32_t site, uint64_t *pairs)
{
    const struct stack_profile *profile = build->profile;
    for (size_t i = build->first_stack[site]; i < build->first_stack[site + 1]; i++) {
        uint32_t stack = build->stacks[i];
        for (uint32_t node = callers_of(build, profile->trie.ends[stack]); node != STACK_ROOT;
             node = build->tree.nodes[node].parent)
            pairs[build->tree.nodes[node].frame] += profile->tallies[stack].samples;
    }
}

static bool stands_out(const struct build *build, uint64_t pair, uint64_t total, double site_share)
{
    double least = site_share * 1.2 > 0.10 ? site_share * 1.2 : 0.10;
    return (double)pair / (double)total > least && share_of(build, pair) > least_share &&
           share_of(build, total) > least_share;
}

static bool add_callers(struct build *build, uint32_t index)
{
    struct memtrace_hotspots *hotspots = build->hotspots;
    struct memtrace_site *site = &hotspots->sites[index];
    uint32_t function = build->candidates[index].function;
    size_t functions = build->symbols.count, count = 0;
    uint64_t *pairs = calloc(functions + 1, sizeof *pairs);
    struct numbered_caller *list = malloc((functions + 1) * sizeof *list);
    bool done = pairs && list;
    if (done)
        sum_pairs(build, index, pairs);
    for (uint32_t i = 0; done && i < functions; i++) {
        uint64_t total = build->functions[i].direct + build->functions[i].as_caller;
        if (pairs[i] > 0 && stands_out(build, pairs[i], total, share_of(build, site->samples)))
            list[count++] = (struct numbered_caller){
                {build->symbols.items[i].function, pairs[i], total}, i, pair_bucket(i, function)};
    }
    if (done)
        qsort(list, count, sizeof *list, compare_callers);
    done = done &&
           ARRAY_RESERVE(&hotspots->callers, &build->caller_capacity, build->caller_count + count);
    for (size_t i = 0; done && i < count; i++)
        hotspots->callers[build->caller_count++] = list[i].caller;
    site->caller_count = count;
    free(pairs);
    free(list);
    return done;
}

static bool fill_sites(struct build *build)
{
    struct memtrace_hotspots *hotspots = build->hotspots;
    size_t positions = 0, callers = 0;
    hotspots->samples = build->profile->total.samples;
    hotspots->sites = calloc(build->candidate_count + 1, sizeof *hotspots->sites);
    if (!hotspots->sites || !add_positions(build))
        return false;
    hotspots->count = build->candidate_count;
    for (uint32_t i = 0; i < hotspots->count; i++) {
        uint32_t function = build->candidates[i].function;
        struct memtrace_site *site = &hotspots->sites[i];
        site->function = build->symbols.items[function].function;
        site->file = build->symbols.items[function].file;
        site->samples = build->functions[function].direct;
        if (!add_callers(build, i))
            return false;
    }
    for (size_t i = 0; i < hotspots->count; i++) {
        hotspots->sites[i].positions = hotspots->positions + positions;
        hotspots->sites[i].callers = hotspots->callers + callers;
        positions += hotspots->sites[i].position_count;
        callers += hotspots->sites[i].caller_count;
    }
    return true;
}

/* ---- The whole ----------------------------------------------------------------------- */

bool memtrace_hotspots_init(struct memtrace_hotspots *hotspots, const struct stack_profile *profile,
                            const struct frame_source *source)
{
    struct build build = {.hotspots = hotspots, .profile = profile, .source = source};
    *hotspots = (struct memtrace_hotspots){0};
    symbols_init(&build.symbols, GRAIN_FUNCTION);
    build.entries = malloc(((size_t)source->frame_count + 1) * sizeof *build.entries);
    for (size_t i = 0; build.entries && i < source->frame_count; i++)
        build.entries[i] = (struct entry){.function = NONE};
    bool done = build.entries && number_functions(&build) && build_tree(&build) && weigh(&build) &&
                choose_sites(&build) && fill_sites(&build);
    symbols_release(&build.symbols);
    stack_trie_release(&build.tree);
    free(build.entries);
    free(build.of_node);
    free(build.functions);
    free(build.candidates);
    free(build.site_of);
    free(build.stacks);
    free(build.first_stack);
    if (!done)
        memtrace_hotspots_release(hotspots);
    return done;
}

void memtrace_hotspots_release(struct memtrace_hotspots *hotspots)
{
    free(hotspots->sites);
    free(hotspots->positions);
    free(hotspots->callers);
    names_release(&hotspots->names);
    *hotspots = (struct memtrace_hotspots){0};
}
