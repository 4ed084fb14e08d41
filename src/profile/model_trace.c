/* Events come in true order, so that a block's row is made before anything happens to it, births
 * are in order of time, and what is alive can be counted as we go: the peak needs no second look. */
#include "profile/model_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "profile/model_metadata.h"
#include "profile/run_bounds.h"
#include "profile/stack_profile.h"

bool model_builder_init(struct model_builder *builder, const struct heaptap_trace_info *info)
{
    struct model *model = model_new(MODEL_OBJECTS);
    *builder = (struct model_builder){.model = model};
    id_table_init(&builder->alive, sizeof(uint32_t));
    peak_tracker_init(&builder->peak, info->sample_rate);
    if (!model)
        return false;
    model->info = *info;
    model->thinned = 1;
    model->estimate = estimate_of(info);
    model->info.executable = model_text(model, info->executable);
    model->info.host = model_text(model, info->host);
    model->info.runtime_params = model_text(model, info->runtime_params);
    model->info.context = model_text(model, info->context);
    return model->info.executable && model->info.host && model->info.runtime_params &&
           model->info.context;
}

void model_builder_release(struct model_builder *builder)
{
    stack_paths_release(&builder->paths);
    id_table_release(&builder->alive);
    model_free(builder->model);
    *builder = (struct model_builder){0};
}

/* ---- Shapes -------------------------------------------------------------------------- */

static bool is_same(const struct model_shape *a, const struct model_shape *b)
{
    return a->words == b->words && a->samples == b->samples && a->first_half == b->first_half &&
           a->domain == b->domain && a->source == b->source;
}

