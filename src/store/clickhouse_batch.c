#include "store/clickhouse_batch.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/array.h"
#include "base/error.h"
#include "base/saturate.h"
#include "store/clickhouse_keys.h"
#include "store/node_hashes.h"
#include "store/row_binary.h"
#include "store/sums.h"

/* A profile while its rows are put. */
struct putting {
    struct clickhouse_batch *batch;
    struct clickhouse_known *known;
    struct batch_profile *profile;
    struct store_sums sums;
    struct node_hashes hashes;
    uint32_t *first; /* by stack: the first one that has the same hash */
};

/* ---- What is known ------------------------------------------------------------------- */

void clickhouse_known_release(struct clickhouse_known *known)
{
    map_release(&known->types);
    map_release(&known->frames);
    map_release(&known->stacks);
    map_release(&known->series);
}

bool clickhouse_known_learn(struct map *set, uint64_t key, uint32_t more)
{
    bool fresh = true;
    uint32_t *value = map_put(set, key, more, &fresh);
    return !value || fresh || *value != more;
}

static bool learn_hash(struct map *set, const uint8_t *hash)
{
    uint64_t key;
    uint32_t more;
    memcpy(&key, hash, sizeof key);
    memcpy(&more, hash + sizeof key, sizeof more);
    if (set->count >= BATCH_KNOWN_MAX)
        map_release(set);
    return clickhouse_known_learn(set, key, more);
}

/* ---- Series -------------------------------------------------------------------------- */

static void put_series(struct putting *putting, const struct store_labels *labels,
                       const struct text *text)
{
    struct text *rows = putting->batch->rows;
    if (!clickhouse_known_learn(&putting->known->series, putting->profile->series, 0))
        return;
    for (size_t i = 0; i < labels->count; i++) {
        const struct store_label *label = &labels->items[i];
        binary_put_u64(&rows[BATCH_SERIES_LABEL], putting->profile->series);
        binary_put_string(&rows[BATCH_SERIES_LABEL], label->key, strlen(label->key));
        binary_put_string(&rows[BATCH_SERIES_LABEL], label->value, strlen(label->value));
    }
    binary_put_u64(&rows[BATCH_SERIES], putting->profile->series);
    binary_put_string(&rows[BATCH_SERIES], text->bytes, text->size);
}

/* ---- Stacks -------------------------------------------------------------------------- */

static void put_lines(struct putting *putting, uint32_t frame)
{
    struct node_place place;
    struct text *rows = &putting->batch->rows[BATCH_LINE];
    const uint8_t *hash = node_hashes_frame(&putting->hashes, frame);
    size_t count;
    if (!learn_hash(&putting->known->frames, hash))
        return;
    const struct heaptap_location *lines =
        node_frame_lines(putting->hashes.model, frame, &place, &count);
    for (size_t i = 0; i < count; i++) {
        text_put(rows, (const char *)hash, NODE_HASH_BYTES);
        binary_put_u32(rows, (uint32_t)i);
        binary_put_string(rows, lines[i].function, strlen(lines[i].function));
        binary_put_string(rows, lines[i].file, strlen(lines[i].file));
        binary_put_u32(rows, lines[i].line);
    }
}

/* The hashes of the nodes from the root to this one, or of their frames; the trie has them the other way round. */
static void put_way(struct putting *putting, uint32_t node, size_t depth, bool frames)
{
    const struct stack_node *nodes = putting->hashes.model->trie.nodes;
    struct text *rows = &putting->batch->rows[BATCH_STACK];
    binary_put_size(rows, depth);
    if (!text_reserve(rows, depth * NODE_HASH_BYTES))
        return;
    for (size_t at = depth; at > 0; node = nodes[node].parent)
        memcpy(rows->bytes + rows->size + --at * NODE_HASH_BYTES,
               frames ? node_hashes_frame(&putting->hashes, nodes[node].frame)
                      : node_hashes_node(&putting->hashes, node),
               NODE_HASH_BYTES);
    rows->size += depth * NODE_HASH_BYTES;
}

static void put_stack(struct putting *putting, uint32_t node, const uint8_t *hash)
{
    const struct stack_node *nodes = putting->hashes.model->trie.nodes;
    size_t depth = 0;
    if (!learn_hash(&putting->known->stacks, hash))
        return;
    for (uint32_t at = node; at != STACK_ROOT; at = nodes[at].parent, depth++)
        put_lines(putting, nodes[at].frame);
    binary_put_u64(&putting->batch->rows[BATCH_STACK], clickhouse_stack(hash));
    put_way(putting, node, depth, false);
    put_way(putting, node, depth, true);
}

