/* The stacks and groups of a domain.
 *
 * A stack is a way through a tree of nodes, and costs a look for each frame when it is new.  One that
 * was there before is found by the hash of all its codes at once: a sum of one hash for each
 * frame and its depth, so that of what the last stack shares nothing is added up again.  Two stacks
 * are taken for one where 64 bits of that are the same, and the innermost code.
 *
 * The group is that of the stack that was met last, or found by hash. */
#include "tap/gather/profile.h"

enum { FIRST_SLOTS = 512 };

bool stacks_begin(struct heaptap_pprof_domain *domain)
{
    domain->nodes = index_new(FIRST_SLOTS);
    domain->stacks = index_new(FIRST_SLOTS);
    domain->groups = index_new(FIRST_SLOTS);
    return domain->nodes && domain->stacks && domain->groups;
}

void stacks_end(struct heaptap_pprof_domain *domain)
{
    index_free(domain->nodes);
    index_free(domain->stacks);
    index_free(domain->groups);
}

/* The next number of a run, perhaps of a new one; 0 when `most` are taken. */
static uint32_t next_number(uint32_t *next, uint32_t *end, _Atomic uint32_t *taken, uint32_t most)
{
    if (*next == *end) {
        uint32_t first = atomic_load_explicit(taken, memory_order_relaxed);
        do
            if (first > most - RUN)
                return 0;
        while (!atomic_compare_exchange_weak(taken, &first, first + RUN));
        *next = first;
        *end = first + RUN;
    }
    return (*next)++;
}

/* ---- Nodes -------------------------------------------------------------------------- */

static uint32_t add_node(struct heaptap_pprof_domain *domain, uint32_t parent, uint64_t code,
                         uint64_t hash)
{
    struct heaptap_pprof *profile = domain->profile;
    uint32_t frame = names_frame(profile, code, domain->scratch);
    if (!frame || !index_make_room(&domain->nodes))
        return 0;
    uint32_t number = next_number(&domain->next_node, &domain->node_end,
                                  &profile->kept->node_numbers, UINT32_MAX - RUN);
    struct node *node =
        number ? store_reach(&profile->stores[KEPT_NODES], number, sizeof *node) : NULL;
    if (!node)
        return 0;
    *node = (struct node){.code = code, .parent = parent, .frame = frame};
    index_put(domain->nodes, hash, number);
    return number;
}

/* The node of `code` below `parent`, perhaps a new one; 0 when there is no memory. */
static uint32_t child(struct heaptap_pprof_domain *domain, uint32_t parent, uint64_t code)
{
    const struct index *nodes = domain->nodes;
    uint64_t hash = hash_mix(parent, code);
    for (size_t i = (uint32_t)hash;; i++) {
        const struct index_slot *slot = &nodes->slots[i & nodes->mask];
        if (!slot->number)
            return add_node(domain, parent, code, hash);
        if (slot->mark != (uint32_t)hash)
            continue;
        const struct node *node = store_node(domain->profile, slot->number);
        if (node->code == code && node->parent == parent)
            return slot->number;
    }
}

/* ---- Stacks ------------------------------------------------------------------------- */

/* A stack as the domain keeps it: the caller's, but for the middle where it is too long. */
struct view {
    const struct heaptap_allocation *allocation;
    uint32_t length; /* of what is kept */
    uint32_t head;   /* outermost frames before the gap; UINT32_MAX: there is none */
};

static struct view view_of(const struct heaptap_pprof_domain *domain,
                           const struct heaptap_allocation *allocation)
{
    uint32_t most = domain->profile->max_frames,
             length = allocation->stack ? allocation->stack_length : 0;
    if (length <= most)
        return (struct view){allocation, length, UINT32_MAX};
    return (struct view){allocation, most, (most - 1) / 2};
}

/* The code at `depth`, the outermost being 0. */
static uint64_t code_at(const struct view *view, uint32_t depth)
{
    const struct heaptap_allocation *allocation = view->allocation;
    if (depth == view->head)
        return HEAPTAP_CODE_TRUNCATED;
    if (depth > view->head)
        depth += allocation->stack_length - view->length;
    return allocation->direction == HEAPTAP_CALLER_FIRST
               ? allocation->stack[depth]
               : allocation->stack[allocation->stack_length - 1 - depth];
}

/* How many of the outermost frames are those of the last stack. */
static uint32_t shared_frames(const struct heaptap_pprof_domain *domain, const struct view *view)
{
    int64_t known = view->allocation->shared;
    uint32_t most = view->length < domain->depth ? view->length : domain->depth, shared = 0;
    if (known > 0 && view->head == UINT32_MAX && !domain->has_gap)
        shared = known < most ? (uint32_t)known : most;
    while (shared < most && code_at(view, shared) == domain->codes[shared])
        shared++;
    return shared;
}

