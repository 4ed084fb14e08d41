/* A call tree as a JSON document: a flat list of nodes, callers first, each with the index of its
 * caller, so that depth is no matter for whoever reads it. */
#ifndef EXPORT_CALL_TREE_JSON_H
#define EXPORT_CALL_TREE_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "analyze/call_tree.h"

/* Nodes below `min_share` of all `weight` are left out.  False when there is no memory; write
 * errors show in `file`. */
bool call_tree_json_print(const struct call_tree *tree, const struct estimate *estimate,
                          enum stack_weight weight, double min_share, const char *trace_name,
                          bool complete, FILE *file);

#endif
