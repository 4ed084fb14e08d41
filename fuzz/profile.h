/* What the fuzzers of importers of profiles share: what an importer accepts must hold together, and
 * become stacks. */
#ifndef FUZZ_PROFILE_H
#define FUZZ_PROFILE_H

#include <stdlib.h>

#include "format/import/file_format.h"
#include "profile/list/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_require(bool condition)
{
    if (!condition)
        abort();
}

static void fuzz_check_profile(struct model *model)
{
    fuzz_require(model->samples.type_count > 0 &&
                 model->samples.default_type < model->samples.type_count);
    for (size_t i = 0; i < model->file->sample_count; i++) {
        fuzz_require(model->file->first_frame[i] <= model->file->first_frame[i + 1]);
        fuzz_require(model->file->first_label[i] <= model->file->first_label[i + 1]);
    }
    for (size_t i = 0; i < model->file->sample_count && i + 1 == model->file->sample_count; i++)
        for (size_t k = 0; k < model->file->first_frame[i + 1]; k++)
            fuzz_require(model->file->frames[k] < model->frame_count);
    for (size_t i = 0; i < model->frame_count; i++) {
        const struct model_frame *location = &model->frames[i];
        fuzz_require(location->module == MODEL_NONE || location->module < model->module_count);
        fuzz_require((size_t)location->first_line + location->line_count <= model->line_count);
    }
    fuzz_require(profile_to_rows(model));
}

/* Gives any bytes at all to an importer. */
static int fuzz_profile(const uint8_t *data, size_t size,
                        bool (*looks_like_one)(const uint8_t *bytes, size_t size),
                        enum heaptap_status (*read)(struct model **model, struct input *input,
                                                    struct heaptap_error *error))
{
    struct model *model;
    struct heaptap_error error = {0};
    struct input *input;
    looks_like_one(data, size);
    if (input_open_memory(&input, data, size, &error) != HEAPTAP_OK)
        return 0;
    enum heaptap_status status = read(&model, input, &error);
    fuzz_require(status == HEAPTAP_OK || (!model && error.status == status && error.message[0]));
    if (status == HEAPTAP_OK)
        fuzz_check_profile(model);
    model_free(model);
    input_close(input);
    return 0;
}

#endif
