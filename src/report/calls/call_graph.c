/* All stacks are walked together (report/stack_walk.h), once for the nodes and once for the edges
 * between those that are kept.  "Once a stack" means: only where it is not on the path yet, so each
 * symbol and edge knows how often it is there. */
#include "report/calls/call_graph_build.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "base/text.h"

/* ---- Names --------------------------------------------------------------------------- */

const char *call_graph_name(struct names *names, const struct symbol *symbol)
{
    struct text text = {0};
    char number[32];
    const char *function = symbol->function ? symbol->function : "";
    const char *file = symbol->file ? symbol->file : "";
    if (symbol->address != 0) {
        snprintf(number, sizeof number, "%016" PRIx64 " ", symbol->address);
        text_put_string(&text, number);
    }
    text_put_string(&text, function);
    if (*function && (symbol->line > 0 || *file))
        text_put_char(&text, ' ');
    if (symbol->line > 0 || *file)
        text_put_string(&text, file);
    if (symbol->line > 0) {
        snprintf(number, sizeof number, ":%" PRIu32, symbol->line);
        text_put_string(&text, number);
    } else if (!*file && !*function && symbol->module && *symbol->module) {
        text_put_char(&text, '[');
        text_put_string(&text, path_file(symbol->module));
        text_put_char(&text, ']');
    } else if (!*file && !*function) {
        text_put_string(&text, "<unknown>");
    }
    const char *name = text.failed ? NULL : names_intern(names, text.bytes, text.size);
    text_release(&text);
    return name;
}

/* ---- Nodes --------------------------------------------------------------------------- */

/* Numbers the symbols of all stacks, in the order in which these were met. */
static bool init_sums(struct call_graph_build *build)
{
    size_t count, nodes = build->walk.trie->count;
    for (uint32_t node = 1; node < nodes; node++)
        if (stack_walk_weight(&build->walk, &build->walk.now, node) != 0 &&
            !call_graph_symbols_at(build, node, &count))
            return false;
    return true;
}

static bool reach_sum(struct call_graph_build *build)
{
    size_t needed = build->graph->symbols.count;
    struct call_tallies **tallies = &build->graph->tallies;
    if (!ARRAY_RESERVE(&build->sums, &build->sum_capacity, needed) ||
        (build->walk.tallies && !ARRAY_RESERVE(tallies, &build->tally_capacity, needed)))
        return false;
    for (; build->sum_count < needed; build->sum_count++) {
        build->sums[build->sum_count] = (struct sum){.node = NODE_NONE};
        if (build->walk.tallies)
            (*tallies)[build->sum_count] = (struct call_tallies){0};
    }
    return true;
}

static void count_flat(struct call_graph_build *build, uint32_t symbol, uint32_t stack)
{
    const struct stack_weights *now = &build->walk.now, *base = &build->walk.base;
    build->sums[symbol].flat += now->sums[stack];
    build->sums[symbol].base_flat += base->sums ? base->sums[stack] : 0;
    if (build->walk.tallies)
        stack_tally_sum(&build->graph->tallies[symbol].flat, &build->profile->tallies[stack]);
}

static void count_cum(struct call_graph_build *build, uint32_t symbol, uint32_t node)
{
    const struct stack_weights *now = &build->walk.now, *base = &build->walk.base;
    build->sums[symbol].cum += stack_walk_weight(&build->walk, now, node);
    build->sums[symbol].base_cum += stack_walk_weight(&build->walk, base, node);
    if (build->walk.tallies)
        stack_tally_sum(&build->graph->tallies[symbol].cum,
                        stack_walk_tally(&build->walk, build->walk.sum_of[node]));
}

static bool enter_node(void *context, uint32_t node, uint32_t stack)
{
    struct call_graph_build *build = context;
    size_t count;
    const uint32_t *symbols = call_graph_symbols_at(build, node, &count);
    if (!symbols || !reach_sum(build))
        return false;
    for (size_t i = 0; i < count; i++)
        if (build->sums[symbols[i]].open++ == 0)
            count_cum(build, symbols[i], node);
    if (stack != STACK_NONE)
        count_flat(build, symbols[count - 1], stack);
    return true;
}

static void leave_node(void *context, uint32_t node)
{
    struct call_graph_build *build = context;
    size_t count;
    const uint32_t *symbols = call_graph_symbols_at(build, node, &count);
    for (size_t i = 0; i < count; i++)
        build->sums[symbols[i]].open--;
}

/* In bytes, where they were samples. */
static void scale_sums(struct call_graph_build *build)
{
    for (size_t i = 0; i < build->sum_count; i++) {
        build->sums[i].flat *= build->walk.now.unit;
        build->sums[i].cum *= build->walk.now.unit;
        build->sums[i].base_flat *= build->walk.base.unit;
        build->sums[i].base_cum *= build->walk.base.unit;
    }
}