/* Makes this stack the last one, of which `shared` frames stay as they are. */
static void remember(struct heaptap_pprof_domain *domain, const struct view *view, uint32_t shared)
{
    for (uint32_t depth = shared; depth < view->length; depth++) {
        uint64_t code = code_at(view, depth);
        domain->codes[depth] = code;
        domain->hashes[depth + 1] = domain->hashes[depth] + hash_mix(depth + 1, code);
    }
    domain->depth = view->length;
    domain->has_gap = view->head != UINT32_MAX;
    if (domain->path_depth > shared)
        domain->path_depth = shared;
}

/* The node of the last stack, if a stack has ended there before; else 0. */
static uint32_t find_end(const struct heaptap_pprof_domain *domain)
{
    const struct index *stacks = domain->stacks;
    uint64_t hash = domain->hashes[domain->depth];
    for (size_t i = (uint32_t)hash;; i++) {
        const struct index_slot *slot = &stacks->slots[i & stacks->mask];
        if (!slot->number)
            return 0;
        if (slot->mark != (uint32_t)hash)
            continue;
        const struct node *node = store_node(domain->profile, slot->number);
        if (node->stack_hash == hash >> 32 && node->code == domain->codes[domain->depth - 1])
            return slot->number;
    }
}

/* The same, made if need be; 0 when there is no memory. */
static uint32_t make_end(struct heaptap_pprof_domain *domain)
{
    uint32_t depth = domain->path_depth;
    for (; depth < domain->depth; depth++) {
        uint32_t node = child(domain, domain->path[depth], domain->codes[depth]);
        if (!node)
            return 0;
        domain->path[depth + 1] = node;
        domain->path_depth = depth + 1;
    }
    uint64_t hash = domain->hashes[depth];
    if (index_make_room(&domain->stacks)) {
        store_node(domain->profile, domain->path[depth])->stack_hash = (uint32_t)(hash >> 32);
        index_put(domain->stacks, hash, domain->path[depth]);
    }
    return domain->path[depth];
}

/* The node at which the stack ends; false when there is no memory. */
static bool follow(struct heaptap_pprof_domain *domain, const struct heaptap_allocation *allocation,
                   uint32_t *end)
{
    struct view view = view_of(domain, allocation);
    remember(domain, &view, shared_frames(domain, &view));
    if (domain->path_depth == view.length) {
        *end = domain->path[view.length];
        return true;
    }
    *end = find_end(domain);
    if (!*end)
        *end = make_end(domain);
    return *end != 0;
}

/* ---- Groups ------------------------------------------------------------------------- */

static uint64_t hash_of_group(const struct heaptap_pprof_domain *domain, uint32_t node,
                              uint64_t length)
{
    return hash_mix(node + 1, length ^ (uint64_t)domain->halvings << 56);
}

static uint32_t add_group(struct heaptap_pprof_domain *domain, uint32_t node, uint64_t length)
{
    struct heaptap_pprof *profile = domain->profile;
    if (!index_make_room(&domain->groups))
        return 0;
    uint32_t number = next_number(&domain->next_group, &domain->group_end,
                                  &profile->kept->group_numbers, 1u << BLOCK_GROUP_BITS);
    struct group *group =
        number ? store_reach(&profile->stores[KEPT_GROUPS], number, sizeof *group) : NULL;
    if (!group)
        return 0;
    group->length = length;
    group->halvings = domain->halvings;
    atomic_store_explicit(&group->node, node + 1, memory_order_release);
    index_put(domain->groups, hash_of_group(domain, node, length), number);
    return number;
}

uint32_t stacks_group_at(struct heaptap_pprof_domain *domain, uint32_t node, uint64_t length)
{
    const struct index *groups = domain->groups;
    uint32_t mark = (uint32_t)hash_of_group(domain, node, length);
    for (size_t i = mark;; i++) {
        const struct index_slot *slot = &groups->slots[i & groups->mask];
        if (!slot->number)
            return add_group(domain, node, length);
        if (slot->mark != mark)
            continue;
        const struct group *group = store_group(domain->profile, slot->number);
        if (group->node == node + 1 && group->length == length &&
            group->halvings == domain->halvings)
            return slot->number;
    }
}

/* Whether a group of this stack is of this size, too, and of the present rate. */
static bool is_of(const struct heaptap_pprof_domain *domain, uint32_t number, uint64_t length)
{
    const struct group *group = store_group(domain->profile, number);
    return group->length == length && group->halvings == domain->halvings;
}

uint32_t stacks_group(struct heaptap_pprof_domain *domain,
                      const struct heaptap_allocation *allocation)
{
    uint64_t length = allocation->length;
    uint32_t number;
    if (!follow(domain, allocation, &number))
        return 0;
    struct node *node = store_node(domain->profile, number);
    if (number && node->last_group && node->last_length == (uint32_t)length &&
        is_of(domain, node->last_group, length))
        return node->last_group;
    uint32_t group = stacks_group_at(domain, number, length);
    if (number) { /* node 0 is everybody's */
        node->last_group = group;
        node->last_length = (uint32_t)length;
    }
    return group;
}
