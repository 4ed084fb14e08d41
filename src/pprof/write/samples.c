/* A profile has as many samples as a trace has stacks and sizes, so they are put together in place,
 * without the detour of protobuf_begin and its kin, which must find out how long a message becomes.
 *
 * They are written depth first along their stacks: what is again as it was in the sample before
 * costs a compressor little.  Where events refer to samples, these stay in the order in which they
 * were first met. */
#include <stdlib.h>
#include <string.h>

#include "pprof/write/stacks.h"
#include "pprof/write/writing.h"

struct samples {
    struct pprof_writing *writing;
    struct pprof_stacks stacks;
    double carry[PPROF_VALUES]; /* what rounding has left over */
    uint64_t bytes;             /* the number of the string "bytes" */
    int type_count;
};

/* ---- Values ------------------------------------------------------------------------- */

/* Adds what a group says of each type. */
static void add_values(const struct pprof_writing *writing, uint32_t group, double *values)
{
    const struct block_groups *groups = writing->export->groups;
    const struct block_group *sums = &groups->items[group];
    double length = (double)block_groups_length(groups, group);
    uint64_t samples[PPROF_COUNTED] = {sums->allocated, sums->live, sums->promoted};
    for (int i = 0; i < PPROF_COUNTED; i++) {
        if (samples[i] == 0)
            continue;
        double *objects = &values[pprof_counted[i]], *bytes = objects + 1;
        *objects += estimate_objects(&groups->estimate, (double)samples[i], length);
        *bytes += estimate_bytes(&groups->estimate, (double)samples[i]);
    }
    values[PPROF_LIFETIME] += estimate_objects(&groups->estimate, sums->lifetimes_us, length) *
                              pprof_time_units[writing->time_unit].per_us;
}

void pprof_samples_choose_unit(struct pprof_writing *writing)
{
    const struct block_groups *groups = writing->export->groups;
    double total_us = 0;
    for (size_t i = 0; i < groups->count; i++)
        total_us += estimate_objects(&groups->estimate, groups->items[i].lifetimes_us,
                                     (double)block_groups_length(groups, i));
    while (total_us * pprof_time_units[writing->time_unit].per_us >= PPROF_VALUE_MAX &&
           writing->time_unit < PPROF_TIME_UNITS - 1)
        writing->time_unit++;
}

/* ---- Order -------------------------------------------------------------------------- */

/* By place in the file: the group; those of a stack together, behind all those of the stacks that
 * go on from it.  So what the samples through a node take begins where those through its caller's
 * earlier callees end, and its own come where its callees have left off: one number a node, which
 * is how many there are at first. */
static uint32_t *order_groups(const struct block_groups *groups, uint32_t *through)
{
    const struct stack_trie *trie = &groups->trie;
    uint32_t *order = malloc((groups->count + 1) * sizeof *order);
    if (!order)
        return NULL;
    through[STACK_ROOT] = 0;
    for (size_t node = STACK_ROOT + 1; node < trie->count; node++) {
        uint32_t *next = &through[trie->nodes[node].parent], count = through[node];
        through[node] = *next;
        *next += count;
    }
    for (size_t i = 0; i < groups->count; i++)
        order[through[trie->ends[groups->kinds[i].stack]]++] = (uint32_t)i;
    return order;
}

/* ---- Samples ------------------------------------------------------------------------ */

enum { FIELD_BYTES = 1 + WIRE_VARINT_MAX, BEHIND_BYTES = (PPROF_VALUES + 7) * FIELD_BYTES };

static uint8_t *put_head(uint8_t *at, unsigned field, size_t size)
{
    *at = (uint8_t)(field << 3 | WIRE_BYTES);
    return wire_encode(at + 1, size);
}

static uint8_t *put_number(uint8_t *at, unsigned field, uint64_t value)
{
    *at = (uint8_t)(field << 3);
    return wire_encode(at + 1, value);
}

