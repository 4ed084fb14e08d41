#include "profile/library_ends.h"

#include <stdlib.h>
#include <string.h>

/* ---- Which frames --------------------------------------------------------------------- */

bool library_ends_init(struct library_ends *ends, size_t frame_count)
{
    *ends = (struct library_ends){.inner = calloc(frame_count + 1, sizeof *ends->inner),
                                  .is_all = calloc(frame_count + 1, sizeof *ends->is_all),
                                  .is_taken = calloc(frame_count + 1, sizeof *ends->is_taken)};
    if (ends->inner && ends->is_all && ends->is_taken)
        return true;
    library_ends_release(ends);
    return false;
}

void library_ends_release(struct library_ends *ends)
{
    free(ends->inner);
    free(ends->is_all);
    free(ends->is_taken);
    *ends = (struct library_ends){0};
}

/* How many at the inner end are a library's. */
static uint32_t count_inner(const struct heaptap_location *locations, size_t count)
{
    uint32_t inner = 0;
    while (inner < count && library_is_place(&locations[count - 1 - inner]))
        inner++;
    return inner;
}

static void find(struct library_ends *ends, const struct frame_source *source)
{
    for (uint32_t frame = 0; frame < source->frame_count; frame++) {
        size_t count;
        const struct heaptap_location *all = source->locations(source->context, frame, &count);
        bool is_type = count == 1 && library_is_type(all);
        uint32_t inner = count_inner(all, count);
        ends->inner[frame] = is_type ? 0 : inner;
        ends->is_all[frame] = count > 0 && inner == count;
    }
}

/* ---- Stacks --------------------------------------------------------------------------- */

static uint32_t leave(const struct library_ends *ends, const struct stack_trie *trie, uint32_t end,
                      bool types_alone)
{
    uint32_t node = end;
    while (node != STACK_ROOT && ends->is_all[trie->nodes[node].frame] &&
           !(types_alone && ends->inner[trie->nodes[node].frame] > 0))
        node = trie->nodes[node].parent;
    return node == STACK_ROOT ? end : node;
}

uint32_t library_outer_end(const struct library_ends *ends, const struct stack_trie *trie,
                           uint32_t end)
{
    uint32_t outer = leave(ends, trie, end, false);
    return outer == end ? leave(ends, trie, end, true) : outer;
}

void library_ends_count(struct library_ends *ends, const struct stack_trie *trie, uint32_t end,
                        const struct stack_tally *tally)
{
    uint32_t outer = library_outer_end(ends, trie, end);
    bool is_shorter = false;
    for (uint32_t node = end; node != outer; node = trie->nodes[node].parent) {
        uint32_t frame = trie->nodes[node].frame;
        ends->is_taken[frame] = true;
        is_shorter |= ends->inner[frame] > 0;
    }
    if (outer != STACK_ROOT) {
        uint32_t frame = trie->nodes[outer].frame;
        bool is_trimmed = ends->inner[frame] > 0 && !ends->is_all[frame];
        ends->is_taken[frame] |= is_trimmed;
        is_shorter |= is_trimmed;
    }
    if (is_shorter)
        stack_tally_sum(&ends->tally, tally);
}

bool library_ends_sum(const struct library_ends *ends, const struct frame_source *all,
                      struct library_hidden *hidden)
{
    struct names functions = {0};
    bool done = true;
    for (uint32_t frame = 0; done && frame < all->frame_count; frame++) {
        size_t count = 0;
        const struct heaptap_location *locations =
            ends->is_taken[frame] ? all->locations(all->context, frame, &count) : NULL;
        for (uint32_t i = 0; done && i < ends->inner[frame] && i < count; i++) {
            const char *function = locations[count - 1 - i].function;
            done = names_intern(&functions, function, strlen(function));
        }
    }
    *hidden = (struct library_hidden){ends->tally, functions.count};
    names_release(&functions);
    return done;
}

/* ---- A profile ------------------------------------------------------------------------ */

/* Numbers the stacks again as they are met: a model's stacks, edited by a filter, are in that order, and sites of one
 * weight stand in it.  A number is never above the one that its stack had, so tallies move in place. */
static bool move_tallies(struct stack_profile *profile, struct library_ends *ends)
{
    struct stack_trie *trie = &profile->trie;
    size_t count = trie->stack_count;
    for (size_t i = 0; i < count; i++)
        trie->links[trie->ends[i]].stack = STACK_NONE;
    trie->stack_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct stack_tally tally = profile->tallies[i];
        size_t before = trie->stack_count;
        library_ends_count(ends, trie, trie->ends[i], &tally);
        uint32_t stack = stack_trie_stack(trie, library_outer_end(ends, trie, trie->ends[i]));
        if (stack == STACK_NONE)
            return false;
        if (stack == before)
            profile->tallies[stack] = (struct stack_tally){0};
        stack_tally_sum(&profile->tallies[stack], &tally);
    }
    return true;
}

bool library_take_off(struct stack_profile *profile, const struct frame_source *source,
                      struct library_hidden *hidden)
{
    struct library_ends ends;
    if (!library_ends_init(&ends, source->frame_count))
        return false;
    find(&ends, source);
    bool done = move_tallies(profile, &ends) && library_ends_sum(&ends, source, hidden);
    library_ends_release(&ends);
    return done;
}

static const struct heaptap_location *shortened(void *context, uint32_t frame, size_t *count)
{
    const struct frame_source *source = context;
    size_t all;
    const struct heaptap_location *locations = source->locations(source->context, frame, &all);
    size_t inner = count_inner(locations, all);
    *count = inner < all ? all - inner : all;
    return locations;
}

static uint64_t code_of(void *context, uint32_t frame)
{
    const struct frame_source *source = context;
    return source->code(source->context, frame);
}

struct frame_source library_hidden_frames(const struct frame_source *source)
{
    return (struct frame_source){shortened, code_of, source->frame_count, (void *)source};
}
