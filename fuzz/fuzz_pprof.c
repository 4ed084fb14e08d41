/* Any bytes at all, given to the reader of pprof profiles: what it accepts must hold together, and
 * become stacks. */
#include <stdlib.h>

#include "profile/list/rows.h"
#include "pprof/read/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_samples(const struct model *model)
{
    for (size_t i = 0; i < model->file->sample_count; i++) {
        require(model->file->first_frame[i] <= model->file->first_frame[i + 1]);
        require(model->file->first_label[i] <= model->file->first_label[i + 1]);
    }
    for (size_t i = 0; i < model->file->first_frame[model->file->sample_count]; i++)
        require(model->file->frames[i] < model->frame_count);
    for (size_t i = 0; i < model->file->first_label[model->file->sample_count]; i++)
        require(model->file->labels[i].key && model->file->labels[i].unit);
}

static void check_locations(const struct model *model)
{
    for (size_t i = 0; i < model->frame_count; i++) {
        const struct model_frame *location = &model->frames[i];
        require(location->module == MODEL_NONE || location->module < model->module_count);
        require((size_t)location->first_line + location->line_count <= model->line_count);
    }
    for (size_t i = 0; i < model->line_count; i++)
        require(model->lines[i].function && model->lines[i].file);
}

/* Every frame of the model has a name. */
static void check_model(struct model *model)
{
    struct symbols symbols;
    struct frame_symbols names;
    size_t count;
    if (!profile_to_rows(model))
        return;
    struct frame_source frames = model_frames(model);
    symbols_init(&symbols, GRAIN_FUNCTION);
    require(frame_symbols_init(&names, &frames, &symbols));
    for (uint32_t i = 0; i < frames.frame_count; i++)
        require(frame_symbols_of(&names, i, &count) && count > 0);
    frame_symbols_release(&names);
    symbols_release(&symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model *model;
    struct heaptap_error error;
    enum heaptap_status status = pprof_decode(&model, data, size, &error);
    pprof_looks_like_one(data, size);
    if (status != HEAPTAP_OK) {
        require(!model && error.status == status && error.message[0]);
        require(status != HEAPTAP_BAD_INPUT || error.offset <= size);
        return 0;
    }
    require(model->samples.type_count > 0 &&
            model->samples.default_type < model->samples.type_count);
    check_samples(model);
    check_locations(model);
    check_model(model);
    model_free(model);
    return 0;
}
