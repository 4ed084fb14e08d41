/* Samples come in any order.  Their stacks are sorted first, from the callers on: neighbours share
 * their beginnings, so that each costs its new frames only, and nodes that are walked together lie
 * together.  Locations that say the same are one frame, as pprof has it. */
#include "profile/list/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort_lists.h"
#include "profile/builds.h"
#include "profile/list/prune.h"
#include "profile/library.h"

/* What is being made. */
struct making {
    struct model *model;
    struct profile_prune prune;
    struct sorted_list *order; /* stacks of samples, the innermost frame first; later sorted */
    uint32_t *frame_of;        /* by frame of the list: that of the model */
    uint32_t *stack_of;        /* by sample: the stack */
};

/* ---- Frames -------------------------------------------------------------------------- */

/* How many lines a location has left.  Where all of it is dropped, it is the beginning of its
 * stacks, and stays as it is. */
static uint32_t lines_of(const struct making *making, size_t location)
{
    uint32_t lines = profile_prune_lines(&making->prune, making->model, location);
    return lines > 0 ? lines : making->model->frames[location].line_count;
}

static uint64_t hash_of(const struct model *model, const struct model_frame *frame)
{
    uint64_t hash = map_mix(frame->module, frame->code);
    for (uint32_t i = 0; i < frame->line_count; i++) {
        const struct heaptap_location *line = &model->lines[frame->first_line + i];
        hash = map_mix(map_mix(hash, (uint64_t)(uintptr_t)line->function),
                       (uint64_t)(uintptr_t)line->file ^ (uint64_t)line->line << 48);
    }
    return hash;
}

static bool says_same(const struct model *model, const struct model_frame *a,
                      const struct model_frame *b)
{
    if (a->module != b->module || a->code != b->code || a->line_count != b->line_count)
        return false;
    for (uint32_t i = 0; i < a->line_count; i++) {
        const struct heaptap_location *x = &model->lines[a->first_line + i];
        const struct heaptap_location *y = &model->lines[b->first_line + i];
        if (x->function != y->function || x->file != y->file || x->line != y->line)
            return false;
    }
    return true;
}

/* Leaves one of the frames that say the same. */
static bool merge_frames(struct making *making)
{
    struct model *model = making->model;
    struct map by_hash = {0};
    uint32_t kept = 0;
    bool done = true, fresh;
    for (size_t i = 0; done && i < model->frame_count; i++) {
        struct model_frame *frame = &model->frames[i];
        frame->line_count = lines_of(making, i);
        const uint32_t *first = map_put(&by_hash, hash_of(model, frame), kept, &fresh);
        done = first;
        if (done && !fresh && says_same(model, &model->frames[*first], frame)) {
            making->frame_of[i] = *first;
        } else if (done) {
            model->frames[kept] = *frame;
            making->frame_of[i] = kept++;
        }
    }
    map_release(&by_hash);
    model->frame_count = kept;
    return done;
}

/* Leaves the lines that frames still have, in their order. */
static bool compact_lines(struct model *model)
{
    struct heaptap_location *lines = malloc((model->line_count + 1) * sizeof *lines);
    size_t count = 0;
    for (size_t i = 0; lines && i < model->frame_count; i++) {
        struct model_frame *frame = &model->frames[i];
        for (uint32_t k = 0; k < frame->line_count; k++)
            lines[count + k] = model->lines[frame->first_line + k];
        frame->first_line = (uint32_t)count;
        count += frame->line_count;
    }
    if (!lines)
        return false;
    free(model->lines);
    model->lines = lines;
    model->line_count = model->line_capacity = count;
    return true;
}

static bool add_types(struct model *model)
{
    bool done = true;
    for (size_t i = 0; done && i < model->frame_count; i++) {
        const struct model_frame *frame = &model->frames[i];
        const struct heaptap_location *line = &model->lines[frame->first_line];
        if (frame->line_count == 1 && library_is_type(line))
            done = model_add_type(model, (uint32_t)i, line->function);
    }
    return done;
}

/* ---- Stacks -------------------------------------------------------------------------- */

/* A sample's frames, without those that are dropped, lie the innermost first; they are sorted from the outermost on. */
static uint32_t frame_at(const void *context, const struct sorted_list *at, uint32_t depth)
{
    const struct making *making = context;
    return depth < at->count ? making->frame_of[at->items[at->count - 1 - depth]] + 1 : 0;
}

/* While the frames are those of the list. */
static void list_stacks(struct making *making)
{
    const struct profile_file *file = making->model->file;
    for (size_t i = 0; i < file->sample_count; i++) {
        size_t first =
            file->first_frame[i] + profile_prune_frames(&making->prune, making->model, i);
        making->order[i].items = file->frames ? file->frames + first : NULL;
        making->order[i].count = (uint32_t)(file->first_frame[i + 1] - first);
        making->order[i].number = (uint32_t)i;
    }
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

static bool append_stacks(struct making *making, uint32_t *path)
{
    struct stack_trie *trie = &making->model->trie;
    uint32_t stack = STACK_NONE;
    path[0] = STACK_ROOT;
    for (size_t i = 0; i < making->model->file->sample_count; i++) {
        const struct sorted_list *at = &making->order[i];
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

/* The lists of frames are freed: they are most of what there is. */
static bool add_stacks(struct making *making)
{
    struct profile_file *file = making->model->file;
    sort_lists(making->order, file->sample_count, frame_at, making);
    uint32_t *path = malloc((file->deepest + 1) * sizeof *path);
    stack_trie_release(&making->model->trie);
    bool done =
        path && stack_trie_init_appended(&making->model->trie) && append_stacks(making, path);
    free(path);
    free(file->frames);
    free(making->order);
    file->frames = NULL;
    making->order = NULL;
    return done;
}

/* ---- Rows ---------------------------------------------------------------------------- */

static bool add_rows(struct making *making)
{
    struct model *model = making->model;
    const struct profile_file *file = model->file;
    bool done = true;
    for (size_t i = 0; done && i < file->sample_count; i++) {
        size_t first = file->first_label[i], count = file->first_label[i + 1] - first;
        uint32_t set = model_label_set(model, count > 0 ? file->labels + first : NULL, count);
        done = set != MODEL_NONE && model_add_sample(model, making->stack_of[i], set,
                                                     file->values + i * model->samples.type_count);
    }
    return done;
}

static bool make_room(struct making *making)
{
    const struct model *model = making->model;
    size_t samples = model->file->sample_count;
    making->order = malloc((samples + 1) * sizeof *making->order);
    making->frame_of = malloc((model->frame_count + 1) * sizeof *making->frame_of);
    making->stack_of = malloc((samples + 1) * sizeof *making->stack_of);
    return making->order && making->frame_of && making->stack_of && samples < MODEL_NONE &&
           profile_prune_init(&making->prune, model);
}

static bool make(struct making *making)
{
    if (!make_room(making))
        return false;
    list_stacks(making);
    return merge_frames(making) && compact_lines(making->model) && add_types(making->model) &&
           add_stacks(making) && add_rows(making) && builds_tell_apart(making->model);
}

bool profile_to_rows(struct model *model)
{
    struct making making = {.model = model};
    profile_file_count(model);
    bool done = make(&making);
    profile_prune_release(&making.prune);
    free(making.order);
    free(making.frame_of);
    free(making.stack_of);
    profile_file_drop_list(model->file);
    model->info.start_us = model->file->time_ns / 1000;
    return done && model_samples_end(model);
}
