#include "profile/passing_blocks.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "profile/matcher.h"
#include "profile/model_trace.h"

/* A model, and the ids of its rows. */
struct reading {
    struct model_builder builder;
    struct model *model;
    uint64_t *ids;
    size_t capacity;
};

static bool add(struct reading *reading, const struct heaptap_event *event)
{
    size_t row = reading->builder.model->objects.count;
    if (!model_builder_add(&reading->builder, event))
        return false;
    if (reading->builder.model->objects.count == row)
        return true;
    if (!ARRAY_RESERVE(&reading->ids, &reading->capacity, row + 1))
        return false;
    reading->ids[row] = event->id;
    return true;
}

static bool read_all(struct reading *reading, struct heaptap_reader *reader)
{
    struct heaptap_event event;
    bool done = model_builder_init(&reading->builder, heaptap_reader_info(reader));
    while (done && heaptap_reader_next(reader, &event, NULL) == HEAPTAP_OK)
        done = add(reading, &event);
    reading->model = done ? model_builder_finish(&reading->builder, reader) : NULL;
    model_builder_release(&reading->builder);
    return reading->model;
}

static bool take_ids(struct passing_blocks *blocks, const struct matcher *matcher,
                     const uint64_t *ids)
{
    struct matcher_life life;
    bool fresh;
    for (size_t row = 0; row < matcher->model->objects.count; row++) {
        if (!matcher_object(matcher, row, &life))
            continue;
        uint8_t *halves = id_table_put(&blocks->ids, ids[row], &fresh);
        if (!halves)
            return false;
        *halves = (uint8_t)life.halves;
    }
    return true;
}

static enum heaptap_status match(struct passing_blocks *blocks, const struct reading *reading,
                                 const struct filter *filter, size_t *length,
                                 struct heaptap_error *error)
{
    struct matcher matcher;
    enum heaptap_status status = matcher_init(&matcher, reading->model, filter, length, error);
    if (status != HEAPTAP_OK)
        return status;
    blocks->whole = reading->model->objects.count;
    blocks->sample_rate = reading->model->info.sample_rate;
    blocks->moves_births = matcher.moves_births;
    blocks->moves_deaths = matcher.moves_deaths;
    bool done = take_ids(blocks, &matcher, reading->ids);
    matcher_release(&matcher);
    return done ? HEAPTAP_OK : error_no_memory(error);
}

enum heaptap_status passing_blocks_init(struct passing_blocks *blocks,
                                        struct heaptap_reader *reader, const struct filter *filter,
                                        size_t *length, struct heaptap_error *error)
{
    struct reading reading = {0};
    *blocks = (struct passing_blocks){0};
    id_table_init(&blocks->ids, 1);
    enum heaptap_status status = read_all(&reading, reader)
                                     ? match(blocks, &reading, filter, length, error)
                                     : error_no_memory(error);
    model_free(reading.model);
    free(reading.ids);
    if (status != HEAPTAP_OK)
        passing_blocks_release(blocks);
    return status;
}

void passing_blocks_release(struct passing_blocks *blocks)
{
    id_table_release(&blocks->ids);
}

uint64_t passing_blocks_samples(const struct passing_blocks *blocks, uint64_t id, uint64_t samples)
{
    const uint8_t *halves = id_table_find(&blocks->ids, id);
    if (!halves || *halves == MODEL_BOTH_HALVES)
        return halves ? samples : 0;
    uint64_t first = peak_first_half(id, samples, blocks->sample_rate);
    return *halves == 1 ? first : samples - first;
}
