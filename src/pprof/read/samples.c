/* Where stacks are bounded, a deep one is cut while it comes in, whenever it has twice its bound: so its frames never take more
 * room than that, and cost a move for each.  Cut frames are MODEL_NONE until the location that stands for them is made. */
#include "pprof/read/decoding.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

struct sample {
    size_t index;  /* of this one */
    size_t frames; /* of all samples so far */
    size_t labels; /* of all samples so far */
    size_t values; /* of this one */
    size_t first;  /* of this one's frames */
    bool is_cut;   /* one of the stacks */
};

/* Leaves the inner and the outer half of this sample's frames. */
static void cut(const struct pprof_decoding *decoding, struct sample *sample)
{
    size_t depth = decoding->bounds.depth, inner = depth / 2, outer = depth - inner - 1;
    uint32_t *frames = decoding->model->file->frames + sample->first;
    frames[inner] = MODEL_NONE;
    memmove(frames + inner + 1, decoding->model->file->frames + sample->frames - outer,
            outer * sizeof *frames);
    sample->frames = sample->first + depth;
    sample->is_cut = true;
}

static void cut_where_full(const struct pprof_decoding *decoding, struct sample *sample)
{
    if (sample->frames - sample->first >= 2 * decoding->bounds.depth)
        cut(decoding, sample);
}

/* Puts the location that stands for what was cut where it was. */
static enum heaptap_status name_cuts(struct pprof_decoding *decoding, size_t frames)
{
    struct model *model = decoding->model;
    const struct heaptap_location line = {.function = PPROF_DEEPER, .file = ""};
    uint32_t cut = model_add_frame(model, 0, MODEL_NONE, &line, 1);
    if (cut == MODEL_NONE)
        return error_no_memory(decoding->error);
    for (size_t i = 0; i < frames; i++)
        if (model->file->frames[i] == MODEL_NONE)
            model->file->frames[i] = cut;
    return HEAPTAP_OK;
}

/* pprof_index_of for locations, of which a profile names millions. */
static inline enum heaptap_status location_of(struct pprof_decoding *decoding, uint64_t id,
                                              uint64_t offset, uint32_t *index)
{
    if (!decoding->in_order[PPROF_LOCATION] || id - 1 >= decoding->model->frame_count)
        return pprof_index_of(decoding, PPROF_LOCATION, id, offset, index);
    *index = (uint32_t)(id - 1);
    return HEAPTAP_OK;
}

static enum heaptap_status add_frame(struct pprof_decoding *decoding, uint64_t id, uint64_t offset,
                                     struct sample *sample)
{
    struct profile_file *file = decoding->model->file;
    cut_where_full(decoding, sample);
    if (!ARRAY_RESERVE(&file->frames, &file->frame_capacity, sample->frames + 1))
        return error_no_memory(decoding->error);
    return location_of(decoding, id, offset, &file->frames[sample->frames++]);
}

/* A packed list, of which each number takes a byte at least. */
static enum heaptap_status add_frames(struct pprof_decoding *decoding, struct wire list,
                                      struct sample *sample)
{
    struct profile_file *file = decoding->model->file;
    size_t most = sample->first + 2 * decoding->bounds.depth;
    size_t room = sample->frames + (size_t)(list.end - list.at);
    enum heaptap_status status = HEAPTAP_OK;
    if (!ARRAY_RESERVE(&file->frames, &file->frame_capacity, room < most ? room : most))
        return error_no_memory(decoding->error);
    while (status == HEAPTAP_OK && list.at < list.end) {
        uint64_t id = 0, offset = wire_offset(&list);
        cut_where_full(decoding, sample);
        status = wire_varint(&list, &id, decoding->error);
        if (status == HEAPTAP_OK)
            status = location_of(decoding, id, offset, &file->frames[sample->frames++]);
    }
    return status;
}

static void add_value(struct pprof_decoding *decoding, uint64_t value, struct sample *sample)
{
    struct model *model = decoding->model;
    if (sample->values < model->samples.type_count)
        model->file->values[sample->index * model->samples.type_count + sample->values] =
            (int64_t)value;
    sample->values++;
}

static enum heaptap_status add_values(struct pprof_decoding *decoding, struct wire list,
                                      struct sample *sample)
{
    enum heaptap_status status = HEAPTAP_OK;
    while (status == HEAPTAP_OK && list.at < list.end) {
        uint64_t value = 0;
        status = wire_varint(&list, &value, decoding->error);
        if (status == HEAPTAP_OK)
            add_value(decoding, value, sample);
    }
    return status;
}

