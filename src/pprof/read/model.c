/* Samples come in any order.  Their stacks are sorted first, from the callers on: neighbours share
 * their beginnings, so that each costs its new frames only, and nodes that are walked together lie
 * together.  Locations that say the same are one frame, as pprof has it. */
#include "pprof/read/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort_lists.h"
#include "pprof/read/prune.h"
#include "profile/library.h"

/* What is being made. */
struct making {
    struct model *model;
    const struct pprof *pprof;
    struct pprof_prune prune;
    uint32_t *frame_of; /* by location: the frame */
    uint32_t *stack_of; /* by sample: the stack */
};

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

/* ---- Frames -------------------------------------------------------------------------- */

/* How many lines a location has left.  Where all of it is dropped, it is the beginning of its
 * stacks, and stays as it is. */
static uint32_t lines_of(const struct making *making, size_t location)
{
    uint32_t lines = pprof_prune_lines(&making->prune, making->pprof, location);
    return lines > 0 ? lines : making->pprof->locations[location].line_count;
}

static uint64_t hash_of(const struct making *making, size_t number)
{
    const struct pprof_location *location = &making->pprof->locations[number];
    uint64_t hash = map_mix(location->mapping, location->address);
    for (uint32_t i = 0; i < lines_of(making, number); i++) {
        const struct heaptap_location *line = &making->pprof->lines[location->first_line + i];
        hash = map_mix(map_mix(hash, (uint64_t)(uintptr_t)line->function),
                       (uint64_t)(uintptr_t)line->file ^ (uint64_t)line->line << 48);
    }
    return hash;
}

static bool says_same(const struct making *making, size_t left, size_t right)
{
    const struct pprof *pprof = making->pprof;
    const struct pprof_location *a = &pprof->locations[left], *b = &pprof->locations[right];
    uint32_t lines = lines_of(making, left);
    if (a->mapping != b->mapping || a->address != b->address || lines != lines_of(making, right))
        return false;
    for (uint32_t i = 0; i < lines; i++) {
        const struct heaptap_location *x = &pprof->lines[a->first_line + i];
        const struct heaptap_location *y = &pprof->lines[b->first_line + i];
        if (x->function != y->function || x->file != y->file || x->line != y->line)
            return false;
    }
    return true;
}

static uint32_t add_frame(struct making *making, size_t number)
{
    const struct pprof_location *location = &making->pprof->locations[number];
    uint32_t module = location->mapping == PPROF_NONE ? MODEL_NONE : location->mapping;
    uint32_t lines = lines_of(making, number);
    const struct heaptap_location *first =
        lines > 0 ? making->pprof->lines + location->first_line : NULL;
    uint32_t frame = model_add_frame(making->model, location->address, module, first, lines);
    return frame == MODEL_NONE || lines != 1 || !library_is_type(first) ||
                   model_add_type(making->model, frame, first->function)
               ? frame
               : MODEL_NONE;
}

static bool add_frames(struct making *making)
{
    const struct pprof *pprof = making->pprof;
    struct map by_hash = {0};
    bool done = true, fresh;
    for (size_t i = 0; done && i < pprof->location_count; i++) {
        uint32_t *first = map_put(&by_hash, hash_of(making, i), (uint32_t)i, &fresh);
        done = first;
        if (done && !fresh && says_same(making, *first, i)) {
            making->frame_of[i] = making->frame_of[*first];
        } else if (done) {
            making->frame_of[i] = add_frame(making, i);
            done = making->frame_of[i] != MODEL_NONE;
        }
    }
    map_release(&by_hash);
    return done;
}

/* ---- Stacks -------------------------------------------------------------------------- */

/* The frames of a sample, the innermost first, without those that are dropped. */
static const uint32_t *frames_of(const struct making *making, size_t sample, size_t *count)
{
    const struct pprof *pprof = making->pprof;
    size_t first = pprof->first_frame[sample] + pprof_prune_frames(&making->prune, pprof, sample);
    *count = pprof->first_frame[sample + 1] - first;
    return pprof->frames ? pprof->frames + first : NULL;
}

/* A sample's frames lie the innermost first; they are sorted from the outermost on. */
static uint32_t frame_at(const void *context, const struct sorted_list *at, uint32_t depth)
{
    const struct making *making = context;
    return depth < at->count ? making->frame_of[at->items[at->count - 1 - depth]] + 1 : 0;
}

