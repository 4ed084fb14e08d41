/* An allocation costs its domain the frames that are new since the last one, each a look into a
 * table, and one look for the group; most find the group of that stack that was met last.  A
 * block's end costs two atomic additions.
 *
 * No times of blocks are kept: the lifetimes of a group's blocks are the sum of their ends less the
 * sum of their beginnings, where each block that is alive counts as ending now. */
#include "inside/fail.h"
#include "inside/kernel.h"
#include "inside/pages.h"
#include "pprof/gather/profile.h"

#include <errno.h>
#include <string.h>

enum { DEFAULT_MAX_FRAMES = 4096, FIRST_SLOTS = 512 };

/* ---- The profile -------------------------------------------------------------------- */

static const uint32_t item_bytes[KEPT_ARRAYS] = {
    [KEPT_NODES] = sizeof(struct node),         [KEPT_GROUPS] = sizeof(struct group),
    [KEPT_FRAMES] = sizeof(struct frame),       [KEPT_LINES] = sizeof(struct line),
    [KEPT_FUNCTIONS] = sizeof(struct function), [KEPT_STRINGS] = sizeof(struct string),
    [KEPT_TEXT] = sizeof(struct text_unit),     [KEPT_MODULES] = sizeof(struct module),
    [KEPT_SAID] = sizeof(struct said),
};

const uint32_t *pprof_item_bytes(void)
{
    return item_bytes;
}

static void find_stores(struct heaptap_pprof *profile)
{
    for (unsigned i = 0; i < KEPT_ARRAYS; i++) {
        profile->stores[i].file = profile->file;
        profile->stores[i].offsets = profile->kept->chunks[i];
    }
}

/* Before anything is counted. */
static void describe_itself(struct heaptap_pprof *profile, const struct heaptap_trace_info *info,
                            const struct heaptap_pprof_options *options)
{
    struct kept *kept = profile->kept;
    kept->header_bytes = sizeof *kept;
    memcpy(kept->item_bytes, item_bytes, sizeof item_bytes);
    kept->rate = info->sample_rate;
    kept->word_bytes = info->word_bits / 8;
    kept->header_words = info->word_bits > 8;
    kept->intervals = options->intervals != 0;
    kept->start_us = info->start_us;
    kept->last_us = info->start_us;
    kept->pid = info->pid;
    kept->max_frames = options->max_frames ? options->max_frames : DEFAULT_MAX_FRAMES;
    kept->node_numbers = kept->group_numbers = 1;
    kept->said_us = profile->start_us = info->start_us;
    profile->max_frames = kept->max_frames;
    profile->describe = options->describe;
    profile->locate = options->locate;
    profile->describe_context = options->context;
}

static struct heaptap_pprof *begin(const struct heaptap_trace_info *info,
                                   const struct heaptap_pprof_options *options, const char *keep)
{
    struct heaptap_pprof *profile = pages_map(sizeof *profile);
    if (!profile)
        return NULL;
    if (!keep)
        profile->kept = pages_map(sizeof *profile->kept);
    if (keep ? !keep_begin(profile, keep) : !profile->kept) {
        heaptap_pprof_free(profile);
        return NULL;
    }
    find_stores(profile);
    describe_itself(profile, info, options);
    if (store_reach(&profile->stores[KEPT_NODES], 0, sizeof(struct node)) &&
        store_reach(&profile->stores[KEPT_GROUPS], 0, sizeof(struct group)) && names_begin(profile))
        return profile;
    if (keep)
        kernel_unlink(keep);
    heaptap_pprof_free(profile);
    return NULL;
}