static const pprof_fields label_fields = {
    [LABEL_KEY] = {PPROF_STRING, "a label's key", offsetof(struct model_label, key)},
    [LABEL_TEXT] = {PPROF_STRING, "a label's text", offsetof(struct model_label, text)},
    [LABEL_NUMBER] = {PPROF_INTEGER, "a label's number", offsetof(struct model_label, number)},
    [LABEL_UNIT] = {PPROF_STRING, "a label's unit", offsetof(struct model_label, unit)},
};

static enum heaptap_status add_label(struct pprof_decoding *decoding, struct wire wire,
                                     struct sample *sample)
{
    struct profile_file *file = decoding->model->file;
    enum heaptap_status status = pprof_count_items(decoding, 1, wire_offset(&wire));
    if (status != HEAPTAP_OK)
        return status;
    if (!ARRAY_RESERVE(&file->labels, &file->label_capacity, sample->labels + 1))
        return error_no_memory(decoding->error);
    struct model_label *label = &file->labels[sample->labels++];
    *label = (struct model_label){.key = "", .unit = ""};
    status = pprof_take_members(decoding, wire, label_fields, label);
    if (label->text && !*label->text)
        label->text = NULL;
    return status;
}

static enum heaptap_status take_sample_field(struct pprof_decoding *decoding,
                                             const struct wire_field *field, void *to)
{
    struct sample *sample = to;
    enum heaptap_status status;
    switch (field->number) {
    case SAMPLE_LOCATION:
        if (field->type == WIRE_BYTES)
            return add_frames(decoding, field->content, sample);
        status = pprof_expect(decoding, field, WIRE_VARINT, "a sample's location_id");
        return status == HEAPTAP_OK ? add_frame(decoding, field->value, field->offset, sample)
                                    : status;
    case SAMPLE_VALUE:
        if (field->type == WIRE_BYTES)
            return add_values(decoding, field->content, sample);
        add_value(decoding, field->value, sample);
        return pprof_expect(decoding, field, WIRE_VARINT, "a sample's value");
    case SAMPLE_LABEL:
        status = pprof_expect(decoding, field, WIRE_BYTES, "a sample's label");
        return status == HEAPTAP_OK ? add_label(decoding, field->content, sample) : status;
    }
    return HEAPTAP_OK;
}

static enum heaptap_status take_sample(struct pprof_decoding *decoding,
                                       const struct wire_field *field, void *to)
{
    struct model *model = decoding->model;
    struct sample *sample = to;
    if (field->number != PROFILE_SAMPLE)
        return HEAPTAP_OK;
    sample->values = 0;
    sample->first = sample->frames;
    enum heaptap_status status =
        pprof_take_message(decoding, field->content, take_sample_field, sample);
    if (status == HEAPTAP_OK && sample->frames - sample->first > decoding->bounds.depth)
        cut(decoding, sample);
    if (status == HEAPTAP_OK)
        status = pprof_count_items(decoding, sample->frames - sample->first + sample->values,
                                   field->offset);
    if (status != HEAPTAP_OK)
        return status;
    if (sample->values != model->samples.type_count)
        return error_at(decoding->error, field->offset,
                        "a sample has %zu values, but there are %zu sample types", sample->values,
                        model->samples.type_count);
    sample->index++;
    model->file->first_frame[sample->index] = sample->frames;
    model->file->first_label[sample->index] = sample->labels;
    return HEAPTAP_OK;
}

enum heaptap_status pprof_take_samples(struct pprof_decoding *decoding, struct wire wire)
{
    struct model *model = decoding->model;
    struct profile_file *file = model->file;
    struct sample sample = {0};
    size_t cells;
    if (__builtin_mul_overflow(file->sample_count, model->samples.type_count, &cells))
        return error_no_memory(decoding->error);
    if (cells > decoding->bounds.items) /* before there is room for them */
        return pprof_count_items(decoding, cells, 0);
    file->first_frame = calloc(file->sample_count + 1, sizeof *file->first_frame);
    file->first_label = calloc(file->sample_count + 1, sizeof *file->first_label);
    file->values = calloc(cells + 1, sizeof *file->values);
    if (!file->first_frame || !file->first_label || !file->values)
        return error_no_memory(decoding->error);
    enum heaptap_status status = pprof_take_message(decoding, wire, take_sample, &sample);
    return status == HEAPTAP_OK && sample.is_cut ? name_cuts(decoding, sample.frames) : status;
}
