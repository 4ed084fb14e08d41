#include "profile/guest_profile.h"

#include <stdlib.h>

#include "base/array.h"
#include "profile/library.h"

#define BLOCKS "blocks/65536", GUEST_BLOCK

static const struct {
    const char *name, *unit;
    int32_t one; /* what 1 is in the model */
} values[GUEST_VALUES] = {
    [GUEST_LIVE] = {"inuse_objects", BLOCKS},
    [GUEST_LIVE_BYTES] = {"inuse_space", "bytes", 1},
    [GUEST_COUNT] = {"alloc_objects", BLOCKS},
    [GUEST_BYTES] = {"alloc_space", "bytes", 1},
    [GUEST_SAMPLES] = {"samples", "bytes", 1},
    [GUEST_START_COUNT] = {"start_objects", BLOCKS},
    [GUEST_START_BYTES] = {"start_space", "bytes", 1},
    [GUEST_RESIZED] = {"resized_objects", BLOCKS},
    [GUEST_LEFT] = {"resized_away_objects", BLOCKS},
    [GUEST_FREED] = {"collected_objects", BLOCKS},
    [GUEST_PEAK_BYTES] = {"peak_space", "bytes", 1},
    [GUEST_PROMOTED] = {"promoted_objects", BLOCKS},
    [GUEST_PROMOTED_BYTES] = {"promoted_space", "bytes", 1},
    [GUEST_TEMPORARY] = {"temporary_objects", BLOCKS},
    [GUEST_AGE_SUM] = {"age", "bytes", 1},
    [GUEST_LIVE_AGE_SUM] = {"inuse_age", "bytes", 1},
};

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
    *profile = (struct guest_profile){.model = model, .matcher.model = model};
    bool done = model && (profile->main = model_text(model, "(main)"));
    for (int i = 0; i < GUEST_VALUES && done; i++)
        done = model_add_value_type(model, values[i].name, values[i].unit);
    if (done && add_frame(profile, "", "(no location)", 0) != MODEL_NONE &&
        add_type(profile, "(untyped)"))
        return true;
    guest_profile_release(profile);
    return false;
}

void guest_profile_release(struct guest_profile *profile)
{
    free(profile->heaps);
    free(profile->type_frames);
    matcher_release(&profile->matcher);
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
    return (struct guest_site){*it->file ? it->file : NULL,
                               it->function != profile->main ? it->function : NULL, it->line};
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
    if (site.function == profile->main)
        site.function = NULL;
    if (!site.file && !site.function && !site.line)
        return 0;
    uint64_t key =
        (uint64_t)(uintptr_t)site.file * 31 + (uint64_t)(uintptr_t)site.function * 17 + site.line;
    for (;; key = key * 0x9E3779B97F4A7C15u + 1) {
        uint32_t *found =
            map_put(&profile->by_site, key, (uint32_t)profile->model->frame_count, &fresh);
        if (!found ||
            (fresh && add_frame(profile, site.file ? site.file : "",
                                site.function ? site.function : profile->main, line) == MODEL_NONE))
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

/* Each has a set of labels of its own, from 1 on. */
bool guest_profile_add_heap(struct guest_profile *profile, const struct guest_heap *heap)
{
    struct model_label labels[] = {
        {.key = "language", .text = heap->language, .unit = ""},
        {.key = "heap", .number = (int64_t)profile->heap_count, .unit = ""},
    };
    if (!ARRAY_RESERVE(&profile->heaps, &profile->heap_capacity, profile->heap_count + 1) ||
        model_label_set(profile->model, labels, 2) == MODEL_NONE)
        return false;
    profile->heaps[profile->heap_count++] = *heap;
    return true;
}

bool guest_profile_add_row(struct guest_profile *profile, uint32_t node, uint32_t type,
                           uint32_t heap, const int64_t row[GUEST_VALUES])
{
    struct stack_trie *trie = &profile->model->trie;
    uint32_t end = stack_trie_child(trie, node, profile->type_frames[type]);
    uint32_t stack = end == STACK_NONE ? STACK_NONE : stack_trie_stack(trie, end);
    return stack != STACK_NONE && model_add_sample(profile->model, stack, heap + 1, row);
}

struct guest_profile_row guest_profile_row(const struct guest_profile *profile, size_t number)
{
    const struct model *model = profile->model;
    const struct stack_node *end =
        &model->trie.nodes[model->trie.ends[model->samples.stack[number]]];
    struct guest_profile_row row = {.node = end->parent,
                                    .type = model->frames[end->frame].type,
                                    .heap = model->samples.labels[number] - 1};
    const int64_t *sums = model->samples.values + number * GUEST_VALUES;
    for (int i = 0; i < GUEST_VALUES; i++)
        row.tally.of[i] = (double)sums[i] / values[i].one;
    return row;
}

void guest_tally_add(struct guest_tally *to, const struct guest_tally *from)
{
    for (int i = 0; i < GUEST_VALUES; i++)
        to->of[i] += from->of[i];
}
