/* Rows of values by stack.  Sets of labels are interned: a profile has few, and a filter looks at
 * each of them once. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/saturate.h"
#include "base/unit_names.h"
#include "profile/model.h"

bool model_add_value_type(struct model *model, const char *name, const char *unit)
{
    struct model_samples *samples = &model->samples;
    struct model_value_type type = {model_text(model, name), model_text(model, unit)};
    if (!type.name || !type.unit ||
        !ARRAY_RESERVE(&samples->types, &samples->type_capacity, samples->type_count + 1))
        return false;
    samples->default_type = samples->type_count;
    samples->types[samples->type_count++] = type;
    return true;
}

long model_find_value_type(const struct model *model, const char *name)
{
    for (size_t i = 0; i < model->samples.type_count; i++)
        if (strcmp(model->samples.types[i].name, name) == 0)
            return (long)i;
    return -1;
}

/* ---- Labels -------------------------------------------------------------------------- */

static uint64_t hash_labels(const struct model_label *labels, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) {
        hash = map_mix(hash, (uint64_t)(uintptr_t)labels[i].key);
        hash = map_mix(hash, (uint64_t)(uintptr_t)labels[i].text ^ (uint64_t)labels[i].number);
        hash = map_mix(hash, (uint64_t)(uintptr_t)labels[i].unit);
    }
    return hash;
}

static bool is_same(const struct model_label *a, const struct model_label *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].key != b[i].key || a[i].text != b[i].text || a[i].number != b[i].number ||
            a[i].unit != b[i].unit)
            return false;
    return true;
}

/* Puts the labels, with their texts interned, behind those that there are. */
static bool append(struct model *model, const struct model_label *labels, size_t count)
{
    struct model_samples *samples = &model->samples;
    if (!ARRAY_RESERVE(&samples->label, &samples->label_capacity, samples->label_count + count))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct model_label *label = &samples->label[samples->label_count + i];
        *label = (struct model_label){
            .key = model_text(model, labels[i].key),
            .text = labels[i].text ? model_text(model, labels[i].text) : NULL,
            .number = labels[i].text ? 0 : labels[i].number,
            .unit = model_text(model, labels[i].unit),
        };
        if (!label->key || !label->unit || (labels[i].text && !label->text))
            return false;
    }
    return true;
}

uint32_t model_label_set(struct model *model, const struct model_label *labels, size_t count)
{
    struct model_samples *samples = &model->samples;
    bool fresh;
    if (count == 0 && samples->set_count > 0)
        return 0;
    if (samples->set_count >= MODEL_NONE - 1 || samples->label_count + count >= MODEL_NONE ||
        !ARRAY_RESERVE(&samples->sets, &samples->set_capacity, samples->set_count + 1) ||
        !append(model, labels, count))
        return MODEL_NONE;
    const struct model_label *mine =
        samples->label ? samples->label + samples->label_count : samples->label;
    uint32_t *newest = map_put(&samples->sets_by_hash, hash_labels(mine, count),
                               (uint32_t)samples->set_count, &fresh);
    if (!newest)
        return MODEL_NONE;
    for (uint32_t i = fresh ? MODEL_NONE : *newest; i != MODEL_NONE; i = samples->sets[i].next)
        if (samples->sets[i].count == count &&
            is_same(samples->label + samples->sets[i].first, mine, count))
            return i;
    samples->sets[samples->set_count] = (struct model_label_set){
        (uint32_t)samples->label_count, (uint32_t)count, fresh ? MODEL_NONE : *newest};
    samples->label_count += count;
    return *newest = (uint32_t)samples->set_count++;
}

/* ---- Rows ---------------------------------------------------------------------------- */

static bool reserve(struct model_samples *samples)
{
    size_t capacity = samples->capacity;
    if (samples->count < capacity)
        return true;
    if (!ARRAY_RESERVE(&samples->stack, &capacity, samples->count + 1))
        return false;
    uint32_t *labels = realloc(samples->labels, capacity * sizeof *labels);
    if (!labels)
        return false;
    samples->labels = labels;
    samples->capacity = capacity;
    return true;
}

static bool is_zero(const int64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] != 0)
            return false;
    return true;
}

/* Adds the values of a sample to its row's, of which the new ones may be the first. */
static void add_values(struct model_samples *samples, size_t row, const int64_t *values)
{
    int64_t *sums = samples->values + row * samples->type_count;
    for (size_t i = 0; i < samples->type_count; i++) {
        sums[i] = saturate_add(sums[i], values[i]);
        samples->is_cut |= saturate_has(sums[i]);
    }
}

bool model_add_sample(struct model *model, uint32_t stack, uint32_t label_set,
                      const int64_t *values)
{
    struct model_samples *samples = &model->samples;
    size_t types = samples->type_count;
    bool fresh;
    if (is_zero(values, types))
        return true;
    if (samples->count >= MODEL_NONE)
        return false;
    uint32_t *row = map_put(&samples->rows, (uint64_t)label_set << 32 | stack,
                            (uint32_t)samples->count, &fresh);
    if (!row)
        return false;
    if (!fresh) {
        add_values(samples, *row, values);
        return true;
    }
    if (!reserve(samples) ||
        !ARRAY_RESERVE(&samples->values, &samples->value_capacity, (samples->count + 1) * types))
        return false;
    samples->stack[samples->count] = stack;
    samples->labels[samples->count] = label_set;
    memset(samples->values + samples->count * types, 0, types * sizeof *values);
    add_values(samples, samples->count++, values);
    return true;
}

bool model_samples_end(struct model *model)
{
    map_release(&model->samples.rows);
    stack_trie_finish(&model->trie);
    return model_find_wrappers(model);
}

/* ---- Units --------------------------------------------------------------------------- */

static void multiply(struct model_samples *samples, size_t type, int64_t factor)
{
    for (size_t row = 0; row < samples->count; row++) {
        int64_t *value = &samples->values[row * samples->type_count + type];
        *value = saturate_multiply(*value, factor);
        samples->is_cut |= saturate_has(*value);
    }
}

bool model_to_base_units(struct model *model)
{
    struct model_samples *samples = &model->samples;
    for (size_t type = 0; type < samples->type_count; type++) {
        double factor;
        const char *unit = model_text(model, unit_base(samples->types[type].unit, &factor));
        if (!unit)
            return false;
        samples->types[type].unit = unit;
        if (factor != 1)
            multiply(samples, type, (int64_t)factor);
    }
    return true;
}