static bool count_nodes(struct call_graph_build *build)
{
    if (build->options->has_tallies && !stack_walk_add_tallies(&build->walk, build->profile))
        return false;
    bool done = init_sums(build) && stack_walk_run(&build->walk, build, enter_node, leave_node);
    scale_sums(build);
    return done;
}

static bool is_node(const struct call_graph_build *build, const struct sum *sum)
{
    bool is_negative = sum->flat < 0 || (sum->flat == 0 && sum->cum < 0);
    bool is_base = !build->options->divisor && (sum->base_flat != 0 || sum->base_cum != 0);
    return (sum->flat != 0 || sum->cum != 0 || is_base) &&
           !(build->options->drop_negative && is_negative);
}

/* The nodes that the fraction leaves, in no order yet. */
static bool choose_nodes(struct call_graph_build *build)
{
    struct call_graph *graph = build->graph;
    size_t all = 0;
    for (size_t i = 0; i < build->sum_count; i++) {
        graph->total += is_node(build, &build->sums[i]) ? build->sums[i].flat : 0;
        graph->base_total += build->sums[i].base_flat;
    }
    double cutoff = call_graph_cutoff(build, build->options->node_fraction);
    graph->nodes = calloc(build->sum_count + 1, sizeof *graph->nodes);
    if (!graph->nodes)
        return false;
    for (uint32_t i = 0; i < build->sum_count; i++) {
        const struct sum *sum = &build->sums[i];
        if (!is_node(build, sum))
            continue;
        all++;
        double cum = call_graph_heavier(build, sum->cum, sum->base_cum);
        if (fabs(cum) < cutoff)
            continue;
        const char *name = call_graph_name(&graph->names, &graph->symbols.items[i]);
        if (!name)
            return false;
        graph->nodes[graph->count++] =
            (struct call_node){.symbol = i,
                               .name = name,
                               .flat = call_graph_heavier(build, sum->flat, sum->base_flat),
                               .cum = cum};
    }
    graph->all_nodes = graph->count;
    graph->dropped_nodes = all - graph->count;
    return true;
}

/* ---- Order --------------------------------------------------------------------------- */

/* How much is to be learnt from the edges of a node on one side. */
static double edge_entropy(const struct call_graph *graph, const uint32_t *list, size_t count,
                           double self)
{
    double score = 0, total = self;
    for (size_t i = 0; i < count; i++)
        if (graph->edges[list[i]].weight > 0)
            total += graph->edges[list[i]].weight;
    if (total == 0)
        return 0;
    for (size_t i = 0; i < count; i++) {
        double part = fabs(graph->edges[list[i]].weight) / total;
        score += -part * log2(part);
    }
    if (self > 0)
        score += -(self / total) * log2(self / total);
    return score;
}

static double entropy_score(const struct call_graph *graph, const struct call_node *node)
{
    double score = node->in_count == 0 ? 1 : edge_entropy(graph, node->in, node->in_count, 0);
    score += node->out_count == 0 ? 1 : edge_entropy(graph, node->out, node->out_count, node->flat);
    return trunc(score * node->cum) + node->flat;
}

/* A node while it is sorted. */
struct rank {
    struct call_node node;
    double score;
    bool by_flat;
};

static int compare_ranks(const void *left, const void *right)
{
    const struct rank *a = left, *b = right;
    if (fabs(a->score) != fabs(b->score))
        return fabs(a->score) > fabs(b->score) ? -1 : 1;
    int order = strcmp(a->node.name, b->node.name);
    double x = fabs(a->by_flat ? a->node.cum : a->node.flat);
    double y = fabs(a->by_flat ? b->node.cum : b->node.flat);
    if (order == 0 && x != y)
        order = x > y ? -1 : 1;
    return order ? order : a->node.symbol < b->node.symbol ? -1 : a->node.symbol > b->node.symbol;
}

/* For entropy, the nodes know their edges, which have other numbers afterwards. */
static bool sort_nodes(struct call_graph_build *build)
{
    struct call_graph *graph = build->graph;
    enum call_graph_order order = build->options->order;
    struct rank *ranks = malloc((graph->count + 1) * sizeof *ranks);
    if (!ranks)
        return false;
    for (size_t i = 0; i < graph->count; i++) {
        const struct call_node *node = &graph->nodes[i];
        double score = order == ORDER_FLAT  ? node->flat
                       : order == ORDER_CUM ? node->cum
                                            : entropy_score(graph, node);
        ranks[i] = (struct rank){*node, score, order == ORDER_FLAT};
    }
    qsort(ranks, graph->count, sizeof *ranks, compare_ranks);
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i] = ranks[i].node;
    free(ranks);
    return true;
}

/* How many nodes to keep: labels take places too. */
static size_t count_to_keep(const struct call_graph_build *build)
{
    const struct call_graph_options *options = build->options;
    size_t most = options->node_count, places = 0, count = build->graph->count;
    for (size_t i = 0; options->label_count && i < count; i++) {
        places += 1 + options->label_count(options->label_context, build->graph->nodes[i].symbol);
        if (places >= most) {
            most = i + 1;
            break;
        }
    }
    return most < count ? most : count;
}

