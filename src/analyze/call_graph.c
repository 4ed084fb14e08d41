/* All stacks are walked together (analyze/stack_walk.h), once for the nodes and once for the edges
 * between those that are kept.  "Once a stack" means: only where it is not on the path yet, so each
 * symbol and edge knows how often it is there. */
#include "analyze/call_graph.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stack_walk.h"
#include "base/array.h"
#include "base/text.h"

#define NODE_NONE UINT32_MAX

/* What a symbol comes to before nodes are chosen. */
struct sum {
    double flat, cum;
    double base_flat, base_cum;
    uint32_t open; /* how often it is on the path that is walked */
    uint32_t node; /* its number among those kept, or NODE_NONE */
};

/* Where the edges of a path go on. */
struct reach {
    uint32_t node;    /* the last one kept, or NODE_NONE */
    bool is_residual; /* others were dropped behind it */
};

struct build {
    struct call_graph *graph;
    const struct call_graph_options *options;
    struct frame_symbols frames;
    struct sum *sums; /* by symbol */
    size_t sum_count, sum_capacity;
    struct stack_walk walk;
    struct reach *reached; /* by depth of the path; [0] is the root's */
    size_t depth, reached_capacity;
    uint32_t *open; /* ties of the path, and behind those of each node of the trie their number */
    size_t open_count, open_capacity;
    struct tie
        *ties; /* of few nodes by the numbers of caller and callee, else by that of the edge */
    size_t tie_capacity;
    bool is_table;      /* the former */
    struct map by_ends; /* the number of the edge + 1, for the latter */
    bool *is_asked;     /* by node; NULL: edges of all are */
};

/* An edge while it is counted: what the walk touches of it, in one place. */
struct tie {
    double weight;
    uint32_t edge;                           /* its number + 1; 0: there is none yet */
    uint32_t open : 30;                      /* how often it is on the path that is walked */
    uint32_t is_residual : 1, is_called : 1; /* the callee isn't always inlined */
};

enum { FEW_NODES = 2048 };

/* ---- Names --------------------------------------------------------------------------- */

const char *call_graph_name(struct names *names, const struct symbol *symbol)
{
    struct text text = {0};
    char number[32];
    const char *function = symbol->function ? symbol->function : "";
    const char *file = symbol->file ? symbol->file : "";
    const char *slash = symbol->module ? strrchr(symbol->module, '/') : NULL;
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
        text_put_string(&text, slash ? slash + 1 : symbol->module);
        text_put_char(&text, ']');
    } else if (!*file && !*function) {
        text_put_string(&text, "<unknown>");
    }
    const char *name = text.failed ? NULL : names_intern(names, text.bytes, text.size);
    text_release(&text);
    return name;
}

/* ---- Nodes --------------------------------------------------------------------------- */

static const uint32_t *symbols_at(struct build *build, uint32_t node, size_t *count)
{
    return frame_symbols_of(&build->frames, build->walk.trie->nodes[node].frame, count);
}

/* Numbers the symbols of all stacks, in the order in which these were met. */
static bool init_sums(struct build *build)
{
    size_t count, nodes = build->walk.trie->count;
    for (uint32_t node = 1; node < nodes; node++)
        if (build->walk.now.total[node] != 0 && !symbols_at(build, node, &count))
            return false;
    return true;
}

static bool reach_sum(struct build *build)
{
    size_t needed = build->graph->symbols.count;
    if (!ARRAY_RESERVE(&build->sums, &build->sum_capacity, needed))
        return false;
    for (; build->sum_count < needed; build->sum_count++)
        build->sums[build->sum_count] = (struct sum){.node = NODE_NONE};
    return true;
}

static bool enter_node(void *context, uint32_t node, uint32_t stack)
{
    struct build *build = context;
    size_t count;
    const uint32_t *symbols = symbols_at(build, node, &count);
    if (!symbols || !reach_sum(build))
        return false;
    const struct stack_weights *now = &build->walk.now, *base = &build->walk.base;
    for (size_t i = 0; i < count; i++) {
        struct sum *sum = &build->sums[symbols[i]];
        if (sum->open++ > 0)
            continue;
        sum->cum += now->total[node];
        sum->base_cum += base->total ? base->total[node] : 0;
    }
    if (stack != STACK_NONE) {
        build->sums[symbols[count - 1]].flat += now->self[stack];
        build->sums[symbols[count - 1]].base_flat += base->self ? base->self[stack] : 0;
    }
    return true;
}

static void leave_node(void *context, uint32_t node)
{
    struct build *build = context;
    size_t count;
    const uint32_t *symbols = symbols_at(build, node, &count);
    for (size_t i = 0; i < count; i++)
        build->sums[symbols[i]].open--;
}

