#include "profile/stack_profile.h"

#include <stdlib.h>

#include "base/array.h"

bool stack_profile_init(struct stack_profile *profile, const struct heaptap_trace_info *info)
{
    *profile = (struct stack_profile){.estimate = estimate_of(info)};
    return stack_trie_init(&profile->trie);
}

void stack_profile_release(struct stack_profile *profile)
{
    stack_trie_release(&profile->trie);
    stack_paths_release(&profile->paths);
    free(profile->tallies);
    *profile = (struct stack_profile){0};
}

/* The tally of the stack that ends at `node`; NULL when there is no memory. */
static inline struct stack_tally *tally_at(struct stack_profile *profile, uint32_t node)
{
    struct stack_trie *trie = &profile->trie;
    uint32_t stack = trie->links[node].stack;
    if (stack != STACK_NONE)
        return &profile->tallies[stack];
    if (!ARRAY_RESERVE(&profile->tallies, &profile->capacity, trie->stack_count + 1))
        return NULL;
    stack = stack_trie_add_stack(trie, node);
    if (stack == STACK_NONE)
        return NULL;
    profile->tallies[stack] = (struct stack_tally){0};
    return &profile->tallies[stack];
}

bool stack_profile_add(struct stack_profile *profile, const struct heaptap_event *event)
{
    uint32_t node = stack_paths_follow(&profile->paths, &profile->trie, event);
    struct stack_tally *tally = node == STACK_NONE ? NULL : tally_at(profile, node);
    if (!tally)
        return false;
    double words = (double)event->length + profile->estimate.header_words;
    estimate_see(&profile->estimate, event->length);
    tally->events++;
    tally->samples += event->samples;
    words = words > 0 ? words : 1;
    tally->seen_words += estimate_seen_words(&profile->estimate, event->length, event->source);
    tally->density += (double)event->samples / words;
    tally->squares += (double)event->samples / (words * words);
    return true;
}

bool stack_profile_init_values(struct stack_profile *profile, const struct stack_measure *measure)
{
    *profile = (struct stack_profile){.estimate = {1, 1, 1, 0, 0, 0}, .measure = *measure};
    return stack_trie_init(&profile->trie);
}

bool stack_profile_add_value(struct stack_profile *profile, uint32_t node, int64_t value)
{
    struct stack_tally *tally = tally_at(profile, node);
    if (!tally)
        return false;
    tally->events++;
    tally->samples++;
    tally->value += (double)value;
    return true;
}

void stack_profile_finish(struct stack_profile *profile)
{
    stack_paths_release(&profile->paths);
    profile->total = (struct stack_tally){0};
    for (size_t i = 0; i < profile->trie.stack_count; i++)
        stack_tally_sum(&profile->total, &profile->tallies[i]);
}

bool *stack_profile_nodes(const struct stack_profile *profile)
{
    const struct stack_trie *trie = &profile->trie;
    bool *needed = calloc(trie->count, sizeof *needed);
    for (size_t i = 0; needed && i < trie->stack_count; i++) {
        if (profile->tallies[i].events == 0)
            continue;
        for (uint32_t node = trie->ends[i]; node != STACK_ROOT && !needed[node];
             node = trie->nodes[node].parent)
            needed[node] = true;
    }
    return needed;
}
