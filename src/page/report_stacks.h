/* The stacks of a report: one tree of them, by lines, from which the page works out call trees,
 * functions, calls and lines itself, and what each selection of the report weighs in it. */
#ifndef PAGE_REPORT_STACKS_H
#define PAGE_REPORT_STACKS_H

#include <stdio.h>

#include "page/answer.h"

/* One selection: what a filter leaves, of one of a profile's values. */
struct report_choice {
    const char *filter;
    size_t type;
};

/* Writes a JSON object, compact:
 *
 *     "nodes", "left_out"   nodes of the tree, and how many more there are, which are lighter
 *     "functions", "files", "lines"   by symbol; symbol 0 stands for frames that were left out
 *     "unknown"             by symbol: the module of code of which nothing else is known
 *     "choices"             each with "filter", "type"; "unit", "rate", "entries", "shortened" of the
 *                           file; "base_unit", "base_rate", "base_entries" of the base, if there is one
 *     "sources"             by file, by line: the text, of lines around those that have symbols
 *     "data"                base64 of a zlib stream of little-endian columns
 *
 * The columns: u32 caller and u32 symbol by node, callers first, node 0 the root; then for each
 * choice, of the file and then of the base, u32 node, f64 samples or value, f64 density (of traces
 * alone) by entry, a stack that ends at the node.  `shortened` is how much of the first of these
 * belongs to stacks of which the inner part was left out: between what is kept of them and the
 * function that allocates stands symbol 0.
 *
 * `tell`, NULL allowed, is called after each choice.  False when there is no memory. */
bool report_stacks_put(FILE *file, const struct viewer_state *state,
                       const struct report_choice *choices, size_t count, uint32_t nodes,
                       void (*tell)(void *context, size_t done), void *context);

#endif
