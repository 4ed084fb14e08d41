/* Frames have the numbers of the profile's locations. */
#include "import/pprof_model.h"

#include <stdlib.h>

#include "base/array.h"
#include "import/pprof_prune.h"

static bool add_modules(struct model *model, const struct pprof *pprof)
{
    bool done = true;
    for (size_t i = 0; done && i < pprof->mapping_count; i++) {
        const struct pprof_mapping *mapping = &pprof->mappings[i];
        struct model_module module = {.path = mapping->file,
                                      .build_id = mapping->build_id,
                                      .start = mapping->start,
                                      .size = mapping->limit - mapping->start,
                                      .file_offset = mapping->offset};
        done = model_add_module(model, &module) != MODEL_NONE;
    }
    return done;
}

static bool add_frames(struct model *model, const struct pprof *pprof,
                       const struct pprof_prune *prune)
{
    bool done = true;
    for (size_t i = 0; done && i < pprof->location_count; i++) {
        const struct pprof_location *location = &pprof->locations[i];
        uint32_t module = location->mapping == PPROF_NONE ? MODEL_NONE : location->mapping;
        uint32_t lines = pprof_prune_lines(prune, pprof, i);
        if (lines == 0) /* all of it is dropped; where it stays, it is the beginning of a stack */
            lines = location->line_count;
        done = model_add_frame(model, location->address, module,
                               lines > 0 ? pprof->lines + location->first_line : NULL,
                               lines) != MODEL_NONE;
    }
    return done;
}

static bool add_types(struct model *model, const struct pprof *pprof)
{
    bool done = true;
    for (size_t i = 0; done && i < pprof->type_count; i++)
        done = model_add_value_type(model, pprof->types[i].name, pprof->types[i].unit);
    model->samples.default_type = pprof->default_type;
    return done;
}

/* Labels of a sample, as the model has them. */
struct labels {
    struct model_label *items;
    size_t capacity;
};

static uint32_t label_set(struct model *model, const struct pprof *pprof, size_t sample,
                          struct labels *labels)
{
    size_t first = pprof->first_label[sample], count = pprof->first_label[sample + 1] - first;
    if (count == 0)
        return 0;
    if (!ARRAY_RESERVE(&labels->items, &labels->capacity, count))
        return MODEL_NONE;
    for (size_t i = 0; i < count; i++) {
        const struct pprof_label *label = &pprof->labels[first + i];
        labels->items[i] =
            (struct model_label){label->key, label->text, label->number, label->unit};
    }
    return model_label_set(model, labels->items, count);
}

static bool add_samples(struct model *model, const struct pprof *pprof,
                        const struct pprof_prune *prune)
{
    struct labels labels = {0};
    bool done = true;
    for (size_t i = 0; done && i < pprof->sample_count; i++) {
        size_t first = pprof->first_frame[i] + pprof_prune_frames(prune, pprof, i);
        uint32_t stack = model_stack(model, pprof->frames + first,
                                     pprof->first_frame[i + 1] - first, HEAPTAP_SITE_FIRST);
        uint32_t set = stack == MODEL_NONE ? MODEL_NONE : label_set(model, pprof, i, &labels);
        done = set != MODEL_NONE &&
               model_add_sample(model, stack, set, pprof->values + i * pprof->type_count);
    }
    free(labels.items);
    return done;
}

struct model *pprof_model(const struct pprof *pprof)
{
    struct model *model = model_new(MODEL_SAMPLES);
    struct pprof_prune prune;
    bool done = pprof_prune_init(&prune, pprof) && model && add_modules(model, pprof) &&
                add_frames(model, pprof, &prune) && add_types(model, pprof) &&
                add_samples(model, pprof, &prune);
    pprof_prune_release(&prune);
    if (done) {
        model->info.start_us = pprof->time_ns / 1000;
        return model;
    }
    model_free(model);
    return NULL;
}
