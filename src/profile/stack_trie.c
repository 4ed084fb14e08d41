/* Children.  Most nodes have few: these stand in a chain of at most CHAIN_MAX, linked through
 * links that lie beside the nodes, close together because a program comes back to its stacks in the
 * order in which it first made them.  A child that is found is moved to the front of its chain, as
 * each step along one waits for memory.  The children of a node beyond those go into a hash table
 * that all nodes share.  So a node takes 24 bytes, and about 8 more where it has very many siblings;
 * a trie that was filled in order or is finished has 8. */
#include "profile/stack_trie.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"

enum { FIRST_NODES = 128, FIRST_SLOTS = 256, CHAIN_MAX = 8 };

/* ---- The trie ------------------------------------------------------------------------ */

/* Makes room for `more` nodes with their links. */
static bool reserve_linked(struct stack_trie *trie, size_t more)
{
    size_t capacity = trie->links ? trie->capacity : 0, needed = trie->count + more;
    if (needed <= capacity)
        return true;
    if (!ARRAY_RESERVE(&trie->links, &capacity, needed < FIRST_NODES ? FIRST_NODES : needed))
        return false;
    struct stack_node *nodes = realloc(trie->nodes, capacity * sizeof *nodes);
    if (!nodes)
        return false;
    trie->nodes = nodes;
    trie->capacity = capacity;
    return true;
}

static const struct stack_node root = {.parent = STACK_ROOT, .frame = STACK_NONE};

bool stack_trie_init(struct stack_trie *trie)
{
    *trie = (struct stack_trie){0};
    if (!reserve_linked(trie, 1)) {
        stack_trie_release(trie);
        return false;
    }
    trie->nodes[STACK_ROOT] = root;
    trie->links[STACK_ROOT] = (struct stack_link){.frame = STACK_NONE, .stack = STACK_NONE};
    trie->count = 1;
    return true;
}

bool stack_trie_init_appended(struct stack_trie *trie)
{
    *trie = (struct stack_trie){0};
    if (!ARRAY_RESERVE(&trie->nodes, &trie->capacity, FIRST_NODES))
        return false;
    trie->nodes[STACK_ROOT] = root;
    trie->count = 1;
    trie->is_in_order = true;
    return true;
}

void stack_trie_release(struct stack_trie *trie)
{
    free(trie->nodes);
    free(trie->links);
    free(trie->ends);
    free(trie->slots);
    *trie = (struct stack_trie){0};
}

void stack_trie_finish(struct stack_trie *trie)
{
    struct stack_node *nodes = realloc(trie->nodes, (trie->count + 1) * sizeof *nodes);
    uint32_t *ends = realloc(trie->ends, (trie->stack_count + 1) * sizeof *ends);
    trie->nodes = nodes ? nodes : trie->nodes;
    trie->capacity = nodes ? trie->count + 1 : trie->capacity;
    trie->ends = ends ? ends : trie->ends;
    trie->stack_capacity = ends ? trie->stack_count + 1 : trie->stack_capacity;
    free(trie->links);
    free(trie->slots);
    trie->links = NULL;
    trie->slots = NULL;
    trie->mask = trie->slots_used = 0;
}

/* The slot of a child, or the empty one where it belongs. */
static uint32_t *slot_of(const struct stack_trie *trie, uint32_t parent, uint32_t frame)
{
    size_t index = map_hash((uint64_t)parent << 32 | frame) & trie->mask;
    for (;; index = (index + 1) & trie->mask) {
        uint32_t node = trie->slots[index];
        if (node == 0 || (trie->nodes[node].parent == parent && trie->nodes[node].frame == frame))
            return &trie->slots[index];
    }
}

static bool grow_slots(struct stack_trie *trie)
{
    struct stack_trie grown = *trie;
    size_t slots = trie->slots ? (trie->mask + 1) * 2 : FIRST_SLOTS;
    grown.slots = calloc(slots, sizeof *grown.slots);
    grown.mask = slots - 1;
    if (!grown.slots)
        return false;
    for (size_t i = 0; trie->slots && i <= trie->mask; i++) {
        const struct stack_node *node = &trie->nodes[trie->slots[i]];
        if (trie->slots[i] != 0)
            *slot_of(&grown, node->parent, node->frame) = trie->slots[i];
    }
    free(trie->slots);
    *trie = grown;
    return true;
}

/* A child in its chain, and what stands before it there; `length` is how many were looked at. */
struct chain_place {
    uint32_t node, before;
    int length;
};

static struct chain_place search_chain(const struct stack_trie *trie, uint32_t parent,
                                       uint32_t frame)
{
    struct chain_place place = {trie->links[parent].child, 0, 0};
    while (place.node != 0 && trie->links[place.node].frame != frame) {
        place.before = place.node;
        place.node = trie->links[place.node].sibling;
        place.length++;
    }
    return place;
}

static void move_to_front(struct stack_trie *trie, uint32_t parent, struct chain_place place)
{
    struct stack_link *node = &trie->links[place.node];
    trie->links[place.before].sibling = node->sibling;
    node->sibling = trie->links[parent].child;
    trie->links[parent].child = place.node;
}

