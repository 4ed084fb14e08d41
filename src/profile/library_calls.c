#include "profile/library_calls.h"

#include <stdlib.h>

#include "base/array.h"

struct library_caller {
    double weight; /* of all that comes through it */
    uint32_t
        most; /* of its pairs, index of that with the most; NO_PAIR where it calls nothing with a name */
};

struct library_pair {
    const char *function, *file; /* what is called */
    double weight;
};

enum { NO_PAIR = UINT32_MAX };

static const double nearly_all =
    0.9; /* of a function: where one call has as much, others are not mentioned */

static uint64_t key_of(const char *name)
{
    return (uint64_t)(uintptr_t)name;
}

/* ---- Stacks --------------------------------------------------------------------------- */

/* The outermost location of a frame; NULL where it has no name. */
static const struct heaptap_location *named(const struct library_ends *ends,
                                            const struct frame_source *all, uint32_t frame)
{
    size_t count;
    const struct heaptap_location *locations = all->locations(all->context, frame, &count);
    bool has_name = count > 0 && ends->ends[frame] != LIBRARY_END_TYPE &&
                    !library_is_nameless(locations, count);
    return has_name ? locations : NULL;
}

/* The node below `outer` that is the nearest to it and has a name; STACK_ROOT where none has. */
static uint32_t nearest_named(const struct library_ends *ends, const struct frame_source *all,
                              const struct stack_trie *trie, uint32_t end, uint32_t outer)
{
    uint32_t nearest = STACK_ROOT;
    for (uint32_t node = end; node != outer; node = trie->nodes[node].parent)
        if (named(ends, all, trie->nodes[node].frame))
            nearest = node;
    return nearest;
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
        calls->callers[calls->caller_count++] = (struct library_caller){.most = NO_PAIR};
    return &calls->callers[*index = *number];
}

/* The sum of what it calls; NO_PAIR when there is no memory. */
static uint32_t pair_of(struct library_calls *calls, uint32_t caller,
                        const struct library_pair *called)
{
    bool fresh;
    uint64_t key = map_mix(map_mix(caller, key_of(called->function)), key_of(called->file));
    uint32_t *number = map_put(&calls->by_pair, key, (uint32_t)calls->pair_count, &fresh);
    if (!number || !ARRAY_RESERVE(&calls->pairs, &calls->pair_capacity, calls->pair_count + 1))
        return NO_PAIR;
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
    if (!called->function)
        return true;
    uint32_t pair = pair_of(calls, index, called);
    if (pair == NO_PAIR)
        return false;
    calls->pairs[pair].weight += weight;
    if (caller->most == NO_PAIR || calls->pairs[pair].weight > calls->pairs[caller->most].weight)
        caller->most = pair;
    return true;
}

bool library_calls_add(struct library_calls *calls, const struct library_ends *ends,
                       const struct frame_source *all, const struct stack_trie *trie,
                       uint32_t stack, double weight)
{
    size_t count;
    uint32_t outer = ends->outer[stack], end = trie->ends[stack];
    if (outer == STACK_ROOT || outer == end || weight == 0)
        return true;
    const struct heaptap_location *caller =
        all->locations(all->context, trie->nodes[outer].frame, &count);
    if (!library_is_nameless(caller, count))
        return true;
    struct library_pair called = {0};
    const char *name = caller->function;
    uint32_t node = nearest_named(ends, all, trie, end, outer);
    if (node != STACK_ROOT) {
        const struct heaptap_location *at = named(ends, all, trie->nodes[node].frame);
        called = (struct library_pair){.function = at->function, .file = at->file};
    }
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
    if (!caller || caller->most == NO_PAIR)
        return (struct symbol_call){0};
    const struct library_pair *most = &calls->pairs[caller->most];
    double share = most->weight / caller->weight;
    return (struct symbol_call){most->function, most->file, share, share < nearly_all};
}