/* ---- Sums ---------------------------------------------------------------------------- */

/* How the rows of samples and totals begin. */
static void put_key(const struct putting *putting, uint64_t type, struct text *rows)
{
    binary_put_u64(rows, putting->profile->series);
    binary_put_u64(rows, putting->profile->attempt);
    binary_put_u64(rows, type);
}

/* How they end. */
static void put_sum(const struct putting *putting, const struct store_sum *sum, struct text *rows)
{
    bool has_error = putting->sums.has_error;
    binary_put_real(rows, sum->value);
    binary_put_u64(rows, has_error ? (uint64_t)saturate_round(sum->samples) : UINT64_MAX);
    binary_put_real(rows, has_error ? sum->variance : -1);
    binary_put_u16(rows, putting->profile->day);
}

/* The same of a sample, whose variance is an estimate, and has half the bytes. */
static void put_rough_sum(const struct putting *putting, const struct store_sum *sum,
                          struct text *rows)
{
    bool has_error = putting->sums.has_error;
    binary_put_real(rows, sum->value);
    binary_put_u64(rows, has_error ? (uint64_t)saturate_round(sum->samples) : UINT64_MAX);
    binary_put_float(rows, has_error ? (float)fmin(sum->variance, FLT_MAX) : -1);
    binary_put_u16(rows, putting->profile->day);
}

/* Stacks of different addresses can have the same names, and then are one. */
static bool find_first(struct putting *putting)
{
    const struct stack_trie *trie = &putting->sums.model->trie;
    struct map seen = {0};
    bool done = (putting->first = malloc((trie->stack_count + 1) * sizeof *putting->first)) != NULL;
    for (size_t i = 0; i < trie->stack_count && done; i++) {
        bool fresh;
        uint32_t *first =
            map_put(&seen, clickhouse_stack(node_hashes_node(&putting->hashes, trie->ends[i])),
                    (uint32_t)i, &fresh);
        if ((done = first != NULL))
            putting->first[i] = *first;
    }
    map_release(&seen);
    return done;
}

static void add_equal_ones(struct putting *putting)
{
    struct store_sum *sums = putting->sums.items;
    for (size_t i = 0; i < putting->sums.model->trie.stack_count; i++) {
        struct store_sum *first = &sums[putting->first[i]];
        if (first == &sums[i])
            continue;
        first->value += sums[i].value;
        first->samples += sums[i].samples;
        first->variance += sums[i].variance;
        sums[i] = (struct store_sum){0};
    }
}

static void put_samples(struct putting *putting, uint64_t type)
{
    const struct stack_trie *trie = &putting->sums.model->trie;
    struct text *rows = putting->batch->rows;
    struct store_sum total = {0};
    add_equal_ones(putting);
    for (size_t i = 0; i < trie->stack_count; i++) {
        const struct store_sum *sum = &putting->sums.items[i];
        if (sum->value == 0)
            continue;
        const uint8_t *hash = node_hashes_node(&putting->hashes, trie->ends[i]);
        put_stack(putting, trie->ends[i], hash);
        put_key(putting, type, &rows[BATCH_SAMPLE]);
        binary_put_u64(&rows[BATCH_SAMPLE], clickhouse_stack(hash));
        put_rough_sum(putting, sum, &rows[BATCH_SAMPLE]);
        total.value += sum->value;
        total.samples += sum->samples;
        total.variance += sum->variance;
    }
    put_key(putting, type, &rows[BATCH_TOTAL]);
    put_sum(putting, &total, &rows[BATCH_TOTAL]);
}

/* The type's number is the hash of its name and unit. */
static uint64_t put_type(struct putting *putting, const struct store_type *type)
{
    struct text name = {0}, *rows = &putting->batch->rows[BATCH_TYPE];
    text_put_string(&name, type->name);
    text_put_char(&name, '\n');
    text_put_string(&name, type->unit);
    uint64_t id = clickhouse_id(name.bytes, name.size);
    rows->failed |= name.failed;
    text_release(&name);
    if (clickhouse_known_learn(&putting->known->types, id, 0)) {
        binary_put_u64(rows, id);
        binary_put_string(rows, type->name, strlen(type->name));
        binary_put_string(rows, type->unit, strlen(type->unit));
        text_put_char(rows, type->is_level);
    }
    return id;
}

