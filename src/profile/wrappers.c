/* What comes through a function is summed up from the leaves of the trie to its root, once.  What of it is direct is found by
 * walking each stack from its end, over what is an allocator by now, which is done again as long as that finds more wrappers. */
#include "profile/wrappers.h"

#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/array.h"
#include "profile/library_ends.h"

enum { CALLERS_LEAST = 8, PLACES_MOST = 2, CLASSES_LEAST = 6, SPREAD_LEAST = 16, ROUNDS_MOST = 8 };
static const double direct_least = 0.9;

struct function {
    uint64_t hash;
    bool is_allocator; /* by its name, or found */
    bool is_candidate;
    double all;    /* blocks that come through it */
    double direct; /* of them, those that it asks an allocator for */
    uint32_t callers, places;
    double smallest, largest;
    uint64_t classes[4]; /* sizes that were met */
};

struct search {
    const struct stack_trie *trie;
    const struct wrapper_use *uses;
    const struct frame_source *source;
    struct function *functions;
    size_t count, capacity;
    struct map by_hash; /* of a function -> its index */
    uint32_t
        *first;   /* by frame: where its locations begin in `of`; one more than there are frames */
    uint32_t *of; /* the function of each location */
    size_t of_capacity;
    struct frame_exit *exits; /* by frame, of this round */
    struct map met;           /* of this round: callers and places of functions */
};

/* What a walk over stacks asks of a frame. */
struct frame_exit {
    bool is_nameless;
    bool is_allocator;  /* its outermost function is one */
    uint32_t locations; /* of it */
    uint32_t left;      /* of these, without the allocators at its inner end */
};

/* Where a stack leaves the allocators; `location` counts from the outermost, 1 is that.  0: nowhere. */
struct exit {
    uint32_t node, location;
};

/* ---- Functions ------------------------------------------------------------------------- */

