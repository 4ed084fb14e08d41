/* What a selection makes of one stack, of which a test knows the frames. */
#ifndef TESTS_STACK_VALUE_H
#define TESTS_STACK_VALUE_H

#include "profile/stack_profile.h"

static inline bool stack_has_frames(const struct stack_trie *trie, uint32_t stack,
                                    const uint32_t *frames, uint32_t length)
{
    uint32_t node = trie->ends[stack];
    for (; length > 0 && node != STACK_ROOT && trie->nodes[node].frame == frames[length - 1];
         node = trie->nodes[node].parent)
        length--;
    return length == 0 && node == STACK_ROOT;
}

/* The value of the stack of these frames, callers first; 0 where there is none. */
static inline double stack_value(const struct stack_profile *profile, const uint32_t *frames,
                                 uint32_t length)
{
    for (uint32_t i = 0; i < profile->trie.stack_count; i++)
        if (stack_has_frames(&profile->trie, i, frames, length))
            return profile->tallies[i].value;
    return 0;
}

#endif
