#include "profile/guest_profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/library.h"
#include "profile/matcher.h"

void guest_tally_add(struct guest_tally *to, const struct guest_tally *from)
{
    to->allocated += from->allocated;
    to->bytes += from->bytes;
    to->samples += from->samples;
    to->start_allocated += from->start_allocated;
    to->start_bytes += from->start_bytes;
    to->resized += from->resized;
    to->left += from->left;
    to->freed += from->freed;
    to->live += from->live;
    to->live_bytes += from->live_bytes;
    to->peak_bytes += from->peak_bytes;
    to->promoted += from->promoted;
    to->promoted_bytes += from->promoted_bytes;
    to->temporary += from->temporary;
    to->age_sum += from->age_sum;
    to->live_age_sum += from->live_age_sum;
}

/* ---- Places and types ---------------------------------------------------------------- */

static uint32_t add_frame(struct guest_profile *profile, const char *file, const char *function,
                          uint32_t line)
{
    struct heaptap_location location = {.file = file, .function = function, .line = line};
    struct model *model = profile->model;
    return model_add_frame(model, model->frame_count, MODEL_NONE, &location, 1);
}

/* A type, and the frame that stands for it. */
static bool add_type(struct guest_profile *profile, const char *name)
{
    size_t number = profile->model->type_count;
    uint32_t frame = add_frame(profile, GUEST_TYPE_FILE, name, 0);
    if (frame == MODEL_NONE ||
        !ARRAY_RESERVE(&profile->type_frames, &profile->type_frame_capacity, number + 1) ||
        !model_add_type(profile->model, frame, name))
        return false;
    profile->type_frames[number] = frame;
    return true;
}

bool guest_profile_init(struct guest_profile *profile)
{
    struct model *model = model_new(MODEL_SAMPLES);
    *profile = (struct guest_profile){.model = model};
    if (model && model_add_value_type(model, "inuse_objects", "count") &&
        model_add_value_type(model, "inuse_space", "bytes") &&
        model_add_value_type(model, "alloc_objects", "count") &&
        model_add_value_type(model, "alloc_space", "bytes") &&
        add_frame(profile, "(no location)", "(no location)", 0) != MODEL_NONE &&
        add_type(profile, "(untyped)"))
        return true;
    guest_profile_release(profile);
    return false;
}

void guest_profile_release(struct guest_profile *profile)
{
    free(profile->heaps);
    free(profile->type_frames);
    free(profile->rows);
    free(profile->stack_passes);
    free(profile->notes);
    map_release(&profile->by_site);
    model_free(profile->model);
    *profile = (struct guest_profile){0};
}

const char *guest_profile_name(struct guest_profile *profile, const char *text)
{
    return text && *text ? model_text(profile->model, text) : NULL;
}

struct guest_site guest_profile_place(const struct guest_profile *profile, uint32_t site)
{
    const struct model *model = profile->model;
    const struct heaptap_location *it = &model->lines[model->frames[site].first_line];
    if (site == 0)
        return (struct guest_site){0};
    return (struct guest_site){*it->file ? it->file : NULL, *it->function ? it->function : NULL,
                               it->line};
}

static bool same_site(const struct guest_site *a, const struct guest_site *b)
{
    return a->file == b->file && a->function == b->function && a->line == b->line;
}

uint32_t guest_profile_site(struct guest_profile *profile, const char *file, const char *function,
                            uint32_t line)
{
    struct guest_site site = {guest_profile_name(profile, file),
                              guest_profile_name(profile, function), line};
    bool fresh;
    if (!site.file && !site.function && !site.line)
        return 0;
    uint64_t key =
        (uint64_t)(uintptr_t)site.file * 31 + (uint64_t)(uintptr_t)site.function * 17 + site.line;
    for (;; key = key * 0x9E3779B97F4A7C15u + 1) {
        uint32_t *found =
            map_put(&profile->by_site, key, (uint32_t)profile->model->frame_count, &fresh);
        if (!found || (fresh && add_frame(profile, site.file ? site.file : "",
                                          site.function ? site.function : "", line) == MODEL_NONE))
            return UINT32_MAX;
        struct guest_site there = guest_profile_place(profile, *found);
        if (same_site(&there, &site))
            return *found;
    }
}

uint32_t guest_profile_type(struct guest_profile *profile, const char *name)
{
    const char *interned = guest_profile_name(profile, name);
    const struct model *model = profile->model;
    if (!interned)
        return 0;
    for (size_t i = 1; i < model->type_count; i++)
        if (model->types[i] == interned)
            return (uint32_t)i;
    return add_type(profile, interned) ? (uint32_t)model->type_count - 1 : UINT32_MAX;
}

/* ---- Rows ---------------------------------------------------------------------------- */

/* The stack of a place and a type; what has no place ends below the frame that says so. */
static uint32_t stack_of(struct guest_profile *profile, uint32_t node, uint32_t type)
{
    struct stack_trie *trie = &profile->model->trie;
    uint32_t place = node == STACK_ROOT ? stack_trie_child(trie, STACK_ROOT, 0) : node;
    uint32_t end = place == STACK_NONE ? STACK_NONE
                                       : stack_trie_child(trie, place, profile->type_frames[type]);
    return end == STACK_NONE ? STACK_NONE : stack_trie_stack(trie, end);
}

/* What a file says may be more than a model has room for. */
static int64_t value_of(double value)
{
    return (int64_t)fmin(round(value), 9e18);
}

bool guest_profile_add_row(struct guest_profile *profile, uint32_t node, uint32_t type,
                           uint32_t heap, const struct guest_tally *tally)
{
    uint32_t stack = stack_of(profile, node, type);
    int64_t values[] = {value_of(tally->live), value_of(tally->live_bytes),
                        value_of(tally->allocated), value_of(tally->bytes)};
    if (stack == STACK_NONE ||
        !ARRAY_RESERVE(&profile->rows, &profile->row_capacity, profile->row_count + 1) ||
        !model_add_sample(profile->model, stack, 0, values))
        return false;
    profile->rows[profile->row_count++] = (struct guest_profile_row){
        .node = node, .type = type, .stack = stack, .heap = heap, .tally = *tally};
    return true;
}

bool guest_profile_filter(struct guest_profile *profile, const struct filter *filter)
{
    struct matcher matcher;
    size_t stacks = profile->model->trie.stack_count;
    if (matcher_init(&matcher, profile->model, filter, NULL, NULL) != HEAPTAP_OK)
        return false;
    bool *passes = matcher.stack_passes ? malloc(stacks + 1) : NULL;
    bool done = passes || !matcher.stack_passes;
    if (passes)
        memcpy(passes, matcher.stack_passes, stacks * sizeof *passes);
    matcher_release(&matcher);
    profile->stack_passes = passes;
    return done;
}
