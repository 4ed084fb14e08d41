#include "report/calls/heavy_chain.h"

#include <math.h>
#include <string.h>

enum { CALLERS_MOST = 256 }; /* lines that call one: of more, those that are met first */

/* Where a walk along a stack is, from its inner end on. */
struct at {
    const struct selection *selection;
    uint32_t node;
    size_t left; /* locations of its frame that are still outside */
};

struct caller {
    struct heaptap_location line;
    double weight;
};

static bool is_same(const char *left, const char *right)
{
    return left == right || (left && right && strcmp(left, right) == 0);
}

static bool is_at(const struct symbol *symbol, const struct heaptap_location *line)
{
    return symbol->line == line->line && is_same(symbol->function, line->function) &&
           is_same(symbol->file, line->file);
}

static const struct heaptap_location *lines_at(const struct at *at, size_t *count)
{
    const struct stack_trie *trie = &at->selection->profile.trie;
    return frame_source_locations(&at->selection->frames, trie->nodes[at->node].frame, count);
}

static struct at begin_at(const struct selection *selection, uint32_t stack)
{
    struct at at = {selection, selection->profile.trie.ends[stack], 0};
    if (at.node != STACK_ROOT)
        lines_at(&at, &at.left);
    return at;
}

/* The next line outwards of which something is known; false past the last. */
static bool next_line(struct at *at, struct heaptap_location *line)
{
    const struct stack_trie *trie = &at->selection->profile.trie;
    size_t count;
    while (at->node != STACK_ROOT) {
        const struct heaptap_location *lines = lines_at(at, &count);
        if (at->left > 0) {
            *line = lines[--at->left];
            if (line->line > 0)
                return true;
            continue;
        }
        at->node = trie->nodes[at->node].parent;
        if (at->node != STACK_ROOT)
            lines_at(at, &at->left);
    }
    return false;
}

static bool is_own(const struct at *at, const struct heaptap_location *line)
{
    struct library_program program = selection_program(at->selection);
    return library_kind_of(&program, NULL, line) == LIBRARY_NONE;
}

/* Does the stack end at the place, having come by the chain as far as it is known?  Then `line` is what called that. */
static bool leads_on(struct at at, const struct symbol *place, const struct heavy_chain *chain,
                     struct heaptap_location *line)
{
    const struct symbol *last = place;
    if (!next_line(&at, line) || !is_at(place, line))
        return false;
    for (size_t known = 0; next_line(&at, line);) {
        if (is_at(last, line) || !is_own(&at, line))
            continue;
        if (known == chain->count)
            return true;
        last = &chain->calls[known++].symbol;
        if (!is_at(last, line))
            return false;
    }
    return false;
}

static void add(struct caller *callers, size_t *count, const struct heaptap_location *line,
                double weight)
{
    size_t i = 0;
    struct symbol symbol = {.function = line->function, .file = line->file, .line = line->line};
    while (i < *count && !is_at(&symbol, &callers[i].line))
        i++;
    if (i == *count && i < CALLERS_MOST)
        callers[(*count)++] = (struct caller){.line = *line};
    if (i < *count)
        callers[i].weight += weight;
}

static double weight_of(const struct selection *selection, enum stack_weight weight, uint32_t stack)
{
    const struct stack_profile *profile = &selection->profile;
    return fabs(stack_tally_weight(&profile->tallies[stack], &profile->estimate, weight));
}

/* Adds the heaviest of the lines that call the chain's last; false where there is none. */
static bool add_call(struct heavy_chain *chain, const struct selection *selection,
                     enum stack_weight weight, const struct symbol *place)
{
    struct caller callers[CALLERS_MOST], *best = callers;
    struct heaptap_location line;
    size_t count = 0;
    for (uint32_t stack = 0; stack < selection->profile.trie.stack_count; stack++) {
        double is = weight_of(selection, weight, stack);
        if (is > 0 && leads_on(begin_at(selection, stack), place, chain, &line))
            add(callers, &count, &line, is);
    }
    for (size_t i = 1; i < count; i++)
        best = callers[i].weight > best->weight ? &callers[i] : best;
    if (count > 0)
        chain->calls[chain->count++] = (struct heavy_call){
            {.function = best->line.function, .file = best->line.file, .line = best->line.line},
            best->weight};
    return count > 0;
}

static double whole_of(const struct selection *selection, enum stack_weight weight,
                       const struct symbol *place)
{
    struct heaptap_location line;
    double sum = 0;
    for (uint32_t stack = 0; stack < selection->profile.trie.stack_count; stack++) {
        struct at at = begin_at(selection, stack);
        if (next_line(&at, &line) && is_at(place, &line))
            sum += weight_of(selection, weight, stack);
    }
    return sum;
}

struct heavy_chain heavy_chain_of(const struct selection *selection, enum stack_weight weight,
                                  const struct symbol *place)
{
    struct heavy_chain chain = {.count = 0};
    double whole = whole_of(selection, weight, place);
    while (chain.count < HEAVY_CHAIN_CALLS && add_call(&chain, selection, weight, place))
        ;
    for (size_t i = 0; i < chain.count; i++)
        chain.calls[i].share = whole > 0 ? chain.calls[i].share / whole : 0;
    return chain;
}
