/* Answers from tallies by stack.  Against a base, both files' stacks are brought together first, so
 * that a tree or graph is one of both. */
#include "analyze/callee_tree.h"
#include "analyze/comparison.h"
#include "analyze/graph_prune.h"
#include "viewer/answer_graph.h"
#include "viewer/answer_tree.h"
#include "viewer/answering.h"

/* The weight that a request is about: a profile's values have no other. */
static enum stack_weight weight_of(const struct answering *answering)
{
    return answering->file->model->kind == MODEL_SAMPLES ? WEIGHT_VALUE
                                                         : answering->request->weight;
}

enum { TREE_DEPTH_MAX = 2000 };

/* What trees and graphs are made of: a profile, and the base's with the same stacks. */
struct profiles {
    const struct stack_profile *now, *before; /* NULL without a base */
    const struct frame_source *frames;
};

static bool put_tree(struct answering *answering, const struct profiles *profiles)
{
    const struct viewer_request *request = answering->request;
    struct caller_tree tree;
    struct caller_tree_options options = {.grain = request->grain,
                                          .weight = weight_of(answering),
                                          .merge_recursion = request->merge_recursion,
                                          .focus = *request->function ? request->function : NULL,
                                          .max_depth = TREE_DEPTH_MAX,
                                          .limit = request->nodes};
    if (!(request->reverse ? caller_tree_init : callee_tree_init)(
            &tree, profiles->now, profiles->before, profiles->frames, &options))
        return false;
    struct answer_trees trees = {&tree.tree, &profiles->now->estimate, tree.before,
                                 profiles->before ? &profiles->before->estimate : NULL,
                                 tree.hidden};
    bool done = answer_put_tree(answering->json, &trees, options.weight, options.limit);
    caller_tree_release(&tree);
    return done;
}

/* Gives `put` what it is to be made of. */
static enum viewer_verdict put_by_stack(struct answering *answering,
                                        bool (*put)(struct answering *answering,
                                                    const struct profiles *profiles))
{
    struct comparison both;
    const struct selection *selection = &answering->selected->selection;
    struct profiles profiles = {&selection->profile, NULL, &selection->frames};
    if (!answering->base)
        return answering_end(put(answering, &profiles));
    if (!comparison_init(&both, selection, &answering->compared->selection))
        return VIEWER_NO_MEMORY;
    profiles = (struct profiles){&both.now, &both.before, &both.frames};
    bool done = put(answering, &profiles);
    comparison_release(&both);
    return answering_end(done);
}

static struct call_graph_options graph_options(const struct answering *answering)
{
    const struct viewer_request *request = answering->request;
    bool is_picture = request->subject == VIEWER_GRAPH;
    return (struct call_graph_options){
        .grain = request->grain,
        .weight = weight_of(answering),
        .order = is_picture ? ORDER_ENTROPY : ORDER_CUM,
        .node_count = request->nodes,
        .node_fraction = is_picture ? 0.005 : 0,
        .edge_fraction = is_picture ? 0.001 : 0,
        .no_edges = !is_picture,
    };
}

/* Top and the graph. */
static bool put_functions(struct answering *answering, const struct profiles *profiles)
{
    struct call_graph graph;
    struct call_graph_options options = graph_options(answering);
    bool is_picture = answering->request->subject == VIEWER_GRAPH;
    options.base = profiles->before;
    if (!call_graph_init(&graph, profiles->now, profiles->frames, &options))
        return false;
    bool done = !is_picture || graph_prune(&graph);
    answer_put_graph(answering->json, &graph, profiles->before, is_picture);
    call_graph_release(&graph);
    return done;
}

static bool put_peek_compared(struct answering *answering, const struct profiles *profiles)
{
    const struct viewer_request *request = answering->request;
    struct call_graph graph;
    struct call_graph_options options = {.grain = request->grain,
                                         .weight = weight_of(answering),
                                         .order = ORDER_CUM,
                                         .base = profiles->before};
    if (!call_graph_init(&graph, profiles->now, profiles->frames, &options))
        return false;
    answer_put_peek(answering->json, &graph, true, request->function);
    call_graph_release(&graph);
    return true;
}

enum viewer_verdict answering_put_peek(struct answering *answering)
{
    const struct viewer_request *request = answering->request;
    if (!*request->function)
        return answering_refuse(answering, "which function? '/api/peek' takes 'function'");
    if (answering->base)
        return put_by_stack(answering, put_peek_compared);
    const struct call_graph *graph =
        viewer_selected_graph(answering->selected, request->grain, weight_of(answering), true);
    if (!graph)
        return VIEWER_NO_MEMORY;
    answer_put_peek(answering->json, graph, false, request->function);
    return VIEWER_FINE;
}

static bool put_source_compared(struct answering *answering, const struct profiles *profiles)
{
    struct call_graph graph;
    struct call_graph_options options = {.grain = GRAIN_LINE,
                                         .weight = weight_of(answering),
                                         .order = ORDER_CUM,
                                         .base = profiles->before,
                                         .no_edges = true};
    if (!call_graph_init(&graph, profiles->now, profiles->frames, &options))
        return false;
    bool done = answer_put_lines(answering->json, &graph, true, answering->request->function,
                                 answering->state->sources);
    call_graph_release(&graph);
    return done;
}

enum viewer_verdict answering_put_source(struct answering *answering)
{
    const struct viewer_request *request = answering->request;
    const struct call_graph *graph;
    if (!*request->function)
        return answering_refuse(answering, "which function? '/api/source' takes 'function'");
    if (answering->base)
        return put_by_stack(answering, put_source_compared);
    graph = viewer_selected_graph(answering->selected, GRAIN_LINE, weight_of(answering), false);
    return answering_end(graph && answer_put_lines(answering->json, graph, false, request->function,
                                                   answering->state->sources));
}

enum viewer_verdict answering_put_tree(struct answering *answering)
{
    return put_by_stack(answering, put_tree);
}

enum viewer_verdict answering_put_graph(struct answering *answering)
{
    return put_by_stack(answering, put_functions);
}
