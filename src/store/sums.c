/* How far a sum may be off.
 *
 * A recording of heaptap has samples, which weigh what they stand for: the variance of a sum of them is estimated by the sum of
 * the squares of their weights, times 1 - rate (profile/estimate.h).
 *
 * A profile of values says none of that, but one of Go, or of another profiler that draws bytes one period apart, can be
 * asked back.  A block of s bytes is seen with probability p = 1 - exp(-s / period), and stands for 1 / p blocks.  So a sample
 * of b bytes in o objects, of s = b / o bytes each, is made of about n = o p blocks that were seen, and its variance is about
 * n (1 - p) (s / p)^2 in bytes, n (1 - p) / p^2 in objects.
 *
 * In a profile of heaptap's own, each byte is drawn by itself, and a block has as many samples as were drawn of it: large blocks
 * are off as much as small ones of the same bytes.  There n = b / period, and each of these samples stands for one n-th of the
 * bytes and of the objects.  Of blocks that have many samples each there may be half a one, by estimate: it is in the file as
 * one or as none, which is another error, and for few of them the larger one. */
#include "store/sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/unit_names.h"
#include "profile/quantity.h"

const char store_sums_insert[] =
    "INSERT INTO sample VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
    " value = value + excluded.value, samples = samples + excluded.samples,"
    " variance = variance + excluded.variance";

bool store_sums_init(struct store_sums *sums, const struct model *model,
                     const struct store_upload *upload)
{
    *sums = (struct store_sums){.model = model, .upload = upload};
    sums->items = calloc(model->trie.stack_count + 1, sizeof *sums->items);
    return sums->items;
}

void store_sums_release(struct store_sums *sums)
{
    free(sums->items);
}

/* ---- Of blocks ----------------------------------------------------------------------- */

/* What is allocated and what is alive; what was promoted or freed follows from neither being kept. */
static const struct quantity *block_type(size_t number)
{
    const struct quantity *quantity;
    for (size_t i = 0; (quantity = quantity_at(i)); i++)
        if ((quantity->quantity == SELECT_ALLOCATED || quantity->quantity == SELECT_LIVE) &&
            number-- == 0)
            return quantity;
    return NULL;
}

static void add_block(struct store_sum *sum, const struct model *model, size_t row,
                      enum stack_weight weight)
{
    const struct estimate *estimate = &model->estimate;
    struct stack_tally tally = {0};
    struct matcher_life life = matcher_whole_life(model, row);
    selection_add_row(&tally, model, row, &life);
    struct estimate_sum one = weight == WEIGHT_BYTES ? stack_tally_bytes_sum(&tally, estimate)
                                                     : stack_tally_objects_sum(&tally, estimate);
    sum->value += one.value;
    sum->samples += one.samples;
    sum->variance += one.squares * (1 - estimate->sample_rate);
}

static void take_blocks(struct store_sums *sums, const struct quantity *type)
{
    const struct model_objects *objects = &sums->model->objects;
    for (size_t i = 0; i < objects->count; i++)
        if (type->quantity == SELECT_ALLOCATED || model_row_died_us(sums->model, i) == MODEL_NEVER)
            add_block(&sums->items[objects->stack[i]], sums->model, i, type->weight);
    sums->has_error = true;
}

/* ---- Of values ----------------------------------------------------------------------- */

/* The type that counts the objects of one of bytes, and the other way round; -1 for none. */
static long partner_of(const struct model_samples *samples, size_t type)
{
    static const char space[] = "space", objects[] = "objects";
    const char *name = samples->types[type].name, *end = strrchr(name, '_');
    if (!end || (strcmp(end + 1, space) != 0 && strcmp(end + 1, objects) != 0))
        return -1;
    const char *other = strcmp(end + 1, space) == 0 ? objects : space;
    for (size_t i = 0; i < samples->type_count; i++)
        if (strncmp(samples->types[i].name, name, (size_t)(end + 1 - name)) == 0 &&
            strcmp(samples->types[i].name + (end + 1 - name), other) == 0)
            return (long)i;
    return -1;
}