enum heaptap_status heaptap_pprof_new(struct heaptap_pprof **result,
                                      const struct heaptap_trace_info *info,
                                      const struct heaptap_pprof_options *options,
                                      struct heaptap_error *error)
{
    static const struct heaptap_pprof_options none;
    *result = NULL;
    if (!info)
        return fail(error, HEAPTAP_BAD_ARGUMENT, "a profile needs a rate and a word size");
    options = options ? options : &none;
    struct heaptap_pprof *profile = options->keep ? begin(info, options, options->keep) : NULL;
    if (!profile)
        profile = begin(info, options, NULL);
    *result = profile;
    if (!profile)
        return fail_memory(error);
    profile->kept->executable = names_string(&profile->names, info->executable);
    profile->kept->context = names_string(&profile->names, info->context);
    atomic_store_explicit(&profile->kept->magic, KEPT_MAGIC, memory_order_release);
    return HEAPTAP_OK;
}

int heaptap_pprof_is_kept(const struct heaptap_pprof *profile)
{
    return profile->file != NULL;
}

void heaptap_pprof_free(struct heaptap_pprof *profile)
{
    if (!profile)
        return;
    names_end(&profile->names);
    for (unsigned i = 0; i < KEPT_ARRAYS && !profile->borrowed; i++)
        store_release(&profile->stores[i], item_bytes[i]);
    if (profile->file)
        keep_end(profile);
    else if (!profile->borrowed)
        pages_unmap(profile->kept, sizeof *profile->kept);
    pages_unmap(profile, sizeof *profile);
}

/* ---- Domains ------------------------------------------------------------------------ */

enum heaptap_status heaptap_pprof_domain_new(struct heaptap_pprof_domain **result,
                                             struct heaptap_pprof *profile,
                                             struct heaptap_error *error)
{
    size_t frames = profile->max_frames, codes = frames * sizeof(uint64_t);
    size_t size = sizeof **result + codes + (frames + 1) * sizeof(uint32_t);
    struct heaptap_pprof_domain *domain = pages_map(size);
    *result = NULL;
    if (!domain)
        return fail_memory(error);
    domain->profile = profile;
    domain->mapped_bytes = size;
    domain->path = (uint32_t *)((char *)domain->codes + codes);
    domain->node_table = table_new(FIRST_SLOTS);
    domain->group_table = table_new(FIRST_SLOTS);
    if (!domain->node_table || !domain->group_table) {
        heaptap_pprof_domain_free(domain);
        return fail_memory(error);
    }
    *result = domain;
    return HEAPTAP_OK;
}

