/* A call tree as the page draws it: preorder arrays with subtree ends, cut to what can be drawn. */
#ifndef VIEWER_ANSWER_TREE_H
#define VIEWER_ANSWER_TREE_H

#include "analyze/call_tree.h"
#include "export/json.h"

struct answer_trees {
    const struct call_tree *now;
    const struct estimate *estimate;
    const struct stack_tally *before; /* by node: of the base; NULL without a comparison */
    const struct estimate *before_estimate;
    uint64_t hidden; /* branches that are not in the tree */
};

/* Writes the members of an object that is open:
 *
 *     "total", "self"         weights of all, by node in preorder; node 0 is the root
 *     "symbol"                index into the symbols below
 *     "end"                   number of the first node that is not below this one
 *     "base"                  in a comparison: weights of all in the base, by node
 *     "functions", "files", "lines"   by symbol
 *     "hidden_branches", "hidden_weight"  what is not there: how many of the lightest branches, and
 *                                         what they come to
 *
 * At most `limit` nodes are written, the heaviest, by what they weigh in either.  False when there
 * is no memory; the object is unfinished then. */
bool answer_put_tree(struct json *json, const struct answer_trees *trees, enum stack_weight weight,
                     uint32_t limit);

#endif
