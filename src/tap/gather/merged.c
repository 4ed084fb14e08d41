/* Domains have nodes and groups of their own, so what two threads do is there twice; and a group is of one rate.  In a file it is one sample: groups of
 * one size whose stacks have the same frames are put into one ring.  Frames are shared, so a stack is known by those: each
 * node gets the number of the first node met that has the same frame under the same callers.  Only nodes of stacks that are
 * in use are looked at; others may be half made. */
#include "tap/inside/pages.h"
#include "tap/gather/profile.h"

enum { FIRST_SLOTS = 1024 };

struct uniting {
    struct heaptap_pprof *profile;
    uint32_t *same; /* by node: the one that stands for it; 0: not known yet */
    struct index *nodes, *groups;
};

/* The node that has this frame and, of those that stand for others, this caller. */
static uint32_t find_node(struct uniting *uniting, uint32_t number, uint32_t parent)
{
    const struct node *node = store_node(uniting->profile, number);
    uint64_t hash = hash_mix(parent, node->frame);
    if (!index_make_room(&uniting->nodes))
        return 0;
    const struct index *nodes = uniting->nodes;
    for (size_t i = (uint32_t)hash;; i++) {
        const struct index_slot *slot = &nodes->slots[i & nodes->mask];
        if (!slot->number)
            break;
        if (slot->mark != (uint32_t)hash)
            continue;
        const struct node *found = store_node(uniting->profile, slot->number);
        if (found->frame == node->frame && uniting->same[found->parent] == parent)
            return slot->number;
    }
    index_put(uniting->nodes, hash, number);
    return number;
}

/* What stands for a node; from the outermost of its callers that nothing is known of inwards.  `path` holds max_frames.
 * False without memory. */
static bool unite_node(struct uniting *uniting, uint32_t number, uint32_t *path)
{
    uint32_t depth = 0;
    for (; number && !uniting->same[number]; number = store_node(uniting->profile, number)->parent)
        path[depth++] = number;
    while (depth-- > 0) {
        uint32_t parent = store_node(uniting->profile, path[depth])->parent;
        uint32_t found = find_node(uniting, path[depth], uniting->same[parent]);
        if (!found)
            return false;
        uniting->same[path[depth]] = found;
    }
    return true;
}

static bool unite_group(struct uniting *uniting, uint32_t number, uint32_t node, uint32_t *next)
{
    const struct group *group = store_group(uniting->profile, number);
    uint32_t end = uniting->same[node];
    uint64_t hash = hash_mix(end + 1, group->length);
    if (!index_make_room(&uniting->groups))
        return false;
    const struct index *groups = uniting->groups;
    for (size_t i = (uint32_t)hash;; i++) {
        const struct index_slot *slot = &groups->slots[i & groups->mask];
        if (!slot->number)
            break;
        if (slot->mark != (uint32_t)hash)
            continue;
        const struct group *found = store_group(uniting->profile, slot->number);
        if (found->length == group->length && uniting->same[found->node - 1] == end) {
            next[number] = next[slot->number];
            next[slot->number] = number;
            return true;
        }
    }
    next[number] = number;
    index_put(uniting->groups, hash, number);
    return true;
}

static bool unite(struct uniting *uniting, struct merged *merged, uint32_t *path)
{
    bool done = true;
    for (uint32_t i = 1; done && i < merged->groups; i++) {
        const struct group *group =
            store_peek(&uniting->profile->stores[KEPT_GROUPS], i, sizeof *group);
        uint32_t node = group ? atomic_load_explicit(&group->node, memory_order_acquire) : 0;
        if (node > merged->nodes)
            continue; /* came since the nodes were counted: a sample of its own */
        if (node)
            done = unite_node(uniting, node - 1, path) &&
                   unite_group(uniting, i, node - 1, merged->next);
    }
    return done;
}

bool merged_begin(struct merged *merged, struct heaptap_pprof *profile, uint32_t *path)
{
    struct kept *kept = profile->kept;
    if (!profile->borrowed && atomic_load(&profile->domains) < 2 && kept->halvings == 0)
        return false;
    struct uniting uniting = {.profile = profile};
    merged->groups = atomic_load_explicit(&kept->group_numbers, memory_order_acquire);
    merged->nodes = atomic_load_explicit(&kept->node_numbers, memory_order_acquire);
    size_t bytes = (size_t)merged->nodes * sizeof *uniting.same;
    merged->next = pages_map((size_t)merged->groups * sizeof *merged->next);
    uniting.same = pages_map(bytes);
    uniting.nodes = index_new(FIRST_SLOTS);
    uniting.groups = index_new(FIRST_SLOTS);
    bool done = merged->next && uniting.same && uniting.nodes && uniting.groups &&
                unite(&uniting, merged, path);
    index_free(uniting.nodes);
    index_free(uniting.groups);
    pages_unmap(uniting.same, bytes);
    if (!done)
        merged_end(merged);
    return done;
}

void merged_end(struct merged *merged)
{
    pages_unmap(merged->next, (size_t)merged->groups * sizeof *merged->next);
    *merged = (struct merged){0};
}
