/* Rows are summed up by shape and by type, or by set of labels, of which there are few; then each of these becomes
 * tags. */
#include "report/calls/label_sums.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/measure.h"
#include "base/path.h"

struct build {
    struct tags *tags;
    const struct matcher *matcher;
    const struct model *model;
    const struct tags_options *options;
    struct map units; /* by key: the first label that has one */
};

/* ---- Tags ------------------------------------------------------------------------------ */

/* Texts are interned, so that a tag is told by its pointers. */
static bool add_tag(struct build *build, const struct tag *tag, const struct stack_tally *tally)
{
    struct tags *tags = build->tags;
    bool fresh;
    const char *key = names_copy(&tags->names, tag->key);
    const char *text = names_copy(&tags->names, tag->text);
    uint64_t hash = (uint64_t)(uintptr_t)text * UINT64_C(0x9e3779b97f4a7c15) ^
                    (uint64_t)(uintptr_t)key << 1 ^ (uint64_t)tag->is_number;
    uint32_t *number =
        key && text ? map_put(&tags->by_text, hash, (uint32_t)tags->count, &fresh) : NULL;
    if (!number || !ARRAY_RESERVE(&tags->items, &tags->capacity, tags->count + 1))
        return false;
    if (fresh) {
        struct tag *item = &tags->items[tags->count++];
        *item = *tag;
        item->key = key;
        item->text = text;
    }
    stack_tally_sum(&tags->items[*number].tally, tally);
    return true;
}

static bool add_text(struct build *build, const char *key, const char *text,
                     const struct stack_tally *tally)
{
    return add_tag(build, &(struct tag){.key = key, .text = text, .unit = ""}, tally);
}

static bool add_number(struct build *build, const char *key, int64_t number, const char *unit,
                       const struct stack_tally *tally)
{
    char text[MEASURE_TEXT_BYTES];
    struct tag tag = {.key = key,
                      .text = text,
                      .is_number = true,
                      .number = number,
                      .unit = strcmp(unit, key) == 0 && !measure_is_bytes(unit) ? "" : unit};
    if (build->options->unit && *unit)
        measure_text(text, (double)number, unit, build->options->unit);
    else
        snprintf(text, sizeof text, "%" PRId64, number);
    return add_tag(build, &tag, tally);
}

/* ---- Of a trace ------------------------------------------------------------------------ */

static bool add_domain(struct build *build, unsigned number, const struct stack_tally *tally)
{
    static const struct model_domain unknown = {"", 0, "", 0};
    const struct model *model = build->model;
    const struct model_domain *domain =
        number < model->domain_count ? &model->domains[number] : &unknown;
    return (model->process_count == 0 ||
            (add_text(build, "program", path_file(domain->program), tally) &&
             add_number(build, "pid", (int64_t)domain->pid, "", tally))) &&
           add_number(build, "domain", number, "", tally) &&
           (*domain->name ? add_text(build, "thread", domain->name, tally)
            : domain->thread == 0
                ? true
                : add_number(build, "thread", (int64_t)domain->thread, "", tally));
}

static bool add_shape(struct build *build, const struct model_shape *shape,
                      const struct stack_tally *tally)
{
    static const char *const sources[] = {
        [HEAPTAP_MINOR] = "minor", [HEAPTAP_MAJOR] = "major", [HEAPTAP_EXTERNAL] = "external"};
    double bytes = model_shape_bytes(build->model, shape);
    return tally->events == 0 || (add_number(build, "size", (int64_t)bytes, "bytes", tally) &&
                                  add_text(build, "source", sources[shape->source], tally) &&
                                  add_domain(build, shape->domain, tally));
}

static void sum_objects(const struct build *build, struct stack_tally *by_shape,
                        struct stack_tally *by_type)
{
    const struct model *model = build->model;
    const struct model_objects *objects = &model->objects;
    struct matcher_life life;
    for (size_t row = 0; row < objects->count; row++) {
        if (!matcher_object(build->matcher, row, &life) ||
            !selection_counts(build->options->selection->quantity, build->matcher, row, &life))
            continue;
        uint32_t type = model_stack_type(model, objects->stack[row]);
        selection_add_row(&by_shape[objects->shape[row]], model, row, &life);
        if (type != MODEL_NONE)
            selection_add_row(&by_type[type], model, row, &life);
    }
}