/* A field of less than 128 bytes. */
static uint8_t *put_short(uint8_t *at, unsigned field, const uint8_t *bytes, const uint8_t *end)
{
    at = put_head(at, field, (size_t)(end - bytes));
    memcpy(at, bytes, (size_t)(end - bytes));
    return at + (end - bytes);
}

static uint8_t *put_values(struct samples *samples, const double *values, uint8_t *at)
{
    uint8_t list[PPROF_VALUES * WIRE_VARINT_MAX], *end = list;
    for (int i = 0; i < samples->type_count; i++) {
        if (values[i] == 0)
            *end++ = 0; /* as pprof_round does */
        else
            end = wire_encode(end, pprof_round(values[i], &samples->carry[i]));
    }
    return put_short(at, SAMPLE_VALUE, list, end);
}

static uint8_t *put_label(const struct samples *samples, uint64_t size_bytes, uint8_t *at)
{
    uint8_t label[3 * FIELD_BYTES], *end = put_number(label, LABEL_KEY, samples->bytes);
    end = put_number(end, LABEL_NUMBER, size_bytes);
    end = put_number(end, LABEL_UNIT, samples->bytes);
    return put_short(at, SAMPLE_LABEL, label, end);
}

/* A sample of the blocks of `group`, or of several such with one stack. */
static void put_sample(struct samples *samples, uint32_t group, const double *values)
{
    struct pprof_writing *writing = samples->writing;
    const struct block_groups *groups = writing->export->groups;
    uint8_t behind[BEHIND_BYTES], *behind_end = put_values(samples, values, behind);
    size_t stack_size, word_bytes = writing->export->info->word_bits / 8;
    if (!writing->export->no_sizes)
        behind_end =
            put_label(samples, block_groups_length(groups, group) * word_bytes, behind_end);
    const uint8_t *stack = pprof_stacks_pack(
        &samples->stacks, groups->trie.ends[groups->kinds[group].stack], &stack_size);
    uint8_t head[FIELD_BYTES];
    size_t behind_size = (size_t)(behind_end - behind);
    size_t head_size = (size_t)(put_head(head, SAMPLE_LOCATION, stack_size) - head);
    uint8_t *at = !stack ? NULL
                         : protobuf_reserve(&writing->encoding.out,
                                            FIELD_BYTES + head_size + stack_size + behind_size);
    if (!at) {
        writing->encoding.failed = true;
        return;
    }
    at = put_head(at, PROFILE_SAMPLE, head_size + stack_size + behind_size);
    at = mempcpy(at, head, head_size);
    at = mempcpy(at, stack, stack_size);
    protobuf_put_up_to(&writing->encoding.out, mempcpy(at, behind, behind_size));
}

/* Of the groups of a stack, one sample each, or one of all. */
static void put_groups(struct samples *samples, const uint32_t *order)
{
    const struct pprof_writing *writing = samples->writing;
    const struct block_groups *groups = writing->export->groups;
    double values[PPROF_VALUES] = {0};
    for (size_t i = 0; i < groups->count; i++) {
        uint32_t group = order ? order[i] : (uint32_t)i;
        bool goes_on = writing->export->no_sizes && i + 1 < groups->count &&
                       groups->kinds[order[i + 1]].stack == groups->kinds[group].stack;
        add_values(writing, group, values);
        if (goes_on)
            continue;
        put_sample(samples, group, values);
        memset(values, 0, sizeof values);
    }
}

void pprof_samples_put(struct pprof_writing *writing)
{
    const struct pprof_export *export = writing->export;
    const struct model *model = writing->encoding.model;
    struct samples samples = {
        .writing = writing,
        .bytes = pprof_strings_number(&writing->encoding.strings, model->file->period_type.unit),
        .type_count = (int)model->samples.type_count};
    uint32_t *order = export->events ? NULL : order_groups(export->groups, writing->through);
    if ((order || export->events) &&
        pprof_stacks_init(&samples.stacks, &export->groups->trie, writing->location_ids,
                          export->frames->frame_count))
        put_groups(&samples, order);
    else
        writing->encoding.failed = true;
    pprof_stacks_release(&samples.stacks);
    free(order);
}
