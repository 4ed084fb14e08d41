/* A call tree as the page draws it: preorder arrays with subtree ends. */
#ifndef VIEWER_ANSWER_TREE_H
#define VIEWER_ANSWER_TREE_H

#include "analyze/branches.h"
#include "export/json.h"

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
 * False when there is no memory; the object is unfinished then. */
bool answer_put_tree(struct json *json, const struct branches *branches, bool has_base);

#endif