static uint64_t hash_of(const struct model_shape *shape)
{
    uint64_t hash =
        shape->words * UINT64_C(0x9e3779b97f4a7c15) + shape->samples + (shape->first_half << 32);
    hash = (hash ^ hash >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (uint64_t)shape->domain << 40 ^ (uint64_t)shape->source << 60;
}

/* The number of a shape, perhaps a new one. */
static uint32_t find_shape(struct model *model, const struct model_shape *shape)
{
    bool fresh;
    if (model->shape_count >= MODEL_NONE - 1 || !model_know_domain(model, shape->domain) ||
        !ARRAY_RESERVE(&model->shapes, &model->shape_capacity, model->shape_count + 1))
        return MODEL_NONE;
    uint32_t *newest =
        map_put(&model->shapes_by_hash, hash_of(shape), (uint32_t)model->shape_count, &fresh);
    if (!newest)
        return MODEL_NONE;
    for (uint32_t i = fresh ? MODEL_NONE : *newest; i != MODEL_NONE; i = model->shapes[i].next)
        if (is_same(&model->shapes[i], shape))
            return i;
    model->shapes[model->shape_count] = *shape;
    model->shapes[model->shape_count].next = fresh ? MODEL_NONE : *newest;
    return *newest = (uint32_t)model->shape_count++;
}

/* Most blocks are of the shape that was last met of their size. */
uint32_t model_builder_shape(struct model_builder *builder, const struct heaptap_event *event)
{
    struct model *model = builder->model;
    uint32_t *last = &builder->last_shapes[event->length % MODEL_LAST_SHAPES];
    const struct model_shape *met = *last < model->shape_count ? &model->shapes[*last] : NULL;
    uint64_t first_half = peak_first_half(&model->estimate, event->id, event->samples);
    if (met && met->words == event->length && met->samples == event->samples &&
        met->first_half == first_half && met->domain == event->domain &&
        met->source == event->source)
        return *last;
    double words = (double)event->length + model->estimate.header_words;
    struct model_shape shape = {
        .words = event->length,
        .samples = event->samples,
        .first_half = first_half,
        .density = words > 0 ? (double)event->samples / words : (double)event->samples,
        .domain = event->domain,
        .source = (uint8_t)event->source,
    };
    estimate_see(&model->estimate, event->length);
    return *last = find_shape(model, &shape);
}

/* ---- Events -------------------------------------------------------------------------- */

static bool resize(void *column, size_t capacity, size_t item_bytes)
{
    void **items = column;
    void *grown = realloc(*items, capacity * item_bytes);
    if (grown)
        *items = grown;
    return grown;
}

static bool reserve(struct model_objects *objects, bool is_folded)
{
    enum { FIRST = 1024 };
    size_t capacity = objects->capacity ? objects->capacity * 2 : FIRST;
    if (objects->count < objects->capacity)
        return true;
    if (objects->count >= MODEL_NONE || !resize(&objects->stack, capacity, sizeof(uint32_t)) ||
        !resize(&objects->shape, capacity, sizeof(uint32_t)) ||
        !wide_column_resize(&objects->born_us, capacity) ||
        !wide_column_resize(&objects->died_us, capacity) ||
        (objects->promoted_us.low && !wide_column_resize(&objects->promoted_us, capacity)) ||
        !wide_column_resize(&objects->end, capacity) ||
        (objects->end_domain && !resize(&objects->end_domain, capacity, sizeof(uint16_t))) ||
        (is_folded && !wide_column_resize(&objects->birth, capacity)))
        return false;
    objects->capacity = capacity;
    return true;
}

static void count_live(struct model_builder *builder, uint32_t domain,
                       const struct model_shape *shape, int sign)
{
    peak_tracker_add(&builder->peak, domain, (int64_t)shape->first_half,
                     (int64_t)(shape->samples - shape->first_half), sign);
}

/* A row for a block that is born; MODEL_NONE when there is no memory. */
static uint32_t new_row(struct model_builder *builder)
{
    struct model_objects *objects = &builder->model->objects;
    uint32_t row = builder->folded ? folded_rows_take(builder->folded, builder->model) : MODEL_NONE;
    if (row == MODEL_NONE && reserve(objects, builder->folded))
        row = (uint32_t)objects->count++;
    return row;
}

/* Of a block that is alive.  False when there is no memory. */
static bool begin_life(struct model_objects *objects, uint32_t row, int64_t born_us,
                       uint32_t domain)
{
    if (objects->end_domain)
        objects->end_domain[row] = (uint16_t)domain;
    return wide_column_set(&objects->born_us, row, (uint64_t)born_us) &&
           wide_column_set(&objects->died_us, row, WIDE_COLUMN_NONE) &&
           wide_column_set(&objects->end, row, WIDE_COLUMN_NONE) &&
           (!objects->promoted_us.low ||
            wide_column_set(&objects->promoted_us, row, WIDE_COLUMN_NONE));
}

static bool add_allocation(struct model_builder *builder, const struct heaptap_event *event)
{
    struct model *model = builder->model;
    struct model_objects *objects = &model->objects;
    uint32_t node = stack_paths_follow(&builder->paths, &model->trie, event);
    uint32_t stack = node == STACK_NONE ? STACK_NONE : stack_trie_stack(&model->trie, node);
    uint32_t shape = stack == STACK_NONE ? MODEL_NONE : model_builder_shape(builder, event);
    bool fresh;
    uint32_t *known = shape == MODEL_NONE ? NULL : id_table_add(&builder->alive, event->id, &fresh);
    uint32_t row = known ? new_row(builder) : MODEL_NONE;
    if (row == MODEL_NONE)
        return false;
    *known = row;
    objects->stack[row] = stack;
    objects->shape[row] = shape;
    if (!begin_life(objects, row, builder->peak.now_us, event->domain) ||
        (builder->folded && !folded_rows_begin(builder->folded, model, row)))
        return false;
    model->shapes[shape].count++;
    model->shapes[shape].live++;
    count_live(builder, event->domain, &model->shapes[shape], 1);
    return true;
}

static bool add_promotion(struct model_builder *builder, uint32_t row)
{
    struct model_objects *objects = &builder->model->objects;
    if (!objects->promoted_us.low && !wide_column_resize(&objects->promoted_us, objects->capacity))
        return false;
    struct model_shape *shape = &builder->model->shapes[objects->shape[row]];
    if (shape->source != HEAPTAP_MINOR || model_time(&objects->promoted_us, row) != MODEL_NEVER)
        return true;
    shape->promoted++;
    return wide_column_set(&objects->promoted_us, row, (uint64_t)builder->peak.now_us);
}

/* The block's own is known by its shape.  False when there is no memory. */
static bool set_end_domain(struct model *model, uint32_t row, uint32_t domain)
{
    struct model_objects *objects = &model->objects;
    if (!objects->end_domain && domain == model->shapes[objects->shape[row]].domain)
        return true;
    if (!objects->end_domain) {
        objects->end_domain = malloc(objects->capacity * sizeof *objects->end_domain);
        for (size_t i = 0; objects->end_domain && i < objects->count; i++)
            objects->end_domain[i] =
                objects->shape[i] == MODEL_NONE ? 0 : model->shapes[objects->shape[i]].domain;
    }
    if (objects->end_domain)
        objects->end_domain[row] = (uint16_t)domain;
    return objects->end_domain;
}

static bool add_end(struct model_builder *builder, const struct heaptap_event *event, uint32_t row)
{
    struct model_objects *objects = &builder->model->objects;
    struct model_shape *shape = &builder->model->shapes[objects->shape[row]];
    if (!wide_column_set(&objects->died_us, row, (uint64_t)builder->peak.now_us) ||
        !wide_column_set(&objects->end, row, builder->peak.births) ||
        !set_end_domain(builder->model, row, event->domain))
        return false;
    count_live(builder, event->domain, shape, -1);
    shape->live--;
    id_table_remove(&builder->alive, event->id);
    if (builder->ended)
        builder->ended(builder->ended_context, event->id, row);
    return !builder->folded || folded_rows_end(builder->folded, builder->model, row);
}

/* The process that has the block ends: all that is alive of its domain is gone. */
static void add_exit(struct model_builder *builder, const struct heaptap_event *event, uint32_t row)
{
    struct model *model = builder->model;
    struct model_domain *domain = &model->domains[event->domain];
    model->has_exits = true;
    domain->exit_us = builder->peak.now_us;
    domain->exit_births = builder->peak.births;
    count_live(builder, event->domain, &model->shapes[model->objects.shape[row]], -1);
}

/* Of a thinned model: as a lower rate would have sampled it.  A block that is left out is not known when it ends. */
static bool add_thinned(struct model_builder *builder, const struct heaptap_event *event)
{
    struct heaptap_event thinned = *event;
    thinned.samples =
        random_binomial(&builder->random, event->samples, 1 / builder->model->thinned);
    if (thinned.samples > 0)
        return add_allocation(builder, &thinned);
    return stack_paths_follow(&builder->paths, &builder->model->trie, event) != STACK_NONE;
}

/* Before the first event. */
static void thin(struct model_builder *builder, double factor)
{
    struct model *model = builder->model;
    model->thinned = factor;
    model->info.sample_rate /= factor;
    model->estimate = estimate_of(&model->info);
    peak_tracker_init(&builder->peak, model->info.sample_rate);
    random_init(&builder->random, 1);
}

bool model_builder_add(struct model_builder *builder, const struct heaptap_event *event)
{
    if (builder->bounds && event->time_us > builder->bounds->end_us)
        return true;
    peak_tracker_move(&builder->peak, event->time_us);
    if (event->kind == HEAPTAP_ALLOC)
        return builder->model->thinned > 1 ? add_thinned(builder, event)
                                           : add_allocation(builder, event);
    const uint32_t *row = id_table_find(&builder->alive, event->id);
    if (!row)
        return true;
    if (event->kind == HEAPTAP_PROMOTE)
        return add_promotion(builder, *row);
    if (event->kind == HEAPTAP_EXIT) {
        add_exit(builder, event, *row);
        return true;
    }
    return add_end(builder, event, *row);
}

/* ---- The whole ----------------------------------------------------------------------- */

struct model *model_builder_finish(struct model_builder *builder,
                                   const struct heaptap_reader *reader)
{
    struct model *model = builder->model;
    if (builder->folded && !folded_rows_finish(builder->folded, model))
        return NULL;
    peak_tracker_finish(&builder->peak);
    const struct run_bounds *bounds = builder->bounds;
    model->peak = bounds ? bounds->peak : builder->peak.peak;
    model->end_us = bounds ? bounds->end_us : run_end_us(reader, builder->peak.now_us);
    if (!model_take_metadata(model, reader) || !model_find_wrappers(model))
        return NULL;
    builder->model = NULL;
    return model;
}

/* Reads on to the end; `done` is false where memory has run out already. */
static enum heaptap_status read_all(struct model_builder *builder, bool done, struct model **model,
                                    struct heaptap_reader *reader, const struct model_watch *watch,
                                    struct heaptap_error *error)
{
    struct heaptap_event event;
    enum heaptap_status status = HEAPTAP_OK;
    done = done && model_take_processes(builder->model, reader);
    for (size_t i = 1; done && (status = heaptap_reader_next(reader, &event, error)) == HEAPTAP_OK;
         i++) {
        if (i == 1)
            model_take_heap(builder->model, reader);
        done = model_builder_add(builder, &event);
        if (done && builder->most_nodes && builder->model->trie.count > builder->most_nodes) {
            model_builder_release(builder);
            return error_at(error, event.offset,
                            "the trace's stacks have more than %zu different frames and callers",
                            builder->most_nodes);
        }
        if (watch && i % MODEL_WATCH_EVENTS == 1)
            watch->tell(watch->context, reader, event.offset);
    }
    *model = done ? model_builder_finish(builder, reader) : NULL;
    model_builder_release(builder);
    if (!*model)
        return error_no_memory(error);
    stack_trie_finish(&(*model)->trie);
    return status == HEAPTAP_END ? HEAPTAP_OK : status;
}

enum heaptap_status model_read_watched(struct model **model, struct heaptap_reader *reader,
                                       const struct model_watch *watch, struct heaptap_error *error)
{
    struct model_builder builder;
    bool done = model_builder_init(&builder, heaptap_reader_info(reader));
    if (done && watch && watch->thinning > 1)
        thin(&builder, watch->thinning);
    return read_all(&builder, done, model, reader, watch, error);
}

enum heaptap_status model_read_folded(struct model **model, struct heaptap_reader *reader,
                                      const struct folded_question *question,
                                      const struct run_bounds *bounds, struct heaptap_error *error)
{
    struct model_builder builder;
    struct folded_rows folded = {0};
    bool done = model_builder_init(&builder, heaptap_reader_info(reader)) &&
                folded_rows_init(&folded, builder.model, question, bounds);
    builder.folded = &folded;
    builder.most_nodes = question->most_nodes;
    builder.bounds = bounds;
    enum heaptap_status status = read_all(&builder, done, model, reader, NULL, error);
    folded_rows_release(&folded);
    return status;
}

enum heaptap_status model_read(struct model **model, struct heaptap_reader *reader,
                               struct heaptap_error *error)
{
    return model_read_watched(model, reader, NULL, error);
}

struct model *model_of_sums(struct stack_profile *sums, const struct heaptap_reader *reader)
{
    struct model_builder builder;
    struct model *model = NULL;
    if (model_builder_init(&builder, heaptap_reader_info(reader))) {
        stack_trie_release(&builder.model->trie);
        builder.model->trie = sums->trie;
        builder.model->sums = sums->tallies;
        sums->trie = (struct stack_trie){0};
        sums->tallies = NULL;
        model = model_take_processes(builder.model, reader) ? model_builder_finish(&builder, reader)
                                                            : NULL;
        if (model)
            stack_trie_finish(&model->trie);
    }
    model_builder_release(&builder);
    return model;
}

enum heaptap_status model_read_sums(struct model **model, struct heaptap_reader *reader,
                                    struct heaptap_error *error)
{
    struct stack_profile sums;
    struct heaptap_event event;
    enum heaptap_status status = HEAPTAP_OK;
    *model = NULL;
    if (!stack_profile_init(&sums, heaptap_reader_info(reader)))
        return error_no_memory(error);
    bool done = true;
    while (done && (status = heaptap_reader_next(reader, &event, error)) == HEAPTAP_OK)
        done = event.kind != HEAPTAP_ALLOC || stack_profile_add(&sums, &event);
    if (done)
        *model = model_of_sums(&sums, reader);
    stack_profile_release(&sums);
    if (!*model)
        return error_no_memory(error);
    return status == HEAPTAP_END ? HEAPTAP_OK : status;
}
