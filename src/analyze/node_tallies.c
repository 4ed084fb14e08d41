#include "analyze/node_tallies.h"

#include <stdlib.h>

#include "analyze/stack_walk.h"

struct counting {
    struct node_tallies *tallies;
    const struct stack_profile *profile;
    struct frame_symbols frames;
    struct stack_tally *passing; /* by node of the trie: of all stacks that pass there */
    uint32_t *open;              /* by symbol: how often it is on the path */
};

static void sum_up(struct counting *counting)
{
    const struct stack_trie *trie = &counting->profile->trie;
    for (size_t i = 0; i < trie->stack_count; i++)
        stack_tally_sum(&counting->passing[trie->ends[i]], &counting->profile->tallies[i]);
    for (size_t node = trie->count; node-- > 1;)
        stack_tally_sum(&counting->passing[trie->nodes[node].parent], &counting->passing[node]);
}

static const uint32_t *symbols_at(struct counting *counting, uint32_t node, size_t *count)
{
    *count = 0;
    return frame_symbols_of(&counting->frames, counting->profile->trie.nodes[node].frame, count);
}

static bool enter(void *context, uint32_t node, uint32_t stack)
{
    struct counting *counting = context;
    size_t count;
    const uint32_t *symbols = symbols_at(counting, node, &count);
    if (!symbols)
        return false;
    for (size_t i = 0; i < count; i++)
        if (counting->open[symbols[i]]++ == 0)
            stack_tally_sum(&counting->tallies->cum[symbols[i]], &counting->passing[node]);
    if (stack != STACK_NONE)
        stack_tally_sum(&counting->tallies->flat[symbols[count - 1]],
                        &counting->profile->tallies[stack]);
    return true;
}

static void leave(void *context, uint32_t node)
{
    struct counting *counting = context;
    size_t count;
    const uint32_t *symbols = symbols_at(counting, node, &count);
    for (size_t i = 0; i < count; i++)
        counting->open[symbols[i]]--;
}

/* The walk meets the frames that the graph's did, so there is no new symbol. */
static bool count(struct counting *counting, enum stack_weight weight)
{
    struct stack_walk walk;
    if (!stack_walk_init(&walk, counting->profile, weight, NULL, weight))
        return false;
    sum_up(counting);
    bool done = stack_walk_run(&walk, counting, enter, leave);
    stack_walk_release(&walk);
    return done;
}

bool node_tallies_init(struct node_tallies *tallies, struct call_graph *graph,
                       const struct stack_profile *profile, const struct frame_source *source,
                       const struct call_graph_options *options)
{
    size_t symbols = graph->symbols.count + 1;
    struct counting counting = {.tallies = tallies, .profile = profile};
    tallies->flat = calloc(symbols, sizeof *tallies->flat);
    tallies->cum = calloc(symbols, sizeof *tallies->cum);
    counting.passing = calloc(profile->trie.count + 1, sizeof *counting.passing);
    counting.open = calloc(symbols, sizeof *counting.open);
    bool done = tallies->flat && tallies->cum && counting.passing && counting.open &&
                frame_symbols_init(&counting.frames, source, &graph->symbols);
    if (done) {
        counting.frames.by_module = true;
        counting.frames.no_inlines = options->no_inlines;
        done = count(&counting, options->weight);
        frame_symbols_release(&counting.frames);
    }
    free(counting.passing);
    free(counting.open);
    if (!done)
        node_tallies_release(tallies);
    return done;
}

void node_tallies_release(struct node_tallies *tallies)
{
    free(tallies->flat);
    free(tallies->cum);
    *tallies = (struct node_tallies){0};
}
