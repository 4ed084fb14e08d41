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

bool stack_profile_add(struct stack_profile *profile, const struct heaptap_event *event)
{
    struct stack_trie *trie = &profile->trie;
    uint32_t node = stack_paths_follow(&profile->paths, trie, event);
    if (node == STACK_NONE)
        return false;
    uint32_t stack = trie->nodes[node].stack;
    if (stack == STACK_NONE) {
        if (!ARRAY_RESERVE(&profile->tallies, &profile->capacity, trie->stack_count + 1))
            return false;
        stack = stack_trie_add_stack(trie, node);
        if (stack == STACK_NONE)
            return false;
        profile->tallies[stack] = (struct stack_tally){0};
    }
    struct stack_tally *tally = &profile->tallies[stack];
    double words = (double)event->length + profile->estimate.header_words;
    tally->events++;
    tally->samples += event->samples;
    tally->density += words > 0 ? (double)event->samples / words : (double)event->samples;
    return true;
}

void stack_profile_finish(struct stack_profile *profile)
{
    stack_paths_release(&profile->paths);
    profile->total = (struct stack_tally){0};
    for (size_t i = 0; i < profile->trie.stack_count; i++)
        stack_tally_sum(&profile->total, &profile->tallies[i]);
}
