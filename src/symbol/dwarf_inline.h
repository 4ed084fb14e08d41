/* Which functions, and which functions inlined into them, stand at given addresses of a DWARF unit.
 */
#ifndef SYMBOL_DWARF_INLINE_H
#define SYMBOL_DWARF_INLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>

#include "heaptap/trace.h"
#include "symbol/debug_file.h"

#define NO_NODE UINT32_MAX
#define NO_UNIT UINT32_MAX

/* One distinct address of a file, on its way to an answer. */
struct dwarf_target {
    uint64_t address; /* ELF virtual address; first: by it they are sorted */
    uint32_t unit;    /* whose code it is, or NO_UNIT */
    uint32_t node;    /* innermost function, within the unit being read, or NO_NODE */
    uint64_t extent;  /* bytes of the range by which the outermost function of `node` was chosen */
    const struct heaptap_location *locations;
    size_t count;
};

/* A function, or an inlined copy of one, that has targets in it. */
struct inline_node {
    Dwarf_Die die;
    uint32_t parent; /* into which it is inlined; NO_NODE for a function with code of its own */
};

struct inline_tree {
    struct inline_node *nodes;
    size_t count;
    size_t capacity;
};

/* Walks the DIEs of `unit` (of a skeleton: its split unit), fills `node` of the `count` targets,
 * which are sorted by address, and replaces what `tree` held.  False when memory is short. */
bool inline_tree_read(struct inline_tree *tree, const struct debug_file *file, Dwarf_Die *unit,
                      struct dwarf_target *targets, size_t count);
void inline_tree_release(struct inline_tree *tree);

/* Calls `found` with each range of each function with code in `unit`, until it answers false. */
bool unit_function_ranges(Dwarf_Die *unit,
                          bool (*found)(void *context, uint64_t low, uint64_t high), void *context);

#endif