/* Is it native code, as far as its file tells?  That of a function without a line is its module. */
static bool is_native(const char *file)
{
    static const char *const others[] = {".ml", ".mli",  ".mll", ".mly", ".py",   ".rb",
                                         ".js", ".mjs",  ".cjs", ".jsx", ".ts",   ".tsx",
                                         ".go", ".php",  ".kt",  ".clj", ".lua",  ".pl",
                                         ".pm", ".java", ".lox", ".cs",  ".scala"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (ends_with(file, others[i]))
            return false;
    return *file && *file != '<';
}

static bool is_candidate(const struct library_program *program, const char *module,
                         const struct heaptap_location *location)
{
    return location->file && is_native(location->file) && strcmp(location->function, "main") != 0 &&
           library_kind_of(program, module, location) != LIBRARY_CODE;
}

static uint32_t number_of(struct search *search, const struct library_program *program,
                          const char *module, const struct heaptap_location *location)
{
    bool fresh;
    uint64_t hash = wrappers_hash(location);
    uint32_t *number = map_put(&search->by_hash, hash, (uint32_t)search->count, &fresh);
    if (!number || !fresh)
        return number ? *number : SYMBOL_NONE;
    if (!ARRAY_RESERVE(&search->functions, &search->capacity, search->count + 1))
        return SYMBOL_NONE;
    search->functions[search->count] =
        (struct function){.hash = hash,
                          .is_allocator = library_is_allocator(location),
                          .is_candidate = is_candidate(program, module, location)};
    return (uint32_t)search->count++;
}

static bool number_functions(struct search *search)
{
    const struct frame_source *source = search->source;
    struct library_program program = library_program_of(source);
    size_t used = 0;
    for (uint32_t frame = 0; frame < source->frame_count; frame++) {
        size_t count;
        const struct heaptap_location *all = source->locations(source->context, frame, &count);
        const char *module = source->module ? source->module(source->context, frame) : NULL;
        search->first[frame] = (uint32_t)used;
        search->exits[frame].is_nameless = library_is_nameless(all, count);
        search->exits[frame].locations = (uint32_t)count;
        if (!ARRAY_RESERVE(&search->of, &search->of_capacity, used + count + 1))
            return false;
        for (size_t i = 0; i < count; i++)
            if ((search->of[used++] = number_of(search, &program, module, &all[i])) == SYMBOL_NONE)
                return false;
    }
    search->first[source->frame_count] = (uint32_t)used;
    return true;
}

/* What comes through each function. */
static bool sum_all(struct search *search)
{
    const struct stack_trie *trie = search->trie;
    double *below = calloc(trie->count + 1, sizeof *below);
    if (!below)
        return false;
    for (size_t i = 0; i < trie->stack_count; i++)
        below[trie->ends[i]] += search->uses[i].blocks;
    for (uint32_t node = (uint32_t)trie->count; node-- > 1;) {
        uint32_t frame = trie->nodes[node].frame;
        below[trie->nodes[node].parent] += below[node];
        for (uint32_t i = search->first[frame]; i < search->first[frame + 1]; i++)
            search->functions[search->of[i]].all += below[node];
    }
    free(below);
    return true;
}

/* ---- Stacks -------------------------------------------------------------------------- */

static bool is_allocator(const struct search *search, uint32_t location)
{
    return search->functions[search->of[location]].is_allocator;
}

/* Of what is an allocator by now. */
static void find_exits(struct search *search)
{
    for (uint32_t frame = 0; frame < search->source->frame_count; frame++) {
        struct frame_exit *exit = &search->exits[frame];
        uint32_t first = search->first[frame];
        exit->is_allocator = exit->locations > 0 && is_allocator(search, first);
        exit->left = exit->locations;
        while (exit->left > 0 && is_allocator(search, first + exit->left - 1))
            exit->left--;
    }
}

/* Out of code without a name, if an allocator has called it. */
static uint32_t leave_nameless(const struct search *search, uint32_t node)
{
    const struct stack_node *nodes = search->trie->nodes;
    uint32_t above = node;
    while (above != STACK_ROOT && search->exits[nodes[above].frame].is_nameless &&
           !search->exits[nodes[above].frame].is_allocator)
        above = nodes[above].parent;
    return above != STACK_ROOT && search->exits[nodes[above].frame].is_allocator ? above : node;
}

static struct exit exit_of(const struct search *search, uint32_t end)
{
    const struct stack_node *nodes = search->trie->nodes;
    for (uint32_t node = end; node != STACK_ROOT; node = nodes[node].parent) {
        node = leave_nameless(search, node);
        const struct frame_exit *exit = &search->exits[nodes[node].frame];
        if (exit->locations == 0)
            break;
        if (exit->left > 0)
            return (struct exit){node, exit->left};
    }
    return (struct exit){STACK_ROOT, 0};
}

/* The function that calls the one at the exit; by its code where nothing else is known. */
static uint64_t caller_of(const struct search *search, const struct exit *exit)
{
    const struct stack_node *at = &search->trie->nodes[exit->node];
    uint32_t first = search->first[at->frame];
    if (exit->location > 1)
        return search->functions[search->of[first + exit->location - 2]].hash;
    if (at->parent == STACK_ROOT)
        return 0;
    uint32_t frame = search->trie->nodes[at->parent].frame;
    uint32_t count = search->exits[frame].locations;
    return count > 0 ? search->functions[search->of[search->first[frame] + count - 1]].hash
                     : search->source->code(search->source->context, frame);
}

static uint64_t place_of(const struct search *search, const struct exit *exit)
{
    size_t count;
    uint32_t frame = search->trie->nodes[exit->node].frame;
    const struct heaptap_location *all =
        search->source->locations(search->source->context, frame, &count);
    uint32_t line = exit->location <= count ? all[exit->location - 1].line : 0;
    return line ? line : search->source->code(search->source->context, frame);
}

/* One more where the function is met with that for the first time. */
static bool count_met(struct search *search, uint32_t *counter, uint64_t function, uint64_t what)
{
    bool fresh;
    if (!map_put(&search->met, function ^ what * UINT64_C(0x9e3779b97f4a7c15), 1, &fresh))
        return false;
    *counter += fresh;
    return true;
}

/* Four classes to a power of two, as far as that needs no logarithm. */
static void count_size(struct function *function, double size)
{
    int exponent;
    int quarter = (int)((frexp(size, &exponent) - 0.5) * 8);
    unsigned class = (unsigned)(exponent * 4 + quarter) % 256;
    function->classes[class / 64] |= UINT64_C(1) << class % 64;
    if (function->smallest == 0 || size < function->smallest)
        function->smallest = size;
    if (size > function->largest)
        function->largest = size;
}

static bool count_stack(struct search *search, size_t stack)
{
    const struct wrapper_use *use = &search->uses[stack];
    struct exit exit = exit_of(search, search->trie->ends[stack]);
    if (use->blocks <= 0 || use->size < 1 || exit.location == 0)
        return true;
    uint32_t first = search->first[search->trie->nodes[exit.node].frame];
    struct function *function = &search->functions[search->of[first + exit.location - 1]];
    function->direct += use->blocks;
    if (!function->is_candidate)
        return true;
    count_size(function, use->size);
    return count_met(search, &function->callers, function->hash, caller_of(search, &exit)) &&
           count_met(search, &function->places, ~function->hash, place_of(search, &exit));
}

/* ---- Rounds -------------------------------------------------------------------------- */

static bool is_wrapper(const struct function *function)
{
    int classes = 0;
    for (size_t i = 0; i < sizeof function->classes / sizeof *function->classes; i++)
        classes += __builtin_popcountll(function->classes[i]);
    return function->is_candidate && !function->is_allocator &&
           function->direct >= direct_least * function->all && function->callers >= CALLERS_LEAST &&
           function->places <= PLACES_MOST && classes >= CLASSES_LEAST &&
           function->largest >= SPREAD_LEAST * function->smallest;
}

static void begin_round(struct search *search)
{
    map_release(&search->met);
    search->met = (struct map){0};
    for (size_t i = 0; i < search->count; i++) {
        struct function *function = &search->functions[i];
        function->direct = function->smallest = function->largest = 0;
        function->callers = function->places = 0;
        memset(function->classes, 0, sizeof function->classes);
    }
}

/* How many more there are; -1 without memory. */
static long play_round(struct search *search, struct wrappers *wrappers)
{
    long found = 0;
    bool fresh;
    begin_round(search);
    find_exits(search);
    for (size_t i = 0; i < search->trie->stack_count; i++)
        if (!count_stack(search, i))
            return -1;
    for (size_t i = 0; i < search->count; i++) {
        if (!is_wrapper(&search->functions[i]))
            continue;
        if (!map_put(&wrappers->by_name, search->functions[i].hash, 1, &fresh))
            return -1;
        search->functions[i].is_allocator = true;
        found++;
    }
    return found;
}

static bool run(struct search *search, struct wrappers *wrappers)
{
    long found = 1;
    if (!number_functions(search) || !sum_all(search))
        return false;
    for (int round = 0; round < ROUNDS_MOST && found > 0; round++)
        found = play_round(search, wrappers);
    return found >= 0;
}

bool wrappers_find(struct wrappers *wrappers, const struct stack_trie *trie,
                   const struct wrapper_use *uses, const struct frame_source *source)
{
    struct search search = {.trie = trie, .uses = uses, .source = source};
    if (source->is_nameless_runtime || trie->stack_count < CALLERS_LEAST)
        return true;
    search.first = calloc((size_t)source->frame_count + 1, sizeof *search.first);
    search.exits = calloc((size_t)source->frame_count + 1, sizeof *search.exits);
    bool done = search.first && search.exits && run(&search, wrappers);
    map_release(&search.by_hash);
    map_release(&search.met);
    free(search.functions);
    free(search.first);
    free(search.of);
    free(search.exits);
    return done;
}
