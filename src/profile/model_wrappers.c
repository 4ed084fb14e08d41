/* What a model knows of the blocks that come by each of its stacks, for profile/wrappers.h. */
#include <stdlib.h>

#include "profile/model.h"
#include "profile/stack_profile.h"
#include "profile/wrappers.h"

static void use_sums(const struct model *model, struct wrapper_use *uses)
{
    for (size_t i = 0; i < model->trie.stack_count; i++)
        uses[i] = (struct wrapper_use){model->sums[i].density, (double)model->sums[i].samples};
}

static void use_objects(const struct model *model, struct wrapper_use *uses)
{
    const struct model_objects *objects = &model->objects;
    for (size_t row = 0; row < objects->count; row++) {
        const struct model_shape *shape = &model->shapes[objects->shape[row]];
        double rows = model_row_blocks(model, row);
        uses[objects->stack[row]].blocks += rows * shape->density;
        uses[objects->stack[row]].size += rows * (double)shape->samples;
    }
}

/* Objects and bytes of the same blocks, if there are both. */
static bool find_types(const struct model *model, long *objects, long *bytes)
{
    static const char *const pairs[][2] = {
        {"alloc_objects", "alloc_space"}, {"inuse_objects", "inuse_space"}, {"objects", "space"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        *objects = model_find_value_type(model, pairs[i][0]);
        *bytes = model_find_value_type(model, pairs[i][1]);
        if (*objects >= 0 && *bytes >= 0)
            return true;
    }
    return false;
}

static void use_samples(const struct model *model, struct wrapper_use *uses)
{
    const struct model_samples *samples = &model->samples;
    long objects, bytes;
    if (!find_types(model, &objects, &bytes))
        return;
    for (size_t row = 0; row < samples->count; row++) {
        const int64_t *values = samples->values + row * samples->type_count;
        if (values[objects] <= 0 || values[bytes] <= 0)
            continue;
        uses[samples->stack[row]].blocks += (double)values[objects];
        uses[samples->stack[row]].size += (double)values[bytes];
    }
}

bool model_find_wrappers(struct model *model)
{
    struct frame_source frames = model_frames(model);
    struct wrapper_use *uses = calloc(model->trie.stack_count + 1, sizeof *uses);
    if (!uses)
        return false;
    if (model->kind == MODEL_SAMPLES)
        use_samples(model, uses);
    else
        (model->sums ? use_sums : use_objects)(model, uses);
    for (size_t i = 0; i < model->trie.stack_count; i++)
        if (uses[i].blocks > 0)
            uses[i].size /= uses[i].blocks;
    bool done = wrappers_find(&model->wrappers, &model->trie, uses, &frames);
    free(uses);
    return done;
}