/* In bytes, where they were samples. */
static void scale_sums(struct build *build)
{
    for (size_t i = 0; i < build->sum_count; i++) {
        build->sums[i].flat *= build->walk.now.unit;
        build->sums[i].cum *= build->walk.now.unit;
        build->sums[i].base_flat *= build->walk.base.unit;
        build->sums[i].base_cum *= build->walk.base.unit;
    }
}

static bool count_nodes(struct build *build)
{
    bool done = init_sums(build) && stack_walk_run(&build->walk, build, enter_node, leave_node);
    scale_sums(build);
    return done;
}

static bool is_node(const struct build *build, const struct sum *sum)
{
    bool is_negative = sum->flat < 0 || (sum->flat == 0 && sum->cum < 0);
    bool is_base = sum->base_flat != 0 || sum->base_cum != 0;
    return (sum->flat != 0 || sum->cum != 0 || is_base) &&
           !(build->options->drop_negative && is_negative);
}

/* What nodes and edges go by, until the graph is made. */
static double heavier(double now, double base)
{
    return fabs(base) > fabs(now) ? base : now;
}

static double cutoff_of(const struct build *build, double fraction)
{
    const struct call_graph *graph = build->graph;
    return fabs(trunc(heavier(graph->total, graph->base_total) * fraction));
}

/* The nodes that the fraction leaves, in no order yet. */
static bool choose_nodes(struct build *build)
{
    struct call_graph *graph = build->graph;
    size_t all = 0;
    for (size_t i = 0; i < build->sum_count; i++) {
        graph->total += is_node(build, &build->sums[i]) ? build->sums[i].flat : 0;
        graph->base_total += build->sums[i].base_flat;
    }
    double cutoff = cutoff_of(build, build->options->node_fraction);
    graph->nodes = calloc(build->sum_count + 1, sizeof *graph->nodes);
    if (!graph->nodes)
        return false;
    for (uint32_t i = 0; i < build->sum_count; i++) {
        const struct sum *sum = &build->sums[i];
        if (!is_node(build, sum))
            continue;
        all++;
        double cum = heavier(sum->cum, sum->base_cum);
        if (fabs(cum) < cutoff)
            continue;
        const char *name = call_graph_name(&graph->names, &graph->symbols.items[i]);
        if (!name)
            return false;
        graph->nodes[graph->count++] = (struct call_node){
            .symbol = i, .name = name, .flat = heavier(sum->flat, sum->base_flat), .cum = cum};
    }
    graph->all_nodes = graph->count;
    graph->dropped_nodes = all - graph->count;
    return true;
}

/* ---- Edges --------------------------------------------------------------------------- */

static void number_nodes(struct build *build)
{
    for (size_t i = 0; i < build->sum_count; i++)
        build->sums[i].node = NODE_NONE;
    for (uint32_t i = 0; i < build->graph->count; i++)
        build->sums[build->graph->nodes[i].symbol].node = i;
}

/* Where the tie of two nodes is, perhaps a new one; NULL when there is no memory. */
static struct tie *tie_of(struct build *build, uint32_t from, uint32_t to)
{
    struct call_graph *graph = build->graph;
    bool fresh;
    if (build->is_table)
        return &build->ties[from * graph->count + to];
    const uint32_t *number = map_put(&build->by_ends, (uint64_t)from << 32 | to,
                                     (uint32_t)graph->edge_count + 1, &fresh);
    if (!number || !ARRAY_RESERVE(&build->ties, &build->tie_capacity, *number))
        return NULL;
    if (fresh)
        build->ties[*number - 1] = (struct tie){0};
    return &build->ties[*number - 1];
}

static bool add_edge(struct build *build, struct tie *tie, uint32_t from, uint32_t to)
{
    struct call_graph *graph = build->graph;
    if (!ARRAY_RESERVE(&graph->edges, &graph->edge_capacity, graph->edge_count + 1))
        return false;
    graph->edges[graph->edge_count++] = (struct call_edge){.from = from, .to = to};
    tie->edge = (uint32_t)graph->edge_count;
    return true;
}

