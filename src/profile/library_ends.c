#include "profile/library_ends.h"

#include <stdlib.h>
#include <string.h>

#include "base/affix.h"

/* ---- Which frames --------------------------------------------------------------------- */

bool library_ends_init(struct library_ends *ends, size_t frame_count)
{
    *ends = (struct library_ends){.inner = calloc(frame_count + 1, sizeof *ends->inner),
                                  .ends = calloc(frame_count + 1, sizeof *ends->ends)};
    if (ends->inner && ends->ends)
        return true;
    library_ends_release(ends);
    return false;
}

void library_ends_release(struct library_ends *ends)
{
    free(ends->inner);
    free(ends->ends);
    free(ends->outer);
    *ends = (struct library_ends){0};
}

bool library_is_nameless(const struct heaptap_location *locations, size_t count)
{
    return count == 1 && ends_with_offset(locations->function);
}

enum library_end library_end_of(const struct library_program *program,
                                const struct heaptap_location *locations, size_t count,
                                enum library_kind least)
{
    if (least == LIBRARY_NONE)
        return library_is_nameless(locations, count) ? LIBRARY_END_NAMELESS : LIBRARY_END_KEPT;
    return count > 0 && library_program_is_allocator(program, locations) ? LIBRARY_END_ALLOCATOR
           : least == LIBRARY_SHARED                                     ? LIBRARY_END_SHARED
                                                                         : LIBRARY_END_CODE;
}

/* ---- Stacks --------------------------------------------------------------------------- */

/* The allocator that calls the node, through others without a name; the node itself where none does. */
static uint32_t allocator_above(const struct library_ends *ends, const struct stack_trie *trie,
                                uint32_t node)
{
    uint32_t above = node;
    while (above != STACK_ROOT && ends->ends[trie->nodes[above].frame] == LIBRARY_END_NAMELESS)
        above = trie->nodes[above].parent;
    return above != STACK_ROOT && ends->ends[trie->nodes[above].frame] == LIBRARY_END_ALLOCATOR
               ? above
               : node;
}

/* The node at which a stack ends without frames of at least that; the root where none is left. */
static uint32_t leave(const struct library_ends *ends, const struct stack_trie *trie, uint32_t end,
                      enum library_end least)
{
    uint32_t node = end;
    while (node != STACK_ROOT) {
        uint32_t above = least < LIBRARY_END_TYPE ? allocator_above(ends, trie, node) : node;
        if (above == node && ends->ends[trie->nodes[node].frame] < least)
            break;
        node = trie->nodes[above].parent;
    }
    return node;
}

/* Is it the program's only frame, and without a name?  Then it is the main of a stripped program, as in library_program.c. */
static bool is_bare_main(const struct library_ends *ends, const struct stack_trie *trie,
                         uint32_t node)
{
    return ends->ends[trie->nodes[node].frame] == LIBRARY_END_NAMELESS &&
           leave(ends, trie, trie->nodes[node].parent, LIBRARY_END_SHARED) == STACK_ROOT;
}

uint32_t library_outer_end(const struct library_ends *ends, const struct stack_trie *trie,
                           uint32_t end)
{
    static const enum library_end levels[] = {LIBRARY_END_SHARED, LIBRARY_END_CODE,
                                              LIBRARY_END_TYPE};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        uint32_t node = leave(ends, trie, end, levels[i]);
        bool says_nothing =
            node == STACK_ROOT || (i == 0 && node != end && is_bare_main(ends, trie, node));
        if (!says_nothing)
            return node;
    }
    return end;
}

bool library_taken_init(struct library_taken *taken, size_t frame_count)
{
    *taken = (struct library_taken){.frames = calloc(frame_count + 1, sizeof *taken->frames)};
    return taken->frames;
}

void library_taken_release(struct library_taken *taken)
{
    free(taken->frames);
}

void library_taken_add(struct library_taken *taken, const struct library_ends *ends,
                       const struct stack_trie *trie, uint32_t stack,
                       const struct stack_tally *tally)
{
    uint32_t outer = ends->outer[stack];
    bool is_shorter = false;
    for (uint32_t node = trie->ends[stack]; node != outer; node = trie->nodes[node].parent) {
        uint32_t frame = trie->nodes[node].frame;
        taken->frames[frame] = true;
        is_shorter |= ends->ends[frame] != LIBRARY_END_TYPE;
    }
    if (outer != STACK_ROOT) {
        uint32_t frame = trie->nodes[outer].frame;
        bool is_trimmed = ends->inner[frame] > 0 && ends->ends[frame] < LIBRARY_END_SHARED;
        taken->frames[frame] |= is_trimmed;
        is_shorter |= is_trimmed;
    }
    if (is_shorter)
        stack_tally_sum(&taken->tally, tally);
}

bool library_taken_sum(const struct library_taken *taken, const struct library_ends *ends,
                       const struct frame_source *all, struct library_hidden *hidden)
{
    struct names functions = {0};
    size_t unknown = 0;
    bool done = true;
    for (uint32_t frame = 0; done && frame < all->frame_count; frame++) {
        size_t count = 0;
        const struct heaptap_location *locations =
            taken->frames[frame] ? all->locations(all->context, frame, &count) : NULL;
        size_t inner = ends->ends[frame] == LIBRARY_END_NAMELESS ? count : ends->inner[frame];
        unknown += taken->frames[frame] && count == 0 && ends->ends[frame] != LIBRARY_END_TYPE;
        for (size_t i = 0; done && i < inner && i < count; i++) {
            const char *function = locations[count - 1 - i].function;
            done = names_copy(&functions, function);
        }
    }
    *hidden = (struct library_hidden){taken->tally, functions.count + unknown};
    names_release(&functions);
    return done;
}
