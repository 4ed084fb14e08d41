#include "report/comparison.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* ---- Frames of both ---------------------------------------------------------------------- */

static const struct frame_source *source_of(const struct comparison *comparison, uint32_t *frame)
{
    bool is_base = *frame >= comparison->split;
    *frame -= is_base ? comparison->split : 0;
    return comparison->sources[is_base];
}

/* Texts of the base's modules are those of the newer one's. */
static const char *module_path(struct comparison *comparison, const struct frame_source *source,
                               const char *path)
{
    bool is_base = path && source == comparison->sources[1];
    return is_base ? module_twins_of(&comparison->modules[0], &comparison->modules[1], path) : path;
}

/* The same of the base's source files. */
static const char *file_of(struct comparison *comparison, const struct frame_source *source,
                           const struct heaptap_location *location, const char *module)
{
    if (!location->file || source != comparison->sources[1])
        return location->file;
    if (module && strcmp(location->file, module) == 0)
        return module_path(comparison, source, module);
    return source_twins_of(&comparison->files[0], &comparison->files[1],
                           location->function ? location->function : "", location->file);
}

/* The one copy of a text; without memory, the text as it is: it is only told apart from its like.
 */
static const char *shared_text(struct comparison *comparison, const char *text)
{
    const char *shared = text ? names_copy(&comparison->names, text) : NULL;
    return shared ? shared : text;
}

static const struct heaptap_location *locations_of(void *context, uint32_t frame, size_t *count)
{
    struct comparison *comparison = context;
    const struct frame_source *source = source_of(comparison, &frame);
    const char *module = source->module ? source->module(source->context, frame) : NULL;
    const struct heaptap_location *from = source->locations(source->context, frame, count);
    if (!ARRAY_RESERVE(&comparison->locations, &comparison->location_capacity, *count + 1))
        *count = 0;
    for (size_t i = 0; i < *count; i++) {
        comparison->locations[i] = from[i];
        comparison->locations[i].function = shared_text(comparison, from[i].function);
        comparison->locations[i].file =
            shared_text(comparison, file_of(comparison, source, &from[i], module));
    }
    return comparison->locations;
}

static uint64_t code_of(void *context, uint32_t frame)
{
    const struct frame_source *source = source_of(context, &frame);
    return source->code(source->context, frame);
}

static const char *module_of(void *context, uint32_t frame)
{
    const struct frame_source *source = source_of(context, &frame);
    const char *module = source->module ? source->module(source->context, frame) : NULL;
    return shared_text(context, module_path(context, source, module));
}

/* ---- Stacks of both ---------------------------------------------------------------------- */

/* Adds the stacks of a profile, whose frames are numbered from `first_frame` on here; `*ends` has
 * the number of each here, the caller's to free. */
static bool add_stacks(struct stack_trie *trie, const struct stack_trie *from, uint32_t first_frame,
                       uint32_t **ends)
{
    uint32_t *nodes = malloc(from->count * sizeof *nodes);
    *ends = malloc((from->stack_count + 1) * sizeof **ends);
    bool done = nodes && *ends;
    if (done)
        nodes[STACK_ROOT] = STACK_ROOT;
    for (uint32_t node = 1; done && node < from->count; node++) {
        const struct stack_node *at = &from->nodes[node];
        nodes[node] = stack_trie_child(trie, nodes[at->parent], first_frame + at->frame);
        done = nodes[node] != STACK_NONE;
    }
    for (size_t i = 0; done && i < from->stack_count; i++) {
        (*ends)[i] = stack_trie_stack(trie, nodes[from->ends[i]]);
        done = (*ends)[i] != STACK_NONE;
    }
    free(nodes);
    return done;
}

static bool fill(struct stack_profile *profile, const struct stack_profile *from,
                 const uint32_t *ends, size_t stacks)
{
    profile->tallies = calloc(stacks + 1, sizeof *profile->tallies);
    if (!profile->tallies)
        return false;
    for (size_t i = 0; i < from->trie.stack_count; i++)
        stack_tally_sum(&profile->tallies[ends[i]], &from->tallies[i]);
    return true;
}

static bool join(struct comparison *comparison, const struct selection *now,
                 const struct selection *before)
{
    uint32_t *now_ends = NULL, *before_ends = NULL;
    struct stack_trie *trie = &comparison->now.trie;
    bool done = stack_trie_init(trie) && add_stacks(trie, &now->profile.trie, 0, &now_ends) &&
                add_stacks(trie, &before->profile.trie, comparison->split, &before_ends) &&
                fill(&comparison->now, &now->profile, now_ends, trie->stack_count) &&
                fill(&comparison->before, &before->profile, before_ends, trie->stack_count);
    free(now_ends);
    free(before_ends);
    comparison->before.trie = *trie;
    return done;
}

bool comparison_init(struct comparison *comparison, const struct selection *now,
                     const struct selection *before)
{
    *comparison = (struct comparison){
        .now = {.estimate = now->profile.estimate, .measure = now->profile.measure},
        .before = {.estimate = before->profile.estimate, .measure = now->profile.measure},
        .sources = {&now->frames, &before->frames},
        .split = now->frames.frame_count,
    };
    comparison->frames =
        (struct frame_source){.locations = locations_of,
                              .code = code_of,
                              .frame_count = comparison->split + before->frames.frame_count,
                              .context = comparison,
                              .module = module_of,
                              .program = now->frames.program,
                              .is_nameless_runtime = now->frames.is_nameless_runtime,
                              .tells_codes = now->frames.tells_codes};
    if (!module_twins_add(&comparison->modules[0], &now->frames) ||
        !module_twins_add(&comparison->modules[1], &before->frames) ||
        !source_twins_add_frames(&comparison->files[0], &now->frames) ||
        !source_twins_add_frames(&comparison->files[1], &before->frames) ||
        !join(comparison, now, before)) {
        comparison_release(comparison);
        return false;
    }
    stack_profile_finish(&comparison->now);
    stack_profile_finish(&comparison->before);
    return true;
}

void comparison_release(struct comparison *comparison)
{
    comparison->before.trie = (struct stack_trie){0};
    stack_profile_release(&comparison->before);
    stack_profile_release(&comparison->now);
    for (int i = 0; i < 2; i++) {
        module_twins_release(&comparison->modules[i]);
        source_twins_release(&comparison->files[i]);
    }
    names_release(&comparison->names);
    free(comparison->locations);
    *comparison = (struct comparison){0};
}
