/* Answers from tallies by stack.  Against a base, both files' stacks are brought together first, so
 * that a tree or graph is one of both. */
#include "analyze/callee_tree.h"
#include "analyze/comparison.h"
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
    const struct selection *selection = &answering->selected->report.selection;
    struct profiles profiles = {&selection->profile, NULL, &selection->frames};
    if (!answering->base)
        return answering_end(put(answering, &profiles));
    if (!comparison_init(&both, selection, &answering->compared->report.selection))
        return VIEWER_NO_MEMORY;
    profiles = (struct profiles){&both.now, &both.before, &both.frames};
    bool done = put(answering, &profiles);
    comparison_release(&both);
    return answering_end(done);
}

enum viewer_verdict answering_put_tree(struct answering *answering)
{
    return put_by_stack(answering, put_tree);
}