void heaptap_pprof_domain_free(struct heaptap_pprof_domain *domain)
{
    if (!domain)
        return;
    table_free(domain->node_table);
    table_free(domain->group_table);
    pages_unmap(domain, domain->mapped_bytes);
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

/* Gives a domain's table, which is nobody else's, room for one more. */
static bool make_room(struct table **table, uint64_t (*hash_of)(void *, uint32_t), void *context)
{
    if (!table_is_full(*table))
        return true;
    struct table *grown = table_grown(*table, hash_of, context);
    if (!grown)
        return (*table)->used < (*table)->mask;
    grown->before = NULL;
    table_free(*table);
    *table = grown;
    return true;
}

/* ---- Stacks ------------------------------------------------------------------------- */

static struct node *node_at(const struct heaptap_pprof *profile, uint32_t number)
{
    return store_at(&profile->stores[KEPT_NODES], number, sizeof(struct node));
}

static uint64_t hash_of_node(void *profile, uint32_t number)
{
    const struct node *node = node_at(profile, number);
    return hash_mix(node->parent, node->code);
}

static uint32_t add_node(struct heaptap_pprof_domain *domain, uint32_t parent, uint64_t code,
                         uint64_t hash)
{
    struct heaptap_pprof *profile = domain->profile;
    uint32_t frame = names_frame(profile, code, domain->scratch);
    if (!frame || !make_room(&domain->node_table, hash_of_node, profile))
        return 0;
    uint32_t number = next_number(&domain->next_node, &domain->node_end,
                                  &profile->kept->node_numbers, UINT32_MAX - RUN);
    struct node *node =
        number ? store_reach(&profile->stores[KEPT_NODES], number, sizeof *node) : NULL;
    if (!node)
        return 0;
    *node = (struct node){.code = code, .parent = parent, .frame = frame};
    table_put(domain->node_table, hash, number);
    return number;
}

/* The node of `code` below `parent`, perhaps a new one; 0 when there is no memory. */
static uint32_t child(struct heaptap_pprof_domain *domain, uint32_t parent, uint64_t code)
{
    const struct table *table = domain->node_table;
    uint64_t hash = hash_mix(parent, code);
    for (size_t i = hash & table->mask;; i = (i + 1) & table->mask) {
        uint32_t number = atomic_load_explicit(&table->slots[i], memory_order_relaxed);
        if (!number)
            return add_node(domain, parent, code, hash);
        const struct node *node = node_at(domain->profile, number);
        if (node->code == code && node->parent == parent)
            return number;
    }
}

/* A stack as the domain keeps it: the caller's, but for the middle where it is too long. */
struct view {
    const struct heaptap_allocation *allocation;
    uint32_t length; /* of what is kept */
    uint32_t head;   /* outermost frames before the gap; UINT32_MAX: there is none */
};

static struct view view_of(const struct heaptap_pprof_domain *domain,
                           const struct heaptap_allocation *allocation)
{
    uint32_t most = domain->profile->max_frames;
    if (allocation->stack_length <= most)
        return (struct view){allocation, allocation->stack_length, UINT32_MAX};
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
    if (known > 0 && view->head == UINT32_MAX)
        shared = known < most ? (uint32_t)known : most;
    while (shared < most && code_at(view, shared) == domain->codes[shared])
        shared++;
    return shared;
}

/* The node at which the stack ends; false when there is no memory. */
static bool follow(struct heaptap_pprof_domain *domain, const struct heaptap_allocation *allocation,
                   uint32_t *end)
{
    struct view view = view_of(domain, allocation);
    uint32_t depth = shared_frames(domain, &view);
    for (; depth < view.length; depth++) {
        uint64_t code = code_at(&view, depth);
        uint32_t node = child(domain, domain->path[depth], code);
        domain->depth = depth;
        if (!node)
            return false;
        domain->codes[depth] = code;
        domain->path[depth + 1] = node;
    }
    domain->depth = view.length;
    *end = domain->path[view.length];
    return true;
}

/* ---- Groups ------------------------------------------------------------------------- */

static struct group *group_at(const struct heaptap_pprof *profile, uint32_t number)
{
    return store_at(&profile->stores[KEPT_GROUPS], number, sizeof(struct group));
}

static uint64_t hash_of_group(void *profile, uint32_t number)
{
    const struct group *group = group_at(profile, number);
    return hash_mix(group->node, group->length);
}

static uint32_t add_group(struct heaptap_pprof_domain *domain, uint32_t node, uint64_t length)
{
    struct heaptap_pprof *profile = domain->profile;
    if (!make_room(&domain->group_table, hash_of_group, profile))
        return 0;
    uint32_t number = next_number(&domain->next_group, &domain->group_end,
                                  &profile->kept->group_numbers, 1u << BLOCK_GROUP_BITS);
    struct group *group =
        number ? store_reach(&profile->stores[KEPT_GROUPS], number, sizeof *group) : NULL;
    if (!group)
        return 0;
    group->length = length;
    atomic_store_explicit(&group->node, node + 1, memory_order_release);
    table_put(domain->group_table, hash_mix(node + 1, length), number);
    return number;
}

/* The group of a stack and size, perhaps a new one; 0 when there is no memory. */
static uint32_t group_of(struct heaptap_pprof_domain *domain, uint32_t number, uint64_t length)
{
    struct heaptap_pprof *profile = domain->profile;
    struct node *node = node_at(profile, number);
    if (number && node->last_group && group_at(profile, node->last_group)->length == length)
        return node->last_group;
    const struct table *table = domain->group_table;
    uint32_t found;
    for (size_t i = hash_mix(number + 1, length) & table->mask;; i = (i + 1) & table->mask) {
        found = atomic_load_explicit(&table->slots[i], memory_order_relaxed);
        if (!found)
            break;
        const struct group *group = group_at(profile, found);
        if (group->node == number + 1 && group->length == length)
            break;
    }
    if (!found)
        found = add_group(domain, number, length);
    if (number) /* node 0 is everybody's */
        node->last_group = found;
    return found;
}

/* ---- Blocks ------------------------------------------------------------------------- */

/* For sums that no other thread writes. */
static void add_own(_Atomic uint64_t *sum, uint64_t value)
{
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + value,
                          memory_order_release);
}

