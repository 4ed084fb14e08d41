#include "pprof/read/decoding.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "spec/pprof_fields.h"

static enum heaptap_status take_string(struct pprof_decoding *decoding,
                                       const struct wire_field *field, void *to)
{
    struct model *model = decoding->model;
    enum heaptap_status status = pprof_count_items(decoding, 1, field->offset);
    if (field->number == PROFILE_SAMPLE)
        model->file->sample_count++;
    if (status != HEAPTAP_OK || field->number != PROFILE_STRING)
        return status;
    status = pprof_expect(decoding, field, WIRE_BYTES, "string_table");
    if (status != HEAPTAP_OK)
        return status;
    const char *text = (const char *)field->content.at;
    size_t size = strnlen(text, (size_t)(field->content.end - field->content.at));
    if (decoding->string_count == 0 && field->content.end > field->content.at)
        return error_at(decoding->error, field->offset,
                        "the first string of the string table must be empty");
    const char *name = names_intern(&model->names, text, size);
    if (!name || decoding->string_count >= MODEL_NONE ||
        !ARRAY_RESERVE(&decoding->strings, &decoding->string_capacity, decoding->string_count + 1))
        return error_no_memory(decoding->error);
    decoding->strings[decoding->string_count++] = name;
    return HEAPTAP_OK;
}

/* A default that names no type is none, as pprof has it. */
static void choose_default_type(struct pprof_decoding *decoding)
{
    struct model *model = decoding->model;
    long found = model_find_value_type(model, decoding->default_type);
    model->samples.default_type = found >= 0 ? (size_t)found : model->samples.type_count - 1;
}

static enum heaptap_status decode(struct pprof_decoding *decoding, const void *data, size_t size)
{
    struct wire wire = {data, (const uint8_t *)data + size, data};
    struct model *model = decoding->model;
    if (size == 0)
        return error_at(decoding->error, 0, "this is empty");
    enum heaptap_status status = pprof_take_message(decoding, wire, take_string, NULL);
    if (status == HEAPTAP_OK && decoding->string_count == 0)
        return error_at(decoding->error, size, "there is no string table");
    if (status == HEAPTAP_OK)
        status = pprof_take_message(decoding, wire, pprof_take_simple, NULL);
    if (status == HEAPTAP_OK && model->samples.type_count == 0)
        return error_at(decoding->error, size, "there are no sample types");
    if (status == HEAPTAP_OK)
        status = pprof_take_message(decoding, wire, pprof_take_location, NULL);
    if (status == HEAPTAP_OK)
        status = pprof_take_samples(decoding, wire);
    if (status == HEAPTAP_OK)
        choose_default_type(decoding);
    return status;
}

enum heaptap_status pprof_decode_bounded(struct model **result, const void *data, size_t size,
                                         const struct pprof_bounds *bounds,
                                         struct heaptap_error *error)
{
    struct model *model = profile_new();
    *result = NULL;
    if (!model)
        return error_no_memory(error);
    model->file->bytes = size;
    struct pprof_decoding decoding = {
        .model = model,
        .error = error,
        .default_type = "",
        .in_order = {true, true, true},
        .bounds = *bounds,
    };
    enum heaptap_status status = decode(&decoding, data, size);
    for (int kind = 0; kind < 3; kind++)
        map_release(&decoding.ids[kind]);
    free(decoding.strings);
    if (status != HEAPTAP_OK) {
        model_free(model);
        return status;
    }
    *result = model;
    return HEAPTAP_OK;
}

enum heaptap_status pprof_decode(struct model **result, const void *data, size_t size,
                                 struct heaptap_error *error)
{
    static const struct pprof_bounds none = {.depth = SIZE_MAX / 4, .items = SIZE_MAX};
    return pprof_decode_bounded(result, data, size, &none, error);
}