/* One that no chain has. */
static uint32_t add_node(struct stack_trie *trie, uint32_t parent, uint32_t frame)
{
    if (trie->count >= STACK_NONE || !reserve_linked(trie, 1))
        return STACK_NONE;
    trie->nodes[trie->count] = (struct stack_node){parent, frame};
    trie->links[trie->count] = (struct stack_link){.frame = frame, .stack = STACK_NONE};
    return (uint32_t)trie->count++;
}

static uint32_t find_or_add_in_slots(struct stack_trie *trie, uint32_t parent, uint32_t frame)
{
    if ((!trie->slots || trie->slots_used * 3 > trie->mask * 2) && !grow_slots(trie))
        return STACK_NONE;
    uint32_t *slot = slot_of(trie, parent, frame);
    if (*slot != 0)
        return *slot;
    uint32_t node = add_node(trie, parent, frame);
    if (node != STACK_NONE) {
        *slot = node;
        trie->slots_used++;
    }
    return node;
}

uint32_t stack_trie_find(const struct stack_trie *trie, uint32_t parent, uint32_t frame)
{
    struct chain_place place = search_chain(trie, parent, frame);
    if (place.node != 0)
        return place.node;
    uint32_t node = place.length == CHAIN_MAX && trie->slots ? *slot_of(trie, parent, frame) : 0;
    return node ? node : STACK_NONE;
}

uint32_t stack_trie_find_or_add(struct stack_trie *trie, uint32_t parent, uint32_t frame)
{
    struct chain_place place = search_chain(trie, parent, frame);
    if (place.node != 0) {
        if (place.length > 0)
            move_to_front(trie, parent, place);
        return place.node;
    }
    return place.length == CHAIN_MAX ? find_or_add_in_slots(trie, parent, frame)
                                     : stack_trie_add(trie, parent, frame);
}

uint32_t stack_trie_add(struct stack_trie *trie, uint32_t parent, uint32_t frame)
{
    uint32_t node = add_node(trie, parent, frame);
    if (node != STACK_NONE) {
        trie->links[node].sibling = trie->links[parent].child;
        trie->links[parent].child = node;
    }
    return node;
}

uint32_t stack_trie_add_stack(struct stack_trie *trie, uint32_t node)
{
    uint32_t stack = stack_trie_append_stack(trie, node);
    if (stack != STACK_NONE)
        trie->links[node].stack = stack;
    return stack;
}

uint32_t stack_trie_append(struct stack_trie *trie, uint32_t parent, uint32_t frame)
{
    if (trie->count >= STACK_NONE || !ARRAY_RESERVE(&trie->nodes, &trie->capacity, trie->count + 1))
        return STACK_NONE;
    trie->nodes[trie->count] = (struct stack_node){parent, frame};
    return (uint32_t)trie->count++;
}

uint32_t stack_trie_append_stack(struct stack_trie *trie, uint32_t node)
{
    if (!ARRAY_RESERVE(&trie->ends, &trie->stack_capacity, trie->stack_count + 1))
        return STACK_NONE;
    trie->ends[trie->stack_count] = node;
    return (uint32_t)trie->stack_count++;
}

/* ---- Paths --------------------------------------------------------------------------- */

void stack_paths_release(struct stack_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->domains[i].nodes);
    free(paths->domains);
    *paths = (struct stack_paths){0};
}

static bool reach_domain(struct stack_paths *paths, size_t number)
{
    if (!ARRAY_RESERVE(&paths->domains, &paths->capacity, number + 1))
        return false;
    memset(paths->domains + paths->count, 0, (number + 1 - paths->count) * sizeof *paths->domains);
    paths->count = number + 1;
    return true;
}

/* Frames below a node without children are all new: no child is looked up.  The nodes go
 * to `path`; false when there is no memory. */
static bool add_branch(struct stack_trie *trie, uint32_t parent, const uint32_t *frames,
                       uint32_t count, uint32_t *path)
{
    if (trie->count + count >= STACK_NONE || !reserve_linked(trie, count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = (uint32_t)trie->count++;
        trie->nodes[node] = (struct stack_node){parent, frames[i]};
        trie->links[node] = (struct stack_link){.frame = frames[i], .stack = STACK_NONE};
        trie->links[parent].child = node;
        path[i] = parent = node;
    }
    return true;
}

uint32_t stack_paths_follow(struct stack_paths *paths, struct stack_trie *trie,
                            const struct heaptap_event *event)
{
    if (event->domain >= paths->count && !reach_domain(paths, event->domain))
        return STACK_NONE;
    struct stack_path *path = &paths->domains[event->domain];
    uint32_t depth = event->stack_shared < path->valid ? event->stack_shared : path->valid;
    if (event->stack_length >= path->capacity &&
        !ARRAY_RESERVE(&path->nodes, &path->capacity, (size_t)event->stack_length + 1))
        return STACK_NONE;
    path->nodes[0] = STACK_ROOT;
    path->valid = depth;
    uint32_t node = path->nodes[depth];
    for (; depth < event->stack_length && trie->links[node].child != 0; path->valid = depth) {
        node = stack_trie_child(trie, node, event->stack[depth]);
        if (node == STACK_NONE)
            return STACK_NONE;
        path->nodes[++depth] = node;
    }
    if (depth == event->stack_length)
        return node;
    if (!add_branch(trie, node, event->stack + depth, event->stack_length - depth,
                    path->nodes + depth + 1))
        return STACK_NONE;
    path->valid = event->stack_length;
    return path->nodes[path->valid];
}
