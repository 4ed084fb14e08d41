#include "profile/library_ends.h"

#include <stdlib.h>
#include <string.h>

/* ---- Which frames --------------------------------------------------------------------- */

bool library_ends_init(struct library_ends *ends, size_t frame_count)
{
    *ends = (struct library_ends){.inner = calloc(frame_count + 1, sizeof *ends->inner),
                                  .ends = calloc(frame_count + 1, sizeof *ends->ends),
                                  .is_taken = calloc(frame_count + 1, sizeof *ends->is_taken)};
    if (ends->inner && ends->ends && ends->is_taken)
        return true;
    library_ends_release(ends);
    return false;
}

void library_ends_release(struct library_ends *ends)
{
    free(ends->inner);
    free(ends->ends);
    free(ends->is_taken);
    *ends = (struct library_ends){0};
}

/* "postgres+0x5f32a0": a place in a module, no name. */
static bool is_offset(const char *function)
{
    const char *plus = strrchr(function, '+');
    return plus && strncmp(plus, "+0x", 3) == 0 &&
           plus[3 + strspn(plus + 3, "0123456789abcdef")] == 0;
}

bool library_is_nameless(const struct heaptap_location *locations, size_t count)
{
    return count == 1 && is_offset(locations->function);
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

static const char *module_of(const struct frame_source *source, uint32_t frame)
{
    return source->module ? source->module(source->context, frame) : NULL;
}

/* How many at the inner end are a library's; `*end` is what that comes to. */
static uint32_t count_inner(const struct frame_source *source,
                            const struct library_program *program, uint32_t frame,
                            const struct heaptap_location *locations, size_t count,
                            enum library_end *end)
{
    const char *module = module_of(source, frame);
    enum library_kind kind = LIBRARY_CODE, least = LIBRARY_CODE;
    uint32_t left = (uint32_t)count;
    for (; left > 0 && kind != LIBRARY_NONE; left -= kind != LIBRARY_NONE) {
        kind = library_kind_of(program, module, &locations[left - 1]);
        least = kind < least ? kind : least;
    }
    *end = library_end_of(program, locations, count,
                          count > 0 ? least : library_kind_of(program, module, NULL));
    return (uint32_t)count - left;
}

static void find(struct library_ends *ends, const struct frame_source *source)
{
    struct library_program program = library_program_of(source);
    for (uint32_t frame = 0; frame < source->frame_count; frame++) {
        size_t count;
        const struct heaptap_location *all = source->locations(source->context, frame, &count);
        bool is_type = count == 1 && library_is_type(all);
        if (is_type)
            ends->ends[frame] = LIBRARY_END_TYPE;
        else
            ends->inner[frame] =
                count_inner(source, &program, frame, all, count, &ends->ends[frame]);
    }
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

void library_ends_count(struct library_ends *ends, const struct stack_trie *trie, uint32_t end,
                        const struct stack_tally *tally)
{
    uint32_t outer = library_outer_end(ends, trie, end);
    bool is_shorter = false;
    for (uint32_t node = end; node != outer; node = trie->nodes[node].parent) {
        uint32_t frame = trie->nodes[node].frame;
        ends->is_taken[frame] = true;
        is_shorter |= ends->ends[frame] != LIBRARY_END_TYPE;
    }
    if (outer != STACK_ROOT) {
        uint32_t frame = trie->nodes[outer].frame;
        bool is_trimmed = ends->inner[frame] > 0 && ends->ends[frame] < LIBRARY_END_SHARED;
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
    size_t unknown = 0;
    bool done = true;
    for (uint32_t frame = 0; done && frame < all->frame_count; frame++) {
        size_t count = 0;
        const struct heaptap_location *locations =
            ends->is_taken[frame] ? all->locations(all->context, frame, &count) : NULL;
        size_t inner = ends->ends[frame] == LIBRARY_END_NAMELESS ? count : ends->inner[frame];
        unknown += ends->is_taken[frame] && count == 0 && ends->ends[frame] != LIBRARY_END_TYPE;
        for (size_t i = 0; done && i < inner && i < count; i++) {
            const char *function = locations[count - 1 - i].function;
            done = names_intern(&functions, function, strlen(function));
        }
    }
    *hidden = (struct library_hidden){ends->tally, functions.count + unknown};
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
    const struct library_frames *frames = context;
    const struct frame_source *source = frames->all;
    size_t all;
    enum library_end end;
    const struct heaptap_location *locations = source->locations(source->context, frame, &all);
    size_t inner = count_inner(source, &frames->program, frame, locations, all, &end);
    *count = inner < all ? all - inner : all;
    return locations;
}

static uint64_t code_of(void *context, uint32_t frame)
{
    const struct library_frames *frames = context;
    return frames->all->code(frames->all->context, frame);
}

static const char *module_of_shortened(void *context, uint32_t frame)
{
    const struct library_frames *frames = context;
    return module_of(frames->all, frame);
}

struct frame_source library_hidden_frames(struct library_frames *frames,
                                          const struct frame_source *source)
{
    *frames = (struct library_frames){source, library_program_of(source)};
    return (struct frame_source){.locations = shortened,
                                 .code = code_of,
                                 .frame_count = source->frame_count,
                                 .context = frames,
                                 .module = module_of_shortened,
                                 .program = source->program,
                                 .wrappers = source->wrappers};
}