/* Gives the edges the numbers that their nodes have after sorting. */
static void renumber_edges(struct call_graph_build *build, const uint32_t *symbols)
{
    struct call_graph *graph = build->graph;
    call_edges_number_nodes(build);
    for (size_t i = 0; i < graph->edge_count; i++) {
        struct call_edge *edge = &graph->edges[i];
        edge->from = build->sums[symbols[edge->from]].node;
        edge->to = build->sums[symbols[edge->to]].node;
    }
}

/* Sorts nodes by what their edges tell; the edges are there afterwards. */
static bool order_by_edges(struct call_graph_build *build)
{
    struct call_graph *graph = build->graph;
    uint32_t *symbols = malloc((graph->count + 1) * sizeof *symbols);
    for (size_t i = 0; symbols && i < graph->count; i++)
        symbols[i] = graph->nodes[i].symbol;
    bool done = symbols && call_edges_count(build) && call_edges_link(graph) && sort_nodes(build);
    if (done)
        renumber_edges(build, symbols);
    free(symbols);
    return done;
}

/* At the end, nodes and edges tell what they weigh now. */
static void tell_both(struct call_graph_build *build)
{
    struct call_graph *graph = build->graph;
    for (size_t i = 0; i < graph->count; i++) {
        struct call_node *node = &graph->nodes[i];
        const struct sum *sum = &build->sums[node->symbol];
        node->flat = sum->flat;
        node->cum = sum->cum;
        node->base_flat = sum->base_flat;
        node->base_cum = sum->base_cum;
    }
    for (size_t i = 0; i < graph->edge_count; i++)
        graph->edges[i].weight = graph->edges[i].now_weight;
}

/* Where there is a divisor instead of a base, figures become their means. */
static void divide(struct call_graph_build *build)
{
    struct call_graph *graph = build->graph;
    enum stack_weight weight = build->options->weight;
    for (size_t i = 0; i < graph->count; i++) {
        struct call_node *node = &graph->nodes[i];
        node->flat = stack_weight_mean(node->flat, node->base_flat, weight);
        node->cum = stack_weight_mean(node->cum, node->base_cum, weight);
        node->base_flat = node->base_cum = 0;
    }
    for (size_t i = 0; i < graph->edge_count; i++) {
        struct call_edge *edge = &graph->edges[i];
        edge->weight = stack_weight_mean(edge->weight, edge->base_weight, weight);
        edge->base_weight = 0;
    }
}

static bool build_graph(struct call_graph_build *build)
{
    struct call_graph *graph = build->graph;
    bool by_entropy = build->options->order == ORDER_ENTROPY;
    if (!count_nodes(build) || !choose_nodes(build) ||
        !(by_entropy ? order_by_edges(build) : sort_nodes(build)))
        return false;
    size_t kept = build->options->node_count > 0 ? count_to_keep(build) : graph->count;
    if (kept < graph->count) {
        graph->count = kept;
        if (by_entropy && !order_by_edges(build))
            return false;
    }
    if (!build->options->no_edges) {
        if (!by_entropy && !call_edges_count(build))
            return false;
        graph->dropped_edges = call_edges_trim(build);
        if (!call_edges_link(graph))
            return false;
        call_edges_sort(graph);
    }
    tell_both(build);
    if (build->options->divisor)
        divide(build);
    return true;
}

/* ---- The graph ----------------------------------------------------------------------- */

bool call_graph_init(struct call_graph *graph, const struct stack_profile *profile,
                     const struct frame_source *source, const struct call_graph_options *options)
{
    struct call_graph_build build = {.graph = graph, .profile = profile, .options = options};
    *graph = (struct call_graph){.measure = profile->measure};
    symbols_init(&graph->symbols, options->grain);
    bool done = ARRAY_RESERVE(&build.reached, &build.reached_capacity, 1) &&
                frame_symbols_init(&build.frames, source, &graph->symbols);
    build.frames.by_module = true;
    build.frames.no_inlines = options->no_inlines;
    done = done &&
           stack_walk_init(&build.walk, profile, options->weight,
                           options->divisor ? options->divisor : options->base,
                           options->divisor ? options->divisor_weight : options->weight) &&
           build_graph(&build);
    stack_walk_release(&build.walk);
    frame_symbols_release(&build.frames);
    map_release(&build.by_ends);
    free(build.sums);
    free(build.ties);
    free(build.is_asked);
    free(build.reached);
    free(build.open);
    if (!done)
        call_graph_release(graph);
    return done;
}

void call_graph_release(struct call_graph *graph)
{
    symbols_release(&graph->symbols);
    names_release(&graph->names);
    free(graph->nodes);
    free(graph->tallies);
    free(graph->edges);
    free(graph->ends);
    *graph = (struct call_graph){0};
}
