#include "report/guest/guest_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool guest_tree_init(struct guest_tree *tree, const struct guest_profile *profile, bool outward,
                     size_t limit)
{
    *tree = (struct guest_tree){.profile = profile, .outward = outward, .limit = limit};
    return stack_trie_init(&tree->trie);
}

void guest_tree_release(struct guest_tree *tree)
{
    stack_trie_release(&tree->trie);
    free(tree->self);
    free(tree->total);
    free(tree->sites);
    free(tree->children);
    free(tree->first_child);
    free(tree->place);
    free(tree->depth);
}

/* ---- Making ----------------------------------------------------------------------- */

/* Puts the sites of a stack into `sites`, innermost first; returns how many, or SIZE_MAX without memory. */
static size_t take_sites(struct guest_tree *tree, uint32_t node)
{
    size_t count = 0;
    for (; node != STACK_ROOT && (!tree->limit || count < tree->limit);
         node = guest_profile_caller(tree->profile, node)) {
        if (!ARRAY_RESERVE(&tree->sites, &tree->site_capacity, count + 1))
            return SIZE_MAX;
        tree->sites[count++] = guest_profile_site_at(tree->profile, node);
    }
    return count;
}

/* New nodes have nothing yet. */
static bool reserve_tallies(struct guest_tree *tree)
{
    size_t before = tree->self_capacity;
    if (!ARRAY_RESERVE(&tree->self, &tree->self_capacity, tree->trie.count))
        return false;
    memset(tree->self + before, 0, (tree->self_capacity - before) * sizeof *tree->self);
    return true;
}

bool guest_tree_add(struct guest_tree *tree, size_t number)
{
    struct guest_profile_row row = guest_profile_row(tree->profile, number);
    size_t count =
        take_sites(tree, tree->outward ? guest_profile_caller(tree->profile, row.node) : row.node);
    uint32_t node = count == SIZE_MAX ? STACK_NONE : STACK_ROOT;
    for (size_t i = 0; i < count && node != STACK_NONE; i++)
        node = stack_trie_child(&tree->trie, node, tree->sites[tree->outward ? i : count - 1 - i]);
    if (node == STACK_NONE || !reserve_tallies(tree))
        return false;
    guest_tally_add(&tree->self[node], &row.tally);
    return true;
}

/* ---- Order ------------------------------------------------------------------------ */

struct child {
    double bytes, blocks;
    uint32_t node, parent;
};

static int compare_children(const void *a, const void *b)
{
    const struct child *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    if (x->blocks != y->blocks)
        return x->blocks < y->blocks ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

static void sort_children(struct guest_tree *tree, struct child *children)
{
    uint32_t count = (uint32_t)tree->trie.count, parent = 0;
    for (uint32_t node = 1; node < count; node++)
        children[node - 1] =
            (struct child){tree->total[node].of[GUEST_BYTES], tree->total[node].of[GUEST_COUNT],
                           node, tree->trie.nodes[node].parent};
    qsort(children, count - 1, sizeof *children, compare_children);
    for (uint32_t i = 0; i + 1 < count; i++) {
        while (parent <= children[i].parent)
            tree->first_child[parent++] = i;
        tree->children[i] = children[i].node;
        tree->place[children[i].node] = i;
    }
    while (parent <= count)
        tree->first_child[parent++] = count - 1;
}

static void sum_up(struct guest_tree *tree)
{
    memcpy(tree->total, tree->self, tree->trie.count * sizeof *tree->total);
    for (size_t node = tree->trie.count - 1; node > 0; node--)
        guest_tally_add(&tree->total[tree->trie.nodes[node].parent], &tree->total[node]);
    for (size_t node = 1; node < tree->trie.count; node++)
        tree->depth[node] = tree->depth[tree->trie.nodes[node].parent] + 1;
}

bool guest_tree_finish(struct guest_tree *tree)
{
    size_t count = tree->trie.count;
    struct child *children = malloc(count * sizeof *children);
    tree->total = malloc(count * sizeof *tree->total);
    tree->children = malloc(count * sizeof *tree->children);
    tree->first_child = malloc((count + 1) * sizeof *tree->first_child);
    tree->place = malloc(count * sizeof *tree->place);
    tree->depth = calloc(count, sizeof *tree->depth);
    bool done = children && tree->total && tree->children && tree->first_child && tree->place &&
                tree->depth && reserve_tallies(tree);
    if (done) {
        sum_up(tree);
        sort_children(tree, children);
    }
    free(children);
    return done;
}

uint32_t guest_tree_next(const struct guest_tree *tree, uint32_t node)
{
    uint32_t at = tree->first_child[node];
    while (at == tree->first_child[node + 1] && node != STACK_ROOT) {
        at = tree->place[node] + 1;
        node = tree->trie.nodes[node].parent;
    }
    return at < tree->first_child[node + 1] ? tree->children[at] : STACK_ROOT;
}