static struct sorted_list *order_samples(const struct making *making)
{
    size_t count = making->pprof->sample_count;
    struct sorted_list *order = malloc((count + 1) * sizeof *order);
    for (size_t i = 0; order && i < count; i++) {
        size_t frames;
        order[i].items = frames_of(making, i, &frames);
        order[i].count = (uint32_t)frames;
        order[i].number = (uint32_t)i;
    }
    if (order)
        sort_lists(order, count, frame_at, making);
    return order;
}

/* How many of the outermost frames two stacks share. */
static uint32_t shared(const struct making *making, const struct sorted_list *a,
                       const struct sorted_list *b)
{
    uint32_t common = a->count < b->count ? a->count : b->count, i = 0;
    while (i < common && making->frame_of[a->items[a->count - 1 - i]] ==
                             making->frame_of[b->items[b->count - 1 - i]])
        i++;
    return i;
}

/* Appends what a stack, the next in order, does not share with the one before.  `path[i]` is the
 * node of the first i frames of that one, and becomes this one's. */
static bool append_stack(struct making *making, const struct sorted_list *at, uint32_t depth,
                         uint32_t *path)
{
    for (; depth < at->count; depth++) {
        uint32_t frame = making->frame_of[at->items[at->count - 1 - depth]];
        path[depth + 1] = stack_trie_append(&making->model->trie, path[depth], frame);
        if (path[depth + 1] == STACK_NONE)
            return false;
    }
    return true;
}

static bool is_same_stack(const struct sorted_list *a, const struct sorted_list *b, uint32_t common)
{
    return a->count == common && b->count == common;
}

static bool append_stacks(struct making *making, const struct sorted_list *order, uint32_t *path)
{
    struct stack_trie *trie = &making->model->trie;
    uint32_t stack = STACK_NONE;
    path[0] = STACK_ROOT;
    for (size_t i = 0; i < making->pprof->sample_count; i++) {
        const struct sorted_list *at = &order[i];
        uint32_t depth = i > 0 ? shared(making, at - 1, at) : 0;
        if (!append_stack(making, at, depth, path))
            return false;
        if (i == 0 || !is_same_stack(at - 1, at, depth))
            stack = stack_trie_append_stack(trie, path[at->count]);
        if (stack == STACK_NONE)
            return false;
        making->stack_of[at->number] = stack;
    }
    return true;
}

static bool add_stacks(struct making *making)
{
    struct sorted_list *order = order_samples(making);
    uint32_t deepest = 0;
    for (size_t i = 0; order && i < making->pprof->sample_count; i++)
        deepest = order[i].count > deepest ? order[i].count : deepest;
    uint32_t *path = malloc(((size_t)deepest + 1) * sizeof *path);
    stack_trie_release(&making->model->trie);
    bool done = order && path && stack_trie_init_appended(&making->model->trie) &&
                append_stacks(making, order, path);
    free(path);
    free(order);
    return done;
}

/* ---- Values -------------------------------------------------------------------------- */

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
        const struct model_label *label = &pprof->labels[first + i];
        labels->items[i] =
            (struct model_label){label->key, label->text, label->number, label->unit};
    }
    return model_label_set(model, labels->items, count);
}

static bool add_samples(struct making *making)
{
    const struct pprof *pprof = making->pprof;
    struct labels labels = {0};
    bool done = true;
    for (size_t i = 0; done && i < pprof->sample_count; i++) {
        uint32_t set = label_set(making->model, pprof, i, &labels);
        done = set != MODEL_NONE && model_add_sample(making->model, making->stack_of[i], set,
                                                     pprof->values + i * pprof->type_count);
    }
    free(labels.items);
    return done;
}

/* ---- The model ----------------------------------------------------------------------- */

static bool make(struct making *making)
{
    const struct pprof *pprof = making->pprof;
    making->frame_of = malloc((pprof->location_count + 1) * sizeof *making->frame_of);
    making->stack_of = malloc((pprof->sample_count + 1) * sizeof *making->stack_of);
    return making->model && making->frame_of && making->stack_of &&
           pprof->sample_count < MODEL_NONE && pprof_prune_init(&making->prune, pprof) &&
           add_modules(making->model, pprof) && add_frames(making) &&
           add_types(making->model, pprof) && add_stacks(making) && add_samples(making);
}

struct model *pprof_model(const struct pprof *pprof)
{
    struct making making = {.model = model_new(MODEL_SAMPLES), .pprof = pprof};
    bool done = make(&making);
    pprof_prune_release(&making.prune);
    free(making.frame_of);
    free(making.stack_of);
    if (done)
        making.model->info.start_us = pprof->time_ns / 1000;
    if (done && model_samples_end(making.model))
        return making.model;
    model_free(making.model);
    return NULL;
}