/* Counts an edge where it is not on the path already, and puts it there. */
static bool enter_edge(struct build *build, const struct reach *from, uint32_t to, uint32_t node,
                       bool is_inlined)
{
    if (build->is_asked && !build->is_asked[from->node] && !build->is_asked[to])
        return true;
    struct tie *tie = tie_of(build, from->node, to);
    if (!tie || (tie->edge == 0 && !add_edge(build, tie, from->node, to)) ||
        !ARRAY_RESERVE(&build->open, &build->open_capacity, build->open_count + 2))
        return false;
    build->open[build->open_count++] = (uint32_t)(tie - build->ties);
    if (tie->open++ > 0)
        return true;
    tie->weight += build->walk.now.total[node];
    tie->is_residual |= from->is_residual;
    tie->is_called |= !is_inlined;
    if (build->walk.base.total)
        build->graph->edges[tie->edge - 1].base_weight += build->walk.base.total[node];
    return true;
}

/* Where no two stacks are the same, most steps are to a tie that is not in the cache; but the nodes
 * of a trie mostly follow their callers, so that what comes is known. */
static void prefetch_tie(struct build *build, uint32_t node)
{
    enum { AHEAD = 8 };
    uint32_t caller = node + AHEAD - 1, callee = node + AHEAD;
    const double *total = build->walk.now.total;
    size_t count;
    if (!build->is_table || callee >= build->walk.trie->count || total[caller] == 0 ||
        total[callee] == 0)
        return;
    const uint32_t *callers = symbols_at(build, caller, &count);
    uint32_t from = build->sums[callers[count - 1]].node;
    uint32_t to = build->sums[symbols_at(build, callee, &count)[0]].node;
    if (from != NODE_NONE && to != NODE_NONE)
        __builtin_prefetch(&build->ties[from * build->graph->count + to], 1);
}

static bool enter_edges(void *context, uint32_t node, uint32_t stack)
{
    struct build *build = context;
    prefetch_tie(build, node);
    size_t count, before = build->open_count;
    const uint32_t *symbols = symbols_at(build, node, &count);
    struct reach reach = build->reached[build->depth];
    for (size_t i = 0; i < count; i++) {
        uint32_t to = build->sums[symbols[i]].node;
        if (to == NODE_NONE) {
            reach.is_residual = true;
            continue;
        }
        if (reach.node != NODE_NONE && reach.node != to &&
            !enter_edge(build, &reach, to, node, i > 0))
            return false;
        reach = (struct reach){to, false};
    }
    if (!ARRAY_RESERVE(&build->reached, &build->reached_capacity, build->depth + 2))
        return false;
    build->reached[++build->depth] = reach;
    if (!ARRAY_RESERVE(&build->open, &build->open_capacity, build->open_count + 1))
        return false;
    build->open[build->open_count] = (uint32_t)(build->open_count - before);
    build->open_count++;
    return true;
}

static void leave_edges(void *context, uint32_t node)
{
    struct build *build = context;
    build->depth--;
    for (uint32_t count = build->open[--build->open_count]; count > 0; count--)
        build->ties[build->open[--build->open_count]].open--;
}

/* Room for the ties of all nodes: a table, where that is not too large. */
static bool make_ties(struct build *build)
{
    size_t count = build->graph->count;
    map_release(&build->by_ends);
    free(build->ties);
    build->tie_capacity = 0;
    build->is_table = count <= FEW_NODES;
    build->ties = build->is_table ? calloc(count * count + 1, sizeof *build->ties) : NULL;
    return build->ties || !build->is_table;
}

static bool mark_asked(struct build *build)
{
    const struct call_graph_options *options = build->options;
    const struct call_graph *graph = build->graph;
    if (!options->is_asked)
        return true;
    free(build->is_asked);
    build->is_asked = malloc(graph->count + 1);
    for (size_t i = 0; build->is_asked && i < graph->count; i++)
        build->is_asked[i] = options->is_asked(options->asked_context, graph->nodes[i].name);
    return build->is_asked;
}

/* Edges get what was counted of them. */
static void take_ties(struct build *build)
{
    struct call_graph *graph = build->graph;
    for (size_t i = 0; i < graph->edge_count; i++) {
        struct call_edge *edge = &graph->edges[i];
        const struct tie *tie =
            &build->ties[build->is_table ? edge->from * graph->count + edge->to : i];
        edge->now_weight = tie->weight * build->walk.now.unit;
        edge->base_weight *= build->walk.base.unit;
        edge->weight = heavier(edge->now_weight, edge->base_weight);
        edge->is_residual = tie->is_residual;
        edge->is_inlined = !tie->is_called;
    }
}

static bool build_edges(struct build *build)
{
    build->graph->edge_count = 0;
    number_nodes(build);
    build->reached[STACK_ROOT] = (struct reach){NODE_NONE, false};
    if (!make_ties(build) || !mark_asked(build) ||
        !stack_walk_run(&build->walk, build, enter_edges, leave_edges))
        return false;
    take_ties(build);
    return true;
}

