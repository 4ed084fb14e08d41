#include "profile/stack_trie.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"

enum { FIRST_SLOTS = 256 };

/* ---- The trie
 * --------------------------------------------------------------------------------------------------
 */

bool stack_trie_init(struct stack_trie *trie)
{
    *trie = (struct stack_trie){.slots = calloc(FIRST_SLOTS, sizeof *trie->slots),
                                .mask = FIRST_SLOTS - 1};
    if (!trie->slots || !ARRAY_RESERVE(&trie->nodes, &trie->capacity, FIRST_SLOTS / 2)) {
        stack_trie_release(trie);
        return false;
    }
    trie->nodes[STACK_ROOT] = (struct stack_node){STACK_ROOT, STACK_NONE, 0, STACK_NONE};
    trie->count = 1;
    return true;
}

void stack_trie_release(struct stack_trie *trie)
{
    free(trie->nodes);
    free(trie->ends);
    free(trie->slots);
    *trie = (struct stack_trie){0};
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
    size_t slots = (trie->mask + 1) * 2;
    uint32_t *grown = calloc(slots, sizeof *grown);
    if (!grown)
        return false;
    free(trie->slots);
    trie->slots = grown;
    trie->mask = slots - 1;
    for (uint32_t node = 1; node < trie->count; node++)
        *slot_of(trie, trie->nodes[node].parent, trie->nodes[node].frame) = node;
    return true;
}

static bool make_room(struct stack_trie *trie)
{
    return trie->count < STACK_NONE && (trie->count * 3 <= trie->mask * 2 || grow_slots(trie)) &&
           ARRAY_RESERVE(&trie->nodes, &trie->capacity, trie->count + 1);
}

uint32_t stack_trie_find(const struct stack_trie *trie, uint32_t parent, uint32_t frame)
{
    uint32_t node = *slot_of(trie, parent, frame);
    return node ? node : STACK_NONE;
}

uint32_t stack_trie_find_or_add(struct stack_trie *trie, uint32_t parent, uint32_t frame)
{
    uint32_t *slot = slot_of(trie, parent, frame);
    uint32_t node = *slot;
    if (node == 0) {
        if (!make_room(trie))
            return STACK_NONE;
        node = (uint32_t)trie->count++;
        trie->nodes[node] = (struct stack_node){parent, frame, 0, STACK_NONE};
        *slot_of(trie, parent, frame) = node;
    }
    trie->nodes[parent].last_child = node;
    return node;
}

uint32_t stack_trie_add_stack(struct stack_trie *trie, uint32_t node)
{
    if (!ARRAY_RESERVE(&trie->ends, &trie->stack_capacity, trie->stack_count + 1))
        return STACK_NONE;
    trie->ends[trie->stack_count] = node;
    return trie->nodes[node].stack = (uint32_t)trie->stack_count++;
}

/* ---- Paths
 * --------------------------------------------------------------------------------------------------
 */

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
    while (depth < event->stack_length) {
        node = stack_trie_child(trie, node, event->stack[depth]);
        if (node == STACK_NONE)
            return STACK_NONE;
        path->nodes[++depth] = node;
        path->valid = depth;
    }
    return node;
}

void stack_paths_skip(struct stack_paths *paths, const struct heaptap_event *event)
{
    if (event->domain >= paths->count)
        return;
    struct stack_path *path = &paths->domains[event->domain];
    if (event->stack_shared < path->valid)
        path->valid = event->stack_shared;
}