static bool add_objects(struct build *build)
{
    const struct model *model = build->model;
    struct stack_tally *by_shape = calloc(model->shape_count + 1, sizeof *by_shape);
    struct stack_tally *by_type = calloc(model->type_count + 1, sizeof *by_type);
    bool done = by_shape && by_type;
    if (done)
        sum_objects(build, by_shape, by_type);
    for (size_t i = 0; done && i < model->shape_count; i++)
        done = add_shape(build, &model->shapes[i], &by_shape[i]);
    for (size_t i = 0; done && i < model->type_count; i++)
        if (by_type[i].events > 0)
            done = add_text(build, "type", model->types[i], &by_type[i]);
    free(by_shape);
    free(by_type);
    return done;
}

/* ---- Of a profile ---------------------------------------------------------------------- */

const char *tags_unit_of_key(const char *key)
{
    return strcmp(key, "request") == 0 || strcmp(key, "alignment") == 0 ? "bytes" : key;
}

/* pprof takes all numbers of a key for the unit that its first one has. */
static bool find_units(struct build *build)
{
    const struct model_samples *samples = &build->model->samples;
    bool fresh;
    for (size_t i = 0; i < samples->label_count; i++)
        if (!samples->label[i].text && *samples->label[i].unit &&
            !map_put(&build->units, (uint64_t)(uintptr_t)samples->label[i].key, (uint32_t)i,
                     &fresh))
            return false;
    return true;
}

static const char *unit_of(const struct build *build, const char *key)
{
    const uint32_t *label = map_find(&build->units, (uint64_t)(uintptr_t)key);
    return label ? build->model->samples.label[*label].unit : tags_unit_of_key(key);
}

static bool add_labels(struct build *build, const struct model_label_set *set,
                       const struct stack_tally *tally)
{
    const struct model_samples *samples = &build->model->samples;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct model_label *label = &samples->label[set->first + i];
        if (label->text
                ? !add_text(build, label->key, label->text, tally)
                : !add_number(build, label->key, label->number, unit_of(build, label->key), tally))
            return false;
    }
    return true;
}

/* Those of no value, too: pprof lists them. */
static bool add_samples(struct build *build)
{
    const struct model_samples *samples = &build->model->samples;
    struct stack_tally *by_set = calloc(samples->set_count + 1, sizeof *by_set);
    bool *is_met = calloc(samples->set_count + 1, sizeof *is_met);
    size_t type = build->options->selection->value_type;
    bool done = by_set && is_met && find_units(build);
    for (size_t row = 0; done && row < samples->count; row++)
        if (matcher_sample(build->matcher, row)) {
            is_met[samples->labels[row]] = true;
            selection_add_value(&by_set[samples->labels[row]],
                                samples->values[row * samples->type_count + type]);
        }
    for (size_t i = 0; done && i < samples->set_count; i++)
        if (is_met[i])
            done = add_labels(build, &samples->sets[i], &by_set[i]);
    free(by_set);
    free(is_met);
    map_release(&build->units);
    return done;
}

/* ---- The result ------------------------------------------------------------------------ */

static int compare(const void *left, const void *right)
{
    const struct tag *a = left, *b = right;
    double x = fabs(a->value), y = fabs(b->value);
    return a->key != b->key ? strcmp(a->key, b->key)
           : x != y         ? (x > y ? -1 : 1)
                            : strcmp(a->text, b->text);
}

static bool group(struct tags *tags)
{
    if (tags->count > 1)
        qsort(tags->items, tags->count, sizeof *tags->items, compare);
    for (size_t i = 0; i < tags->count; i++) {
        const struct tag *tag = &tags->items[i];
        if (i == 0 || tag->key != tags->items[i - 1].key) {
            if (!ARRAY_RESERVE(&tags->keys, &tags->key_capacity, tags->key_count + 1))
                return false;
            tags->keys[tags->key_count++] = (struct tag_key){.name = tag->key, .first = i};
        }
        tags->keys[tags->key_count - 1].count++;
        tags->keys[tags->key_count - 1].total += tag->value;
    }
    return true;
}

bool tags_init(struct tags *tags, const struct matcher *matcher, const struct tags_options *options)
{
    struct build build = {tags, matcher, matcher->model, options, {0}};
    *tags = (struct tags){0};
    bool done = matcher->model->kind == MODEL_SAMPLES ? add_samples(&build) : add_objects(&build);
    for (size_t i = 0; done && i < tags->count; i++)
        tags->items[i].value =
            stack_tally_weight(&tags->items[i].tally, &matcher->model->estimate, options->weight);
    return done && group(tags);
}

void tags_release(struct tags *tags)
{
    free(tags->items);
    free(tags->keys);
    names_release(&tags->names);
    map_release(&tags->by_text);
    *tags = (struct tags){0};
}