/* Leaves out light edges, and tells how many they were. */
static size_t trim_edges(struct build *build)
{
    struct call_graph *graph = build->graph;
    double cutoff = cutoff_of(build, build->options->edge_fraction);
    size_t kept = 0;
    for (size_t i = 0; i < graph->edge_count; i++)
        if (fabs(graph->edges[i].weight) >= cutoff)
            graph->edges[kept++] = graph->edges[i];
    size_t dropped = graph->edge_count - kept;
    graph->edge_count = kept;
    return dropped;
}

static int compare_edges(const void *left, const void *right, void *context)
{
    const struct call_graph *graph = context;
    const struct call_edge *a = &graph->edges[*(const uint32_t *)left];
    const struct call_edge *b = &graph->edges[*(const uint32_t *)right];
    if (fabs(a->weight) != fabs(b->weight))
        return fabs(a->weight) > fabs(b->weight) ? -1 : 1;
    int order = strcmp(graph->nodes[a->from].name, graph->nodes[b->from].name);
    return order ? order : strcmp(graph->nodes[a->to].name, graph->nodes[b->to].name);
}

/* Gives each node the lists of its edges. */
static bool link_edges(struct call_graph *graph)
{
    free(graph->ends);
    graph->ends = malloc((2 * graph->edge_count + 1) * sizeof *graph->ends);
    if (!graph->ends)
        return false;
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i].in_count = graph->nodes[i].out_count = 0;
    for (size_t i = 0; i < graph->edge_count; i++) {
        graph->nodes[graph->edges[i].from].out_count++;
        graph->nodes[graph->edges[i].to].in_count++;
    }
    uint32_t *next = graph->ends;
    for (size_t i = 0; i < graph->count; i++) {
        struct call_node *node = &graph->nodes[i];
        node->in = next;
        node->out = next + node->in_count;
        next = node->out + node->out_count;
        node->in_count = node->out_count = 0;
    }
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        struct call_node *from = &graph->nodes[graph->edges[i].from];
        struct call_node *to = &graph->nodes[graph->edges[i].to];
        from->out[from->out_count++] = i;
        to->in[to->in_count++] = i;
    }
    for (size_t i = 0; i < graph->count; i++) {
        struct call_node *node = &graph->nodes[i];
        qsort_r(node->in, node->in_count, sizeof *node->in, compare_edges, graph);
        qsort_r(node->out, node->out_count, sizeof *node->out, compare_edges, graph);
    }
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
static bool sort_nodes(struct build *build)
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
static size_t count_to_keep(const struct build *build)
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
static void renumber_edges(struct build *build, const uint32_t *symbols)
{
    struct call_graph *graph = build->graph;
    number_nodes(build);
    for (size_t i = 0; i < graph->edge_count; i++) {
        struct call_edge *edge = &graph->edges[i];
        edge->from = build->sums[symbols[edge->from]].node;
        edge->to = build->sums[symbols[edge->to]].node;
    }
}

/* Sorts nodes by what their edges tell; the edges are there afterwards. */
static bool order_by_edges(struct build *build)
{
    struct call_graph *graph = build->graph;
    uint32_t *symbols = malloc((graph->count + 1) * sizeof *symbols);
    for (size_t i = 0; symbols && i < graph->count; i++)
        symbols[i] = graph->nodes[i].symbol;
    bool done = symbols && build_edges(build) && link_edges(graph) && sort_nodes(build);
    if (done)
        renumber_edges(build, symbols);
    free(symbols);
    return done;
}

/* At the end, nodes and edges tell what they weigh now. */
static void tell_both(struct build *build)
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

static bool build_graph(struct build *build)
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
        if (!by_entropy && !build_edges(build))
            return false;
        graph->dropped_edges = trim_edges(build);
        if (!link_edges(graph))
            return false;
    }
    tell_both(build);
    return true;
}

/* ---- The graph ----------------------------------------------------------------------- */

bool call_graph_init(struct call_graph *graph, const struct stack_profile *profile,
                     const struct frame_source *source, const struct call_graph_options *options)
{
    struct build build = {.graph = graph, .options = options};
    *graph = (struct call_graph){.measure = profile->measure};
    symbols_init(&graph->symbols, options->grain);
    bool done = ARRAY_RESERVE(&build.reached, &build.reached_capacity, 1) &&
                frame_symbols_init(&build.frames, source, &graph->symbols);
    build.frames.by_module = true;
    build.frames.no_inlines = options->no_inlines;
    done = done && stack_walk_init(&build.walk, profile, options->base, options->weight) &&
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
    free(graph->edges);
    free(graph->ends);
    *graph = (struct call_graph){0};
}
