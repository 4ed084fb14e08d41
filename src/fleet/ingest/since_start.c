#include "fleet/ingest/since_start.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/saturate.h"
#include "store/node_hashes.h"
#include "store/sums.h"

static void release(struct since_start_sums *sums)
{
    map_release(&sums->places);
    free(sums->values);
    *sums = (struct since_start_sums){0};
}

static uint64_t key_of(const uint8_t *hash, size_t type)
{
    uint64_t key;
    memcpy(&key, hash, sizeof key);
    return key ^ (type + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The sum of a key, perhaps a new one; NULL when there is no memory. */
static int64_t *sum_of(struct since_start_sums *sums, uint64_t key)
{
    bool fresh;
    if (!ARRAY_RESERVE(&sums->values, &sums->capacity, sums->count + 1))
        return NULL;
    uint32_t *index = map_put(&sums->places, key, (uint32_t)sums->count, &fresh);
    if (!index)
        return NULL;
    if (fresh)
        sums->values[sums->count++] = 0;
    return &sums->values[*index];
}

static int64_t find(const struct since_start_sums *sums, uint64_t key)
{
    const uint32_t *index = map_find(&sums->places, key);
    return index ? sums->values[*index] : 0;
}

/* One type of a model. */
struct column {
    struct model *model;
    struct node_hashes *hashes;
    size_t type;
};

static uint64_t row_key(const struct column *column, size_t row)
{
    uint32_t end = column->model->trie.ends[column->model->samples.stack[row]];
    static const uint8_t root[NODE_HASH_BYTES];
    return key_of(end == STACK_ROOT ? root : node_hashes_node(column->hashes, end), column->type);
}

static int64_t *row_value(const struct column *column, size_t row)
{
    struct model_samples *samples = &column->model->samples;
    return &samples->values[row * samples->type_count + column->type];
}

/* Adds the column up by stack.  Is the total smaller than before? */
static bool sum_up(struct since_start *since, const struct column *column, bool *is_again)
{
    double total = 0;
    for (size_t row = 0; row < column->model->samples.count; row++) {
        int64_t *sum = sum_of(&since->now, row_key(column, row));
        if (!sum)
            return false;
        *sum = saturate_add(*sum, *row_value(column, row));
        total += (double)*row_value(column, row);
    }
    *is_again = total < since->totals[column->type % SINCE_START_TYPES];
    since->new_totals[column->type % SINCE_START_TYPES] = total;
    return true;
}

/* The first row of a stack gets all of its change, the others nothing: a store has sums by stack. */
static bool take_off(struct since_start *since, const struct column *column, bool is_again)
{
    struct map seen = {0};
    bool done = true, fresh;
    for (size_t row = 0; done && row < column->model->samples.count; row++) {
        uint64_t key = row_key(column, row);
        int64_t before = is_again ? 0 : find(&since->before, key), *now = sum_of(&since->now, key);
        done = now && map_put(&seen, key, 0, &fresh);
        if (!done)
            break;
        *now = *now > before ? *now : before;
        *row_value(column, row) = fresh && since->is_known ? saturate_subtract(*now, before) : 0;
    }
    map_release(&seen);
    return done;
}

bool since_start_take_off(struct since_start *since, struct model *model)
{
    struct node_hashes hashes;
    bool done = node_hashes_init(&hashes, model);
    release(&since->now);
    for (size_t type = 0; done && type < model->samples.type_count; type++) {
        struct column column = {model, &hashes, type};
        bool is_again;
        if (!store_type_is_level(model->samples.types[type].name))
            done = sum_up(since, &column, &is_again) && take_off(since, &column, is_again);
    }
    node_hashes_release(&hashes);
    return done;
}

void since_start_keep(struct since_start *since)
{
    release(&since->before);
    since->before = since->now;
    since->now = (struct since_start_sums){0};
    memcpy(since->totals, since->new_totals, sizeof since->totals);
    since->is_known = true;
}

void since_start_release(struct since_start *since)
{
    release(&since->before);
    release(&since->now);
}
