#include "profile/list/unused.h"

#include <stdlib.h>

bool profile_drop_unused(struct model *model)
{
    struct profile_file *file = model->file;
    size_t frames = file->sample_count ? file->first_frame[file->sample_count] : 0;
    uint32_t *kept = malloc((model->frame_count + 1) * sizeof *kept), count = 0;
    if (!kept)
        return false;
    for (size_t i = 0; i < model->frame_count; i++)
        kept[i] = MODEL_NONE;
    for (size_t i = 0; i < frames; i++)
        kept[file->frames[i]] = 0;
    for (size_t i = 0; i < model->frame_count; i++) {
        if (kept[i] == MODEL_NONE)
            continue;
        kept[i] = count;
        model->frames[count++] = model->frames[i];
    }
    for (size_t i = 0; i < frames; i++)
        file->frames[i] = kept[file->frames[i]];
    model->frame_count = count;
    free(kept);
    return true;
}
