#include "profile/profile_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/array.h"
#include "base/saturate.h"

struct model *profile_new(void)
{
    struct model *model = model_new(MODEL_SAMPLES);
    struct profile_file *file = model ? model->file = calloc(1, sizeof *file) : NULL;
    if (!file) {
        model_free(model);
        return NULL;
    }
    file->format = "pprof";
    file->drop_frames = file->keep_frames = file->doc_url = "";
    file->period_type = (struct model_value_type){"", ""};
    return model;
}

int64_t profile_file_round(struct profile_file *file, double value)
{
    int64_t whole = saturate_round(round(value));
    file->lost_count += whole == 0 && value != 0;
    file->lost_sum += whole == 0 ? value : 0;
    return whole;
}

void profile_file_drop_events(struct profile_file *file)
{
    for (size_t i = 0; i < file->chunk_count; i++)
        free(file->chunks[i].bytes);
    free(file->chunks);
    file->chunks = NULL;
    file->chunk_count = file->chunk_capacity = 0;
}

void profile_file_drop_list(struct profile_file *file)
{
    free(file->first_frame);
    free(file->frames);
    free(file->values);
    free(file->first_label);
    free(file->labels);
    file->first_frame = file->first_label = NULL;
    file->frames = NULL;
    file->values = NULL;
    file->labels = NULL;
    file->frame_capacity = file->label_capacity = 0;
    profile_file_drop_events(file);
}

void profile_file_free(struct profile_file *file)
{
    if (!file)
        return;
    profile_file_drop_list(file);
    free(file->functions);
    free(file->comments);
    free(file);
}

bool profile_add_comment(struct model *model, const char *text)
{
    struct profile_file *file = model->file;
    text = names_copy(&model->names, text);
    if (!text || !ARRAY_RESERVE(&file->comments, &file->comment_capacity, file->comment_count + 1))
        return false;
    file->comments[file->comment_count++] = text;
    return true;
}

const char *profile_comment(const struct profile_file *file, const char *key)
{
    for (size_t i = 0; i < file->comment_count; i++)
        if (begins_with(file->comments[i], key))
            return file->comments[i] + strlen(key);
    return NULL;
}

void profile_file_count(const struct model *model)
{
    struct profile_file *file = model->file;
    file->location_count = model->frame_count;
    for (size_t i = 0; i < file->sample_count; i++)
        if (file->first_frame[i + 1] - file->first_frame[i] > file->deepest)
            file->deepest = file->first_frame[i + 1] - file->first_frame[i];
}
