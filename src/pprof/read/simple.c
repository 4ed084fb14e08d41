/* What refers to strings alone: types, mappings, functions, comments, times. */
#include "pprof/read/decoding.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "spec/pprof_events.h"
#include "spec/pprof_fields.h"

static enum heaptap_status take_type_field(struct pprof_decoding *decoding,
                                           const struct wire_field *field, void *to)
{
    struct model_value_type *type = to;
    switch (field->number) {
    case 1:
        return pprof_string(decoding, field, "the name of a sample type", &type->name);
    case 2:
        return pprof_string(decoding, field, "the unit of a sample type", &type->unit);
    }
    return HEAPTAP_OK;
}

static enum heaptap_status add_chunk(struct pprof_decoding *decoding, const struct wire *content)
{
    struct pprof *pprof = decoding->pprof;
    size_t size = (size_t)(content->end - content->at);
    if (!ARRAY_RESERVE(&pprof->chunks, &pprof->chunk_capacity, pprof->chunk_count + 1))
        return error_no_memory(decoding->error);
    uint8_t *bytes = malloc(size + 1);
    if (!bytes)
        return error_no_memory(decoding->error);
    memcpy(bytes, content->at, size);
    pprof->chunks[pprof->chunk_count++] = (struct pprof_chunk){bytes, size, wire_offset(content)};
    return HEAPTAP_OK;
}

static enum heaptap_status take_period_type_field(struct pprof_decoding *decoding,
                                                  const struct wire_field *field, void *to)
{
    if (field->number == TYPE_EVENTS && field->type == WIRE_BYTES)
        return add_chunk(decoding, &field->content);
    return take_type_field(decoding, field, to);
}

static enum heaptap_status take_mapping_field(struct pprof_decoding *decoding,
                                              const struct wire_field *field, void *to)
{
    struct pprof_mapping *mapping = to;
    switch (field->number) {
    case 1:
        return pprof_number(decoding, field, "a mapping's id", &decoding->id);
    case 2:
        return pprof_number(decoding, field, "a mapping's memory_start", &mapping->start);
    case 3:
        return pprof_number(decoding, field, "a mapping's memory_limit", &mapping->limit);
    case 4:
        return pprof_number(decoding, field, "a mapping's file_offset", &mapping->offset);
    case 5:
        return pprof_string(decoding, field, "a mapping's filename", &mapping->file);
    case 6:
        return pprof_string(decoding, field, "a mapping's build_id", &mapping->build_id);
    case 7:
        return pprof_truth(decoding, field, "a mapping's has_functions", &mapping->has_functions);
    case 8:
        return pprof_truth(decoding, field, "a mapping's has_filenames", &mapping->has_files);
    case 9:
        return pprof_truth(decoding, field, "a mapping's has_line_numbers", &mapping->has_lines);
    case 10:
        return pprof_truth(decoding, field, "a mapping's has_inline_frames", &mapping->has_inlines);
    }
    return HEAPTAP_OK;
}

static enum heaptap_status take_function_field(struct pprof_decoding *decoding,
                                               const struct wire_field *field, void *to)
{
    struct pprof_function *function = to;
    switch (field->number) {
    case 1:
        return pprof_number(decoding, field, "a function's id", &decoding->id);
    case 2:
        return pprof_string(decoding, field, "a function's name", &function->name);
    case 3:
        return pprof_string(decoding, field, "a function's system_name", &function->system_name);
    case 4:
        return pprof_string(decoding, field, "a function's filename", &function->file);
    case 5:
        return pprof_integer(decoding, field, "a function's start_line", &function->start_line);
    }
    return HEAPTAP_OK;
}

static enum heaptap_status add_type(struct pprof_decoding *decoding, const struct wire_field *field)
{
    struct pprof *pprof = decoding->pprof;
    if (!ARRAY_RESERVE(&pprof->types, &pprof->type_capacity, pprof->type_count + 1))
        return error_no_memory(decoding->error);
    struct model_value_type *type = &pprof->types[pprof->type_count++];
    *type = (struct model_value_type){"", ""};
    return pprof_take_message(decoding, field->content, take_type_field, type);
}

static enum heaptap_status add_mapping(struct pprof_decoding *decoding,
                                       const struct wire_field *field)
{
    struct pprof *pprof = decoding->pprof;
    if (!ARRAY_RESERVE(&pprof->mappings, &pprof->mapping_capacity, pprof->mapping_count + 1))
        return error_no_memory(decoding->error);
    struct pprof_mapping *mapping = &pprof->mappings[pprof->mapping_count++];
    *mapping = (struct pprof_mapping){.file = names_empty, .build_id = names_empty};
    enum heaptap_status status =
        pprof_take_message(decoding, field->content, take_mapping_field, mapping);
    return status == HEAPTAP_OK ? pprof_note_id(decoding, PPROF_MAPPING, field->offset) : status;
}

