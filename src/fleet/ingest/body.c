#include "fleet/ingest/body.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/saturate.h"
#include "base/unit_names.h"
#include "format/import/file_format.h"
#include "fleet/ingest/symbols.h"
#include "pprof/read/profile.h"
#include "profile/list/rows.h"
#include "profile/model_trace.h"
#include "trace/whole.h"
#include "trace/reader.h"

/* A body while it is read. */
struct reading {
    struct ingest_body *body;
    const struct ingest_body_bounds *bounds;
    struct ingest_symbols *symbols; /* NULL: none */
    struct heaptap_error *error;
};

/* ---- Bounds -------------------------------------------------------------------------- */

static enum heaptap_status check_size(void *context, const uint8_t *data, size_t size,
                                      struct heaptap_error *error)
{
    const struct reading *reading = context;
    reading->body->is_larger = size > reading->bounds->most;
    return !reading->body->is_larger
               ? HEAPTAP_OK
               : error_set(error, HEAPTAP_BAD_INPUT,
                           "unpacked, the profile is larger than %zu bytes", reading->bounds->most);
}

/* Are the names of all lines more bytes than INGEST_NAME_BYTES?  Each line counts, as each is stored. */
static bool has_long_names(const struct model *model)
{
    size_t left = INGEST_NAME_BYTES;
    for (size_t i = 0; i < model->line_count; i++) {
        size_t size = strnlen(model->lines[i].function, left);
        left -= size;
        size = strnlen(model->lines[i].file, left);
        left -= size;
        if (left == 0)
            return true;
    }
    return false;
}

/* What a store needs a row for. */
static enum heaptap_status check_weight(const struct model *model,
                                        const struct ingest_limits *limits,
                                        struct heaptap_error *error)
{
    if (model->trie.count + model->line_count > limits->nodes)
        return error_set(error, HEAPTAP_BAD_INPUT,
                         "the profile's stacks have more than %zu different frames and callers",
                         limits->nodes);
    return has_long_names(model)
               ? error_set(error, HEAPTAP_BAD_INPUT, "the profile's names have more than %d MB",
                           INGEST_NAME_BYTES >> 20)
               : HEAPTAP_OK;
}

/* Times that no clock shows are none. */
static void take_times(struct ingest_body *body, int64_t start_us, int64_t length_us)
{
    int64_t end_us = saturate_add(start_us, length_us > 0 ? length_us : 0);
    if (start_us <= 0 || end_us > INT64_MAX / 1000)
        return;
    body->from_us = start_us;
    body->until_us = end_us;
}

/* ---- Profiles ------------------------------------------------------------------------ */

/* Such a profile has a type that no other profiler gives, or events. */
static bool is_of_heaptap(const struct model *profile)
{
    return profile->file->chunk_count > 0 || model_find_value_type(profile, "promoted_space") >= 0;
}

static bool is_in_bytes(const struct model_value_type *type)
{
    double factor;
    return strcmp(unit_base(type->unit, &factor), "bytes") == 0;
}

/* One period of bytes; 0 where it is none, or the profile doesn't say. */
static double period_of(const struct model *profile)
{
    double factor;
    unit_base(profile->file->period_type.unit, &factor);
    bool is_known =
        strcmp(profile->file->period_type.name, "space") == 0 && profile->file->period > 0;
    return is_known ? (double)profile->file->period * factor : 0;
}

/* Profiles of time, which agents send beside those of memory, have no type in bytes. */
static bool is_of_memory(const struct model *profile)
{
    for (size_t i = 0; i < profile->samples.type_count; i++)
        if (is_in_bytes(&profile->samples.types[i]))
            return true;
    return false;
}

static enum heaptap_status read_pprof(const struct reading *reading, const uint8_t *data,
                                      size_t size)
{
    struct ingest_body *body = reading->body;
    struct heaptap_error *error = reading->error;
    const struct pprof_bounds bounds = {reading->bounds->limits->depth,
                                        reading->bounds->limits->items};
    struct model *profile;
    enum heaptap_status status = pprof_decode_bounded(&profile, data, size, &bounds, error);
    if (status != HEAPTAP_OK)
        return status;
    if (profile->samples.type_count == 0)
        status = error_set(error, HEAPTAP_BAD_INPUT, "the profile has no sample types");
    else if (!is_of_memory(profile))
        status = error_set(error, HEAPTAP_BAD_INPUT,
                           "a store takes profiles of memory; this one counts %.60s, and no bytes",
                           profile->samples.types[profile->samples.type_count - 1].name);
    take_times(body, profile->file->time_ns / 1000, profile->file->duration_ns / 1000);
    body->period_bytes = period_of(profile);
    body->is_by_byte = is_of_heaptap(profile);
    if (status == HEAPTAP_OK && reading->symbols && !ingest_symbols_name(reading->symbols, profile))
        status = error_no_memory(error);
    if (status == HEAPTAP_OK && !profile_to_rows(profile))
        status = error_no_memory(error);
    if (status == HEAPTAP_OK)
        body->model = profile;
    else
        model_free(profile);
    return status;
}

/* ---- Traces -------------------------------------------------------------------------- */