static void put_types(struct putting *putting)
{
    struct store_type type;
    for (size_t i = 0; (type = store_sums_type(&putting->sums, i)).name; i++) {
        if (store_sums_is_repeated(&putting->sums, i))
            continue;
        store_sums_take(&putting->sums, i);
        put_samples(putting, put_type(putting, &type));
    }
}

/* ---- The profile --------------------------------------------------------------------- */

static void put_profile(struct putting *putting, const struct store_upload *upload)
{
    const struct batch_profile *profile = putting->profile;
    struct text *rows = &putting->batch->rows[BATCH_PROFILE];
    binary_put_u64(rows, profile->series);
    binary_put_u64(rows, profile->attempt);
    text_put(rows, (const char *)profile->hash, sizeof profile->hash);
    binary_put_u64(rows, (uint64_t)upload->from_us);
    binary_put_u64(rows, (uint64_t)upload->until_us);
    binary_put_u16(rows, profile->day);
}

static bool put_all(struct putting *putting, const struct store_upload *upload,
                    const struct model *model)
{
    struct text labels = {0};
    store_labels_put(upload->labels, &labels);
    bool done = !labels.failed;
    putting->profile->series = clickhouse_id(labels.bytes ? labels.bytes : "", labels.size);
    done = done && store_sums_init(&putting->sums, model, upload);
    done = done && node_hashes_init(&putting->hashes, model) && find_first(putting);
    if (done) {
        put_series(putting, upload->labels, &labels);
        put_types(putting);
        put_profile(putting, upload);
        done = !putting->hashes.input.failed;
    }
    free(putting->first);
    node_hashes_release(&putting->hashes);
    store_sums_release(&putting->sums);
    text_release(&labels);
    return done;
}

/* What a profile left that could not be put as a whole is harmless, but for its own row, which is put last. */
enum heaptap_status clickhouse_batch_add(struct clickhouse_batch *batch,
                                         struct clickhouse_known *known,
                                         const struct store_upload *upload,
                                         const struct model *model, bool *is_new,
                                         struct heaptap_error *error)
{
    uint32_t number = 0;
    if (!ARRAY_RESERVE(&batch->profiles, &batch->capacity, batch->count + 1) ||
        getrandom(&number, sizeof number, 0) != sizeof number)
        return error_no_memory(error);
    struct batch_profile *profile = &batch->profiles[batch->count];
    *profile = (struct batch_profile){
        .attempt = (uint64_t)(upload->until_us / 1000000) << 32 | number,
        .day = clickhouse_day(upload->until_us),
        .is_new = is_new,
    };
    memcpy(profile->hash, upload->hash, sizeof profile->hash);
    struct putting putting = {.batch = batch, .known = known, .profile = profile};
    bool done = put_all(&putting, upload, model);
    for (size_t i = 0; i < BATCH_TABLES; i++) {
        done &= !batch->rows[i].failed;
        profile->ends[i] = batch->rows[i].size;
    }
    batch->count += done;
    return done ? HEAPTAP_OK : error_no_memory(error);
}

/* ---- The batch ----------------------------------------------------------------------- */

bool clickhouse_batch_is_full(const struct clickhouse_batch *batch)
{
    size_t bytes = 0;
    for (size_t i = 0; i < BATCH_TABLES; i++)
        bytes += batch->rows[i].size;
    return bytes >= BATCH_BYTES_MAX || batch->count >= BATCH_PROFILES_MAX;
}

/* The room for rows is kept, if it is not larger than usual. */
void clickhouse_batch_empty(struct clickhouse_batch *batch)
{
    for (size_t i = 0; i < BATCH_TABLES; i++) {
        batch->rows[i].size = 0;
        if (batch->rows[i].failed || batch->rows[i].capacity > 2 * BATCH_BYTES_MAX)
            text_release(&batch->rows[i]);
    }
    batch->count = 0;
}

void clickhouse_batch_release(struct clickhouse_batch *batch)
{
    for (size_t i = 0; i < BATCH_TABLES; i++)
        text_release(&batch->rows[i]);
    free(batch->profiles);
}