static enum heaptap_status add_function(struct pprof_decoding *decoding,
                                        const struct wire_field *field)
{
    struct pprof *pprof = decoding->pprof;
    if (!ARRAY_RESERVE(&pprof->functions, &pprof->function_capacity, pprof->function_count + 1))
        return error_no_memory(decoding->error);
    struct pprof_function *function = &pprof->functions[pprof->function_count++];
    *function = (struct pprof_function){
        .name = names_empty, .system_name = names_empty, .file = names_empty};
    enum heaptap_status status =
        pprof_take_message(decoding, field->content, take_function_field, function);
    return status == HEAPTAP_OK ? pprof_note_id(decoding, PPROF_FUNCTION, field->offset) : status;
}

static enum heaptap_status add_comment(struct pprof_decoding *decoding, uint64_t value,
                                       uint64_t offset)
{
    struct pprof *pprof = decoding->pprof;
    if (!ARRAY_RESERVE(&pprof->comments, &pprof->comment_capacity, pprof->comment_count + 1))
        return error_no_memory(decoding->error);
    return pprof_string_at(decoding, value, offset, "a comment",
                           &pprof->comments[pprof->comment_count++]);
}

static enum heaptap_status take_comments(struct pprof_decoding *decoding,
                                         const struct wire_field *field)
{
    uint64_t value = 0;
    struct wire list = field->content;
    enum heaptap_status status = HEAPTAP_OK;
    if (field->type == WIRE_VARINT)
        return add_comment(decoding, field->value, field->offset);
    while (status == HEAPTAP_OK && list.at < list.end) {
        uint64_t offset = wire_offset(&list);
        status = wire_varint(&list, &value, decoding->error);
        if (status == HEAPTAP_OK)
            status = add_comment(decoding, value, offset);
    }
    return status;
}

static enum heaptap_status take_time(struct pprof_decoding *decoding,
                                     const struct wire_field *field)
{
    if (decoding->pprof->time_ns != 0)
        return error_at(decoding->error, field->offset,
                        "time_nanos occurs twice: these are several profiles, one after another, "
                        "not one that was merged from them");
    return pprof_integer(decoding, field, "time_nanos", &decoding->pprof->time_ns);
}

/* The wire type that a field of the profile must have; comments may have either. */
static enum heaptap_status expect_profile_field(struct pprof_decoding *decoding,
                                                const struct wire_field *field)
{
    static const char *const names[PROFILE_FIELDS] = {
        "",
        "sample_type",
        "sample",
        "mapping",
        "location",
        "function",
        "string_table",
        "drop_frames",
        "keep_frames",
        "time_nanos",
        "duration_nanos",
        "period_type",
        "period",
        "comment",
        "default_sample_type",
        "doc_url",
    };
    uint32_t field_number = field->number;
    bool is_message = field_number <= PROFILE_STRING || field_number == PROFILE_PERIOD_TYPE;
    if (field_number >= PROFILE_FIELDS ||
        (field_number == PROFILE_COMMENT && field->type == WIRE_BYTES))
        return HEAPTAP_OK;
    return pprof_expect(decoding, field, is_message ? WIRE_BYTES : WIRE_VARINT,
                        names[field_number]);
}

enum heaptap_status pprof_take_simple(struct pprof_decoding *decoding,
                                      const struct wire_field *field, void *to)
{
    struct pprof *pprof = decoding->pprof;
    enum heaptap_status status = expect_profile_field(decoding, field);
    if (status != HEAPTAP_OK)
        return status;
    switch (field->number) {
    case PROFILE_SAMPLE_TYPE:
        return add_type(decoding, field);
    case PROFILE_MAPPING:
        return add_mapping(decoding, field);
    case PROFILE_FUNCTION:
        return add_function(decoding, field);
    case PROFILE_DROP_FRAMES:
        return pprof_string(decoding, field, "drop_frames", &pprof->drop_frames);
    case PROFILE_KEEP_FRAMES:
        return pprof_string(decoding, field, "keep_frames", &pprof->keep_frames);
    case PROFILE_TIME:
        return take_time(decoding, field);
    case PROFILE_DURATION:
        return pprof_integer(decoding, field, "duration_nanos", &pprof->duration_ns);
    case PROFILE_PERIOD_TYPE:
        return pprof_take_message(decoding, field->content, take_period_type_field,
                                  &pprof->period_type);
    case PROFILE_PERIOD:
        return pprof_integer(decoding, field, "period", &pprof->period);
    case PROFILE_COMMENT:
        return take_comments(decoding, field);
    case PROFILE_DEFAULT_TYPE:
        return pprof_string(decoding, field, "default_sample_type", &decoding->default_type);
    case PROFILE_DOC_URL:
        return pprof_string(decoding, field, "doc_url", &pprof->doc_url);
    }
    return HEAPTAP_OK;
}