static enum heaptap_status read_trace(const struct reading *reading, const uint8_t *data,
                                      size_t size)
{
    static const struct heaptap_reader_options how = {.order = HEAPTAP_TRUE_ORDER};
    const struct folded_question sums = {.most_nodes = reading->bounds->limits->nodes};
    struct ingest_body *body = reading->body;
    struct heaptap_error *error = reading->error;
    struct heaptap_reader *reader;
    enum heaptap_status status = heaptap_reader_open_memory(&reader, data, size, &how, error);
    if (status != HEAPTAP_OK)
        return status;
    status = model_read_folded(&body->model, reader, &sums, NULL, error);
    heaptap_reader_close(reader);
    if (status != HEAPTAP_OK) {
        model_free(body->model);
        body->model = NULL;
        return status;
    }
    take_times(body, body->model->info.start_us, body->model->end_us);
    return HEAPTAP_OK;
}

/* ---- Both ---------------------------------------------------------------------------- */

static enum heaptap_status read_known(const struct reading *reading, const uint8_t *data,
                                      size_t size)
{
    struct ingest_body *body = reading->body;
    struct heaptap_error *error = reading->error;
    XXH128_hash_t hash = XXH3_128bits(data, size);
    const struct file_format *format = NULL;
    struct input *input;
    enum heaptap_status status = input_open_memory(&input, data, size, error);
    if (status != HEAPTAP_OK)
        return status;
    body->content[0] = hash.low64;
    body->content[1] = hash.high64;
    status = file_format_find(&format, input, error);
    input_close(input);
    if (status != HEAPTAP_OK)
        return status;
    if (size > 0 && pprof_looks_like_one(data, size))
        return read_pprof(reading, data, size);
    if (format && file_format_is_of_events(format) && !format->convert)
        return read_trace(reading, data, size);
    return error_set(error, HEAPTAP_BAD_INPUT,
                     "a store takes profiles of pprof and traces of heaptap; `heaptap pprof` makes "
                     "such a profile of others");
}

static enum heaptap_status read_bytes(const struct reading *reading, const uint8_t *data,
                                      size_t size)
{
    struct ingest_body *body = reading->body;
    enum heaptap_status status = read_known(reading, data, size);
    if (status == HEAPTAP_OK)
        status = check_weight(body->model, reading->bounds->limits, reading->error);
    if (status == HEAPTAP_OK || !body->model)
        return status;
    model_free(body->model);
    body->model = NULL;
    return status;
}

/* Of a file that was compressed, and once more on its way, as Content-Encoding says: `*data` are unpacked. */
static enum heaptap_status unpack_again(struct reading *reading, uint8_t **data, size_t *size)
{
    uint8_t *unpacked = NULL;
    struct input *input;
    enum heaptap_status status = input_open_memory(&input, *data, *size, reading->error);
    if (status != HEAPTAP_OK)
        return status;
    bool is_packed = strcmp(input_compression(input), "none") != 0;
    if (is_packed)
        status = whole_read(&unpacked, size, input, check_size, reading, reading->error);
    input_close(input);
    if (is_packed) {
        free(*data);
        *data = unpacked;
    }
    return status;
}

enum heaptap_status ingest_body_read(struct ingest_body *body, struct input *input,
                                     const struct ingest_body_bounds *bounds,
                                     struct ingest_symbols *symbols, struct heaptap_error *error)
{
    struct reading reading = {body, bounds, symbols, error};
    uint8_t *data = NULL;
    size_t size = 0;
    *body = (struct ingest_body){0};
    enum heaptap_status status = whole_read(&data, &size, input, check_size, &reading, error);
    if (status == HEAPTAP_OK)
        status = unpack_again(&reading, &data, &size);
    if (status == HEAPTAP_OK)
        status = check_size(&reading, data, size, error);
    if (status == HEAPTAP_OK)
        status = read_bytes(&reading, data, size);
    free(data);
    return status;
}

void ingest_body_upload(const struct ingest_body *body, const struct store_labels *labels,
                        int64_t from_us, int64_t until_us, int64_t now_us,
                        struct store_upload *upload)
{
    bool has_time = body->until_us > 0, has_interval = body->until_us > body->from_us;
    /* What is sent again has to have the same hash: no part of it is the present time, nor what the sender says of a profile
     * that has a time.  Labels have zeros after their ends. */
    XXH128_hash_t of_labels = XXH3_128bits(labels->items, labels->count * sizeof *labels->items);
    uint64_t parts[] = {of_labels.low64,
                        of_labels.high64,
                        has_time ? 0 : (uint64_t)from_us,
                        has_time ? 0 : (uint64_t)until_us,
                        body->content[0],
                        body->content[1]};
    XXH128_canonical_t hash;
    XXH128_canonicalFromHash(&hash, XXH3_128bits(parts, sizeof parts));
    *upload = (struct store_upload){
        .labels = labels, .period_bytes = body->period_bytes, .is_by_byte = body->is_by_byte};
    memcpy(upload->hash, hash.digest, sizeof upload->hash);
    upload->until_us = until_us && !has_interval ? until_us : has_time ? body->until_us : now_us;
    upload->from_us = from_us && !has_interval ? from_us
                      : has_time               ? body->from_us
                                               : upload->until_us;
    if (upload->from_us > upload->until_us)
        upload->from_us = upload->until_us;
}
