#include "profile/library_calls.h"

#include <stdlib.h>

#include "base/array.h"

struct library_caller {
    double weight; /* of all that comes through it */
    uint32_t most; /* of its pairs, index of that with the most; no_pair before the first */
};

struct library_pair {
    const char *function, *file; /* what is called; of a function without a name only the file; both
                                    NULL where it allocates by itself */
    double weight;
};

static const uint32_t no_pair = UINT32_MAX;

static const double nearly_all =
    0.9; /* of a function: where one call has as much, others are not mentioned */

static uint64_t key_of(const char *name)
{
    return (uint64_t)(uintptr_t)name;
}

/* ---- Stacks --------------------------------------------------------------------------- */

/* What the function at `outer` calls on the way to `end`: what that calls in turn is not called by it, though it may be the first
 * with a name. */
static struct library_pair called_by(uint32_t outer, uint32_t end, const struct library_ends *ends,
                                     const struct frame_source *all, const struct stack_trie *trie)
{
    size_t count;
    uint32_t node = end;
    while (node != outer && trie->nodes[node].parent != outer)
        node = trie->nodes[node].parent;
    uint32_t frame = trie->nodes[node].frame;
    if (node == outer || ends->ends[frame] == LIBRARY_END_TYPE)
        return (struct library_pair){0};
    const struct heaptap_location *at = all->locations(all->context, frame, &count);
    if (count == 0)
        return (struct library_pair){0};
    return (struct library_pair){.function = library_is_nameless(at, count) ? NULL : at->function,
                                 .file = at->file};
}

/* ---- Sums ----------------------------------------------------------------------------- */

/* The sums of a nameless function; NULL when there is no memory. */
static struct library_caller *caller_of(struct library_calls *calls, const char *name,
                                        uint32_t *index)
{
    bool fresh;
    uint32_t *number =
        map_put(&calls->by_caller, key_of(name), (uint32_t)calls->caller_count, &fresh);
    if (!number ||
        !ARRAY_RESERVE(&calls->callers, &calls->caller_capacity, calls->caller_count + 1))
        return NULL;
    if (fresh)
        calls->callers[calls->caller_count++] = (struct library_caller){.most = no_pair};
    return &calls->callers[*index = *number];
}

/* The sum of what it calls; no_pair when there is no memory. */
static uint32_t pair_of(struct library_calls *calls, uint32_t caller,
                        const struct library_pair *called)
{
    bool fresh;
    uint64_t key = map_mix(map_mix(caller, key_of(called->function)), key_of(called->file));
    uint32_t *number = map_put(&calls->by_pair, key, (uint32_t)calls->pair_count, &fresh);
    if (!number || !ARRAY_RESERVE(&calls->pairs, &calls->pair_capacity, calls->pair_count + 1))
        return no_pair;
    if (fresh)
        calls->pairs[calls->pair_count++] = *called;
    return *number;
}

/* False when there is no memory. */
static bool add_call(struct library_calls *calls, const char *name,
                     const struct library_pair *called, double weight)
{
    uint32_t index;
    struct library_caller *caller = caller_of(calls, name, &index);
    if (!caller)
        return false;
    caller->weight += weight;
    uint32_t pair = pair_of(calls, index, called);
    if (pair == no_pair)
        return false;
    calls->pairs[pair].weight += weight;
    if (caller->most == no_pair || calls->pairs[pair].weight > calls->pairs[caller->most].weight)
        caller->most = pair;
    return true;
}

bool library_calls_add(struct library_calls *calls, const struct library_ends *ends,
                       const struct frame_source *all, const struct stack_trie *trie,
                       uint32_t stack, double weight)
{
    size_t count;
    uint32_t outer = ends->outer[stack], end = trie->ends[stack];
    if (outer == STACK_ROOT || weight == 0)
        return true;
    const struct heaptap_location *caller =
        all->locations(all->context, trie->nodes[outer].frame, &count);
    if (!library_is_nameless(caller, count))
        return true;
    const char *name = caller->function, *file = caller->file;
    struct library_pair called = called_by(outer, end, ends, all, trie);
    if (!called.function && called.file == file) /* of its own library: it says nothing new */
        called.file = NULL;
    return add_call(calls, name, &called, weight);
}

void library_calls_release(struct library_calls *calls)
{
    map_release(&calls->by_caller);
    map_release(&calls->by_pair);
    free(calls->callers);
    free(calls->pairs);
    *calls = (struct library_calls){0};
}

struct symbol_call library_calls_of(const struct library_calls *calls, const char *function)
{
    const uint32_t *index =
        calls && function ? map_find(&calls->by_caller, key_of(function)) : NULL;
    const struct library_caller *caller = index ? &calls->callers[*index] : NULL;
    if (!caller || caller->most == no_pair)
        return (struct symbol_call){0};
    const struct library_pair *most = &calls->pairs[caller->most];
    double share = most->weight / caller->weight;
    return (struct symbol_call){most->function, most->file, share, share < nearly_all};
}
