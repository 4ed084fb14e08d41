#include "pprof/symbolize/known_places.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/clock.h"
#include "pprof/symbolize/symbolize.h"

void known_places_release(struct known_places *known)
{
    map_release(&known->by_key);
    names_release(&known->names);
    free(known->items);
    free(known->lines);
    *known = (struct known_places){0};
}

static uint64_t key_of(const struct model *model, const struct model_frame *location)
{
    const struct model_module *mapping = &model->modules[location->module];
    const char *file = *mapping->build_id ? mapping->build_id : mapping->path;
    uint64_t offset = location->code - mapping->start + mapping->file_offset;
    return XXH3_64bits_withSeed(file, strlen(file), offset) | 1; /* never 0 */
}

static bool has_id(const struct model_module *mapping)
{
    uint8_t id[HEAPTAP_BUILD_ID_MAX];
    return symbolize_build_id(mapping, id) > 0;
}

uint64_t *known_places_keys(const struct model *model, bool by_id, size_t *wanted)
{
    uint64_t *keys = calloc(model->frame_count + 1, sizeof *keys);
    *wanted = 0;
    for (size_t i = 0; keys && i < model->frame_count; i++) {
        const struct model_frame *location = &model->frames[i];
        if (!symbolize_pprof_wants(model, location) ||
            (by_id && !has_id(&model->modules[location->module])))
            continue;
        keys[i] = key_of(model, location);
        ++*wanted;
    }
    return keys;
}

bool known_places_give(const struct known_places *known, struct model *model, uint64_t *keys,
                       int64_t again_s, size_t *left)
{
    int64_t now = clock_us(CLOCK_MONOTONIC) / 1000000;
    bool done = true;
    *left = 0;
    for (size_t i = 0; done && i < model->frame_count; i++) {
        const uint32_t *index = keys[i] ? map_find(&known->by_key, keys[i]) : NULL;
        const struct known_place *place = index ? &known->items[*index] : NULL;
        if (place && place->line_count > 0)
            done = model_name_frame(model, (uint32_t)i, known->lines + place->first_line,
                                    place->line_count);
        if (place && now - place->missed_s < again_s)
            keys[i] = 0;
        *left += keys[i] != 0;
    }
    return done;
}

static bool learn_lines(struct known_places *known, struct known_place *place,
                        const struct heaptap_location *lines, uint32_t count)
{
    if (!ARRAY_RESERVE(&known->lines, &known->line_capacity, known->line_count + count))
        return false;
    place->first_line = known->line_count;
    place->line_count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct heaptap_location *line = &known->lines[known->line_count++];
        *line = lines[i];
        line->file = names_copy(&known->names, line->file);
        line->function = names_copy(&known->names, line->function);
        if (!line->file || !line->function)
            return false;
    }
    return true;
}

/* What is missed again has the lines that it has. */
static bool learn(struct known_places *known, const struct model *model, size_t number,
                  uint64_t key)
{
    const struct model_frame *location = &model->frames[number];
    bool is_missed = symbolize_pprof_wants(model, location), fresh;
    if (!ARRAY_RESERVE(&known->items, &known->capacity, known->count + 1))
        return false;
    uint32_t *index = map_put(&known->by_key, key, (uint32_t)known->count, &fresh);
    if (!index)
        return false;
    struct known_place *place = &known->items[*index];
    if (fresh)
        known->items[known->count++] = (struct known_place){0};
    place->missed_s = is_missed ? clock_us(CLOCK_MONOTONIC) / 1000000 : INT64_MAX;
    return (is_missed && !fresh) ||
           learn_lines(known, place, model->lines + location->first_line, location->line_count);
}

bool known_places_learn(struct known_places *known, const struct model *model, const uint64_t *keys)
{
    bool done = true;
    for (size_t i = 0; done && i < model->frame_count; i++)
        done = !keys[i] || learn(known, model, i, keys[i]);
    return done;
}
