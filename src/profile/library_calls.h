/* What functions without a name call.  Of a program without symbols, reports on places name "jq+0x24a0": the library function that
 * it calls there, jv_parse, says more, where the library's exported names are known. */
#ifndef PROFILE_LIBRARY_CALLS_H
#define PROFILE_LIBRARY_CALLS_H

#include "profile/library_ends.h"

/* Zeroed, there are none. */
struct library_calls {
    struct map by_caller; /* the nameless function's name -> index into callers */
    struct library_caller *callers;
    size_t caller_count, caller_capacity;
    struct map by_pair; /* both names -> index into pairs */
    struct library_pair *pairs;
    size_t pair_count, pair_capacity;
};

/* Counts a stack of which `weight` comes, and whose outer end is known; `all` has all locations of the frames.  False when there is
 * no memory; release it in either case. */
bool library_calls_add(struct library_calls *calls, const struct library_ends *ends,
                       const struct frame_source *all, const struct stack_trie *trie,
                       uint32_t stack, double weight);
void library_calls_release(struct library_calls *calls);

/* What a function itself calls, of several the one that most comes through: nothing where most comes through none, as of what it
 * allocates by itself.  It goes by `function` as the locations of its frames have it, not by the text.  `calls` may be NULL. */
struct symbol_call library_calls_of(const struct library_calls *calls, const char *function);

#endif
