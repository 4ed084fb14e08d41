/* The usual way (dwarf_getscopes) walks a unit for every address.  Here a unit is walked once for
 * all of its addresses, and nothing is kept of functions in which there are none: the memory needed
 * is that of the answers, however large the unit.
 *
 * The walk is in pre-order, so that the enclosing function is attached to a target before what is
 * inlined into it is seen; an inlined copy takes a target over only from the very function that it
 * is inlined into.  A function with code of its own takes a target from another one only with a
 * smaller range: two functions whose code the linker folded into one have equal ranges, and the
 * first one stays.
 *
 * Functions are looked for inside functions too, even those without targets: lambdas and member
 * functions of local classes are children of the function around them, but their code is elsewhere.
 *
 * Damaged input: depth is limited, and siblings must come later in the section, so that every walk
 * ends. */
#include "symbol/dwarf_inline.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"
#include "symbol/dwarf_names.h"

enum { DEEPEST = 200 };

struct walk {
    const struct debug_file *file; /* for the bias and the executable ranges */
    struct inline_tree *tree;
    struct dwarf_target *targets;
    size_t count;
    bool (*found)(void *context, uint64_t low, uint64_t high); /* instead of targets */
    void *context;
    bool failed; /* memory was short, or `found` said to stop */
};

static uint32_t add_node(struct walk *walk, const Dwarf_Die *die, uint32_t parent)
{
    struct inline_tree *tree = walk->tree;
    if (!ARRAY_RESERVE(&tree->nodes, &tree->capacity, tree->count + 1)) {
        walk->failed = true;
        return NO_NODE;
    }
    tree->nodes[tree->count] = (struct inline_node){*die, parent};
    return (uint32_t)tree->count++;
}

static size_t first_target(const struct walk *walk, uint64_t address)
{
    return ARRAY_SEARCH(middle, walk->count, walk->targets[middle].address < address);
}

/* Gives the targets in one range of `die` to its node, which is made when the first is found. */
static void take_range(struct walk *walk, const Dwarf_Die *die, uint32_t parent, uint32_t *node,
                       uint64_t low, uint64_t high)
{
    for (size_t i = first_target(walk, low); i < walk->count; i++) {
        struct dwarf_target *target = &walk->targets[i];
        if (target->address >= high || walk->failed)
            return;
        bool taken = parent != NO_NODE ? target->node == parent
                                       : target->node == NO_NODE || target->extent > high - low;
        if (!taken)
            continue;
        if (*node == NO_NODE)
            *node = add_node(walk, die, parent);
        target->node = *node;
        if (parent == NO_NODE)
            target->extent = high - low;
    }
}

static uint32_t take_targets(struct walk *walk, Dwarf_Die *die, uint32_t parent)
{
    Dwarf_Addr base, low, high;
    uint32_t node = NO_NODE;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &low, &high)) > 0 && !walk->failed;) {
        if (low >= high)
            continue;
        if (walk->found) {
            walk->failed = !walk->found(walk->context, low, high);
            continue;
        }
        low += walk->file->dwarf_bias;
        high += walk->file->dwarf_bias;
        /* Code that the linker dropped keeps its description, moved to address 0. */
        if (parent != NO_NODE || debug_file_has_code(walk->file, low))
            take_range(walk, die, parent, &node, low, high);
    }
    return node;
}

static void walk_children(struct walk *walk, Dwarf_Die *parent, uint32_t node, unsigned depth);

static void walk_die(struct walk *walk, Dwarf_Die *die, uint32_t node, unsigned depth)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_subprogram:
        walk_children(walk, die, take_targets(walk, die, NO_NODE), depth);
        break;
    case DW_TAG_inlined_subroutine:
        if (node != NO_NODE && (node = take_targets(walk, die, node)) != NO_NODE)
            walk_children(walk, die, node, depth);
        break;
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_with_stmt:
        walk_children(walk, die, node, depth);
        break;
    default:
        if (tag_is_of_names(dwarf_tag(die)))
            walk_children(walk, die, NO_NODE, depth);
        break;
    }
}

static void walk_children(struct walk *walk, Dwarf_Die *parent, uint32_t node, unsigned depth)
{
    Dwarf_Die die;
    Dwarf_Off before;
    if (depth >= DEEPEST || dwarf_child(parent, &die) != 0)
        return;
    do {
        walk_die(walk, &die, node, depth + 1);
        before = dwarf_dieoffset(&die);
    } while (!walk->failed && dwarf_siblingof(&die, &die) == 0 && dwarf_dieoffset(&die) > before);
}

bool inline_tree_read(struct inline_tree *tree, const struct debug_file *file, Dwarf_Die *unit,
                      struct dwarf_target *targets, size_t count)
{
    struct walk walk = {.file = file, .tree = tree, .targets = targets, .count = count};
    tree->count = 0;
    for (size_t i = 0; i < count; i++)
        targets[i].node = NO_NODE;
    walk_children(&walk, unit, NO_NODE, 0);
    return !walk.failed;
}

void inline_tree_release(struct inline_tree *tree)
{
    free(tree->nodes);
    *tree = (struct inline_tree){0};
}

bool unit_function_ranges(Dwarf_Die *unit,
                          bool (*found)(void *context, uint64_t low, uint64_t high), void *context)
{
    struct walk walk = {.found = found, .context = context};
    walk_children(&walk, unit, NO_NODE, 0);
    return !walk.failed;
}
