#include <stdlib.h>

#include "pprof/read/profile.h"
#include "profile/wrappers.h"

/* The node at which a sample's stack ends; STACK_NONE when there is no memory. */
static uint32_t node_of(struct stack_trie *trie, const struct pprof *pprof, size_t sample)
{
    uint32_t node = STACK_ROOT;
    size_t first = pprof->first_frame[sample];
    for (size_t i = pprof->first_frame[sample + 1]; i-- > first && node != STACK_NONE;)
        node = stack_trie_child(trie, node, pprof->frames[i]);
    return node;
}

bool pprof_stacks(struct stack_profile *profile, const struct pprof *pprof, size_t type)
{
    struct stack_measure measure = {pprof->types[type].name, pprof->types[type].unit};
    if (!stack_profile_init_values(profile, &measure))
        return false;
    for (size_t i = 0; i < pprof->sample_count; i++) {
        int64_t value = pprof->values[i * pprof->type_count + type];
        if (value == 0)
            continue;
        uint32_t node = node_of(&profile->trie, pprof, i);
        if (node == STACK_NONE || !stack_profile_add_value(profile, node, value)) {
            stack_profile_release(profile);
            return false;
        }
    }
    stack_profile_finish(profile);
    return true;
}

static bool add_uses(struct wrapper_use *uses, struct stack_trie *trie, const struct pprof *pprof,
                     long objects, long bytes)
{
    for (size_t i = 0; i < pprof->sample_count; i++) {
        const int64_t *values = pprof->values + i * pprof->type_count;
        if (values[objects] <= 0 || values[bytes] <= 0)
            continue;
        uint32_t node = node_of(trie, pprof, i);
        uint32_t stack = node == STACK_NONE ? STACK_NONE : stack_trie_stack(trie, node);
        if (stack == STACK_NONE)
            return false;
        uses[stack].blocks += (double)values[objects];
        uses[stack].size += (double)values[bytes];
    }
    return true;
}

bool pprof_find_wrappers(struct wrappers *wrappers, struct stack_profile *profile,
                         const struct pprof *pprof, const struct frame_source *frames)
{
    long objects = pprof_find_type(pprof, "alloc_objects");
    long bytes = pprof_find_type(pprof, "alloc_space");
    if (objects < 0 || bytes < 0)
        return true;
    struct wrapper_use *uses = calloc(pprof->sample_count + 1, sizeof *uses);
    bool done = uses && add_uses(uses, &profile->trie, pprof, objects, bytes);
    for (size_t i = 0; done && i < profile->trie.stack_count; i++)
        if (uses[i].blocks > 0)
            uses[i].size /= uses[i].blocks;
    done = done && wrappers_find(wrappers, &profile->trie, uses, frames);
    free(uses);
    return done;
}

static const struct heaptap_location *locations_of(void *context, uint32_t frame, size_t *count)
{
    const struct pprof *pprof = context;
    const struct pprof_location *location = &pprof->locations[frame];
    *count = location->line_count;
    return location->line_count > 0 ? pprof->lines + location->first_line : NULL;
}

static uint64_t code_of(void *context, uint32_t frame)
{
    const struct pprof *pprof = context;
    const struct pprof_location *location = &pprof->locations[frame];
    return location->address ? location->address : location->id;
}

static const char *module_of(void *context, uint32_t frame)
{
    const struct pprof *pprof = context;
    uint32_t mapping = pprof->locations[frame].mapping;
    return mapping == PPROF_NONE ? NULL : pprof->mappings[mapping].file;
}

struct frame_source pprof_frames(const struct pprof *pprof)
{
    return (struct frame_source){.locations = locations_of,
                                 .code = code_of,
                                 .frame_count = (uint32_t)pprof->location_count,
                                 .context = (void *)pprof,
                                 .module = module_of,
                                 .program =
                                     pprof->mapping_count > 0 ? pprof->mappings[0].file : NULL};
}
