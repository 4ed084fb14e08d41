#include "analyze/guest_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The child of a node for a site, made if need be; 0 without memory. */
static uint32_t child_of(struct guest_tree *tree, uint32_t parent, uint32_t site)
{
    uint32_t last = 0;
    for (uint32_t at = tree->nodes[parent].child; at; at = tree->nodes[at].next) {
        if (tree->nodes[at].site == site)
            return at;
        last = at;
    }
    if (!ARRAY_RESERVE(&tree->nodes, &tree->capacity, tree->count + 1))
        return 0;
    uint32_t made = (uint32_t)tree->count++;
    tree->nodes[made] = (struct guest_tree_node){
        .site = site, .parent = parent, .depth = tree->nodes[parent].depth + 1};
    if (last)
        tree->nodes[last].next = made;
    else
        tree->nodes[parent].child = made;
    return made;
}

static bool begin(struct guest_tree *tree)
{
    *tree = (struct guest_tree){0};
    if (!ARRAY_RESERVE(&tree->nodes, &tree->capacity, 1))
        return false;
    tree->nodes[0] = (struct guest_tree_node){0};
    tree->count = 1;
    return true;
}

/* ---- Order ------------------------------------------------------------------------ */

struct sorted_child {
    double bytes, blocks;
    uint32_t node;
};

static int compare_children(const void *a, const void *b)
{
    const struct sorted_child *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    if (x->blocks != y->blocks)
        return x->blocks < y->blocks ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

static bool sort_children(struct guest_tree *tree)
{
    struct sorted_child *children = calloc(tree->count, sizeof *children);
    for (size_t i = 0; children && i < tree->count; i++) {
        size_t count = 0;
        for (uint32_t at = tree->nodes[i].child; at; at = tree->nodes[at].next)
            children[count++] = (struct sorted_child){tree->nodes[at].total.bytes,
                                                      tree->nodes[at].total.allocated, at};
        qsort(children, count, sizeof *children, compare_children);
        for (size_t j = 0; j < count; j++)
            tree->nodes[children[j].node].next = j + 1 < count ? children[j + 1].node : 0;
        if (count)
            tree->nodes[i].child = children[0].node;
    }
    free(children);
    return children != NULL;
}

static bool finish(struct guest_tree *tree, bool made)
{
    made = made && sort_children(tree);
    if (!made)
        guest_tree_release(tree);
    return made;
}

/* ---- Making ----------------------------------------------------------------------- */

/* Puts a stack's sites into `sites`, innermost first; returns how many. */
static size_t sites_of(const struct guest_profile *profile, uint32_t node, uint32_t *sites)
{
    size_t count = 0;
    for (; node; node = guest_profile_caller(profile, node))
        sites[count++] = guest_profile_site_at(profile, node);
    return count;
}

bool guest_tree_calls(struct guest_tree *tree, const struct guest_profile *profile,
                      const struct guest_filter *filter, size_t limit)
{
    uint32_t *sites = calloc(profile->model->trie.count, sizeof *sites);
    bool made = begin(tree) && sites;
    for (size_t i = 0; made && i < profile->row_count; i++) {
        const struct guest_profile_row *row = &profile->rows[i];
        if (!guest_filter_passes(filter, profile, row))
            continue;
        size_t depth = sites_of(profile, row->node, sites);
        if (limit && depth > limit)
            depth = limit;
        uint32_t node = 0;
        guest_tally_add(&tree->nodes[0].total, &row->tally);
        while (made && depth-- > 0) {
            node = child_of(tree, node, sites[depth]);
            made = node != 0;
            if (made)
                guest_tally_add(&tree->nodes[node].total, &row->tally);
        }
        if (made)
            guest_tally_add(&tree->nodes[node].self, &row->tally);
    }
    free(sites);
    return finish(tree, made);
}

bool guest_tree_callers(struct guest_tree *tree, const struct guest_profile *profile,
                        const struct guest_filter *filter, const struct guest_table_row *wanted,
                        size_t limit)
{
    struct guest_site place = guest_profile_place(profile, wanted->site);
    bool made = begin(tree);
    for (size_t i = 0; made && i < profile->row_count; i++) {
        const struct guest_profile_row *row = &profile->rows[i];
        struct guest_site site =
            guest_profile_place(profile, guest_profile_site_at(profile, row->node));
        if (row->type != wanted->type || site.file != place.file || site.line != place.line ||
            !guest_filter_passes(filter, profile, row))
            continue;
        uint32_t node = 0, at = guest_profile_caller(profile, row->node);
        guest_tally_add(&tree->nodes[0].total, &row->tally);
        for (size_t depth = 0; made && at && (!limit || depth < limit); depth++) {
            node = child_of(tree, node, guest_profile_site_at(profile, at));
            made = node != 0;
            if (made)
                guest_tally_add(&tree->nodes[node].total, &row->tally);
            at = guest_profile_caller(profile, at);
        }
    }
    return finish(tree, made);
}

uint32_t guest_tree_next(const struct guest_tree *tree, uint32_t node)
{
    const struct guest_tree_node *nodes = tree->nodes;
    if (nodes[node].child)
        return nodes[node].child;
    while (node && !nodes[node].next)
        node = nodes[node].parent;
    return nodes[node].next;
}

void guest_tree_release(struct guest_tree *tree)
{
    free(tree->nodes);
    *tree = (struct guest_tree){0};
}