/* Adds the sums explained at the top of this file, of samples of equal weight that were drawn with a probability. */
static void add_error(struct store_sum *sum, double count, double value, double probability)
{
    if (count <= 0)
        return;
    sum->samples += count;
    sum->variance += (1 - probability) * value * value / count;
}

/* How many samples there are of so many bytes, and how likely it is that one of these is drawn. */
static double samples_in(const struct store_upload *upload, double objects, double bytes,
                         double *probability)
{
    double period = upload->period_bytes;
    bool is_whole = period <= 1;
    if (upload->is_by_byte) {
        *probability = is_whole ? 1 : 1 / period;
        return bytes * *probability;
    }
    *probability = is_whole || objects <= 0 ? 1 : -expm1(-bytes / objects / period);
    return objects * *probability;
}

/* The variance that rounding adds to a number of objects: at most 1 / 4, but where 0 would not be here at all, the ones stand for
 * these, too. */
static double rounding_error(double objects, double count)
{
    bool is_rounded = objects > 0 && count > objects;
    return !is_rounded ? 0 : objects > 1 ? 0.25 : 1;
}

/* What a type's values are to be multiplied with, to be those that a store has: all hosts' are in bytes, whatever they send. */
static double factor_of(const struct model_samples *samples, size_t type)
{
    double factor;
    unit_base(samples->types[type].unit, &factor);
    return factor;
}

static void take_values(struct store_sums *sums, size_t type)
{
    const struct model_samples *samples = &sums->model->samples;
    long partner = sums->upload->period_bytes > 0 ? partner_of(samples, type) : -1;
    bool of_bytes = strcmp(store_sums_type(sums, type).unit, "bytes") == 0;
    double factor = factor_of(samples, type);
    double other_factor = partner >= 0 ? factor_of(samples, (size_t)partner) : 1;
    for (size_t i = 0; i < samples->count; i++) {
        const int64_t *values = samples->values + i * samples->type_count;
        struct store_sum *sum = &sums->items[samples->stack[i]];
        double own = (double)values[type] * factor;
        sum->value += own;
        if (partner >= 0) {
            double other = (double)values[partner] * other_factor, probability;
            double count = samples_in(sums->upload, of_bytes ? other : own, of_bytes ? own : other,
                                      &probability);
            add_error(sum, count, own, probability);
            if (sums->upload->is_by_byte && !of_bytes && probability < 1)
                sum->variance += rounding_error(own, count);
        }
    }
    sums->has_error = partner >= 0;
}

/* ---- Of both ------------------------------------------------------------------------- */

bool store_type_is_level(const char *name)
{
    return strncmp(name, "inuse", 5) == 0;
}

struct store_type store_sums_type(const struct store_sums *sums, size_t number)
{
    const struct model_samples *samples = &sums->model->samples;
    struct store_type type = {0};
    if (sums->model->kind == MODEL_OBJECTS) {
        const struct quantity *quantity = block_type(number);
        if (quantity)
            type = (struct store_type){quantity->name, quantity->unit, false};
    } else if (number < samples->type_count) {
        double factor;
        type = (struct store_type){samples->types[number].name,
                                   unit_base(samples->types[number].unit, &factor), false};
    }
    type.is_level = type.name && store_type_is_level(type.name);
    return type;
}

bool store_sums_is_repeated(const struct store_sums *sums, size_t number)
{
    struct store_type type = store_sums_type(sums, number);
    for (size_t i = 0; i < number; i++) {
        struct store_type before = store_sums_type(sums, i);
        if (strcmp(before.name, type.name) == 0 && strcmp(before.unit, type.unit) == 0)
            return true;
    }
    return false;
}

void store_sums_take(struct store_sums *sums, size_t number)
{
    memset(sums->items, 0, sums->model->trie.stack_count * sizeof *sums->items);
    if (sums->model->kind == MODEL_OBJECTS)
        take_blocks(sums, block_type(number));
    else
        take_values(sums, number);
}