static uint64_t since_start(const struct heaptap_pprof *profile, int64_t time_us)
{
    return (uint64_t)time_us - (uint64_t)profile->start_us;
}

uint64_t heaptap_pprof_alloc(struct heaptap_pprof_domain *domain, int64_t time_us,
                             const struct heaptap_allocation *allocation)
{
    struct heaptap_pprof *profile = domain->profile;
    uint64_t samples = allocation->samples, told = samples;
    uint32_t node, number = 0;
    if (samples == allocation->length)
        told = 0;
    else if (samples > BLOCK_SAMPLES_MAX)
        samples = told = BLOCK_SAMPLES_MAX;
    if (follow(domain, allocation, &node))
        number = group_of(domain, node, allocation->length);
    if (!number) {
        heaptap_pprof_drop(profile, samples);
        return 0;
    }
    struct group *group = group_at(profile, number);
    add_own(&group->allocated_at, samples * since_start(profile, time_us));
    add_own(&group->allocated, samples);
    return (uint64_t)number << BLOCK_SAMPLE_BITS | told;
}

void heaptap_pprof_drop(struct heaptap_pprof *profile, uint64_t samples)
{
    atomic_fetch_add_explicit(&profile->kept->dropped, samples, memory_order_relaxed);
}

void heaptap_pprof_stop(struct heaptap_pprof *profile, const char *reason)
{
    struct kept *kept = profile->kept;
    size_t size = reason ? strlen(reason) : 0;
    if (size > sizeof kept->stopped)
        size = sizeof kept->stopped;
    atomic_store_explicit(&kept->stopped_size, 0, memory_order_release);
    if (size > 0)
        memcpy(kept->stopped, reason, size);
    atomic_store_explicit(&kept->stopped_size, (uint32_t)size, memory_order_release);
}

void heaptap_pprof_alive(struct heaptap_pprof *profile, int64_t time_us)
{
    atomic_store_explicit(&profile->kept->last_us, time_us, memory_order_relaxed);
}

/* The group of a block, and its samples. */
static struct group *group_of_block(const struct heaptap_pprof *profile, uint64_t block,
                                    uint64_t *samples)
{
    struct group *group = group_at(profile, (uint32_t)(block >> BLOCK_SAMPLE_BITS));
    *samples = block & BLOCK_SAMPLES_MAX;
    if (*samples == 0)
        *samples = group->length;
    return group;
}

void heaptap_pprof_promote(struct heaptap_pprof *profile, uint64_t block)
{
    uint64_t samples;
    if (!block)
        return;
    struct group *group = group_of_block(profile, block, &samples);
    atomic_fetch_add_explicit(&group->promoted, samples, memory_order_relaxed);
}

void heaptap_pprof_collect(struct heaptap_pprof *profile, int64_t time_us, uint64_t block)
{
    uint64_t samples;
    if (!block)
        return;
    struct group *group = group_of_block(profile, block, &samples);
    atomic_fetch_add_explicit(&group->collected_at, samples * since_start(profile, time_us),
                              memory_order_relaxed);
    atomic_fetch_add_explicit(&group->collected, samples, memory_order_release);
}
