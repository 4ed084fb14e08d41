/* What refers to strings alone: types, mappings, functions, comments, times. */
#include "pprof/read/decoding.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "spec/pprof_events.h"

static const pprof_fields type_fields = {
    [TYPE_NAME] = {PPROF_STRING, "the name of a sample type",
                   offsetof(struct model_value_type, name)},
    [TYPE_UNIT] = {PPROF_STRING, "the unit of a sample type",
                   offsetof(struct model_value_type, unit)},
};

static enum heaptap_status add_chunk(struct pprof_decoding *decoding, const struct wire *content)
{
    struct profile_file *file = decoding->model->file;
    size_t size = (size_t)(content->end - content->at);
    if (!ARRAY_RESERVE(&file->chunks, &file->chunk_capacity, file->chunk_count + 1))
        return error_no_memory(decoding->error);
    uint8_t *bytes = malloc(size + 1);
    if (!bytes)
        return error_no_memory(decoding->error);
    memcpy(bytes, content->at, size);
    file->chunks[file->chunk_count++] = (struct profile_chunk){bytes, size, wire_offset(content)};
    return HEAPTAP_OK;
}

static enum heaptap_status take_period_type_field(struct pprof_decoding *decoding,
                                                  const struct wire_field *field, void *to)
{
    if (field->number == TYPE_EVENTS && field->type == WIRE_BYTES)
        return add_chunk(decoding, &field->content);
    return pprof_take_member(decoding, field, type_fields, to);
}

static const pprof_fields mapping_fields = {
    [MAPPING_ID] = {PPROF_ID, "a mapping's id", 0},
    [MAPPING_START] = {PPROF_NUMBER, "a mapping's memory_start",
                       offsetof(struct model_module, start)},
    [MAPPING_LIMIT] = {PPROF_NUMBER, "a mapping's memory_limit",
                       offsetof(struct model_module, size)},
    [MAPPING_OFFSET] = {PPROF_NUMBER, "a mapping's file_offset",
                        offsetof(struct model_module, file_offset)},
    [MAPPING_FILE] = {PPROF_STRING, "a mapping's filename", offsetof(struct model_module, path)},
    [MAPPING_BUILD_ID] = {PPROF_STRING, "a mapping's build_id",
                          offsetof(struct model_module, build_id)},
    [MAPPING_HAS_FUNCTIONS] = {PPROF_TRUTH, "a mapping's has_functions",
                               offsetof(struct model_module, has_functions)},
    [MAPPING_HAS_FILES] = {PPROF_TRUTH, "a mapping's has_filenames",
                           offsetof(struct model_module, has_files)},
    [MAPPING_HAS_LINES] = {PPROF_TRUTH, "a mapping's has_line_numbers",
                           offsetof(struct model_module, has_lines)},
    [MAPPING_HAS_INLINES] = {PPROF_TRUTH, "a mapping's has_inline_frames",
                             offsetof(struct model_module, has_inlines)},
};

static const pprof_fields function_fields = {
    [FUNCTION_ID] = {PPROF_ID, "a function's id", 0},
    [FUNCTION_NAME] = {PPROF_STRING, "a function's name", offsetof(struct profile_function, name)},
    [FUNCTION_SYSTEM_NAME] = {PPROF_STRING, "a function's system_name",
                              offsetof(struct profile_function, system_name)},
    [FUNCTION_FILE] = {PPROF_STRING, "a function's filename",
                       offsetof(struct profile_function, file)},
    [FUNCTION_START_LINE] = {PPROF_INTEGER, "a function's start_line",
                             offsetof(struct profile_function, start_line)},
};

static enum heaptap_status add_type(struct pprof_decoding *decoding, const struct wire_field *field)
{
    struct model *model = decoding->model;
    if (!ARRAY_RESERVE(&model->samples.types, &model->samples.type_capacity,
                       model->samples.type_count + 1))
        return error_no_memory(decoding->error);
    struct model_value_type *type = &model->samples.types[model->samples.type_count++];
    *type = (struct model_value_type){"", ""};
    return pprof_take_members(decoding, field->content, type_fields, type);
}

static enum heaptap_status add_mapping(struct pprof_decoding *decoding,
                                       const struct wire_field *field)
{
    struct model *model = decoding->model;
    if (!ARRAY_RESERVE(&model->modules, &model->module_capacity, model->module_count + 1))
        return error_no_memory(decoding->error);
    struct model_module *mapping = &model->modules[model->module_count++];
    *mapping = (struct model_module){.path = names_empty, .build_id = names_empty};
    enum heaptap_status status =
        pprof_take_members(decoding, field->content, mapping_fields, mapping);
    mapping->size -= mapping->start; /* the limit, so far */
    return status == HEAPTAP_OK ? pprof_note_id(decoding, PPROF_MAPPING, field->offset) : status;
}

static enum heaptap_status add_function(struct pprof_decoding *decoding,
                                        const struct wire_field *field)
{
    struct profile_file *file = decoding->model->file;
    if (!ARRAY_RESERVE(&file->functions, &file->function_capacity, file->function_count + 1))
        return error_no_memory(decoding->error);
    struct profile_function *function = &file->functions[file->function_count++];
    *function = (struct profile_function){
        .name = names_empty, .system_name = names_empty, .file = names_empty};
    enum heaptap_status status =
        pprof_take_members(decoding, field->content, function_fields, function);
    return status == HEAPTAP_OK ? pprof_note_id(decoding, PPROF_FUNCTION, field->offset) : status;
}

static enum heaptap_status add_comment(struct pprof_decoding *decoding, uint64_t value,
                                       uint64_t offset)
{
    struct profile_file *file = decoding->model->file;
    if (!ARRAY_RESERVE(&file->comments, &file->comment_capacity, file->comment_count + 1))
        return error_no_memory(decoding->error);
    return pprof_string_at(decoding, value, offset, "a comment",
                           &file->comments[file->comment_count++]);
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
    if (decoding->model->file->time_ns != 0)
        return error_at(decoding->error, field->offset,
                        "time_nanos occurs twice: these are several profiles, one after another, "
                        "not one that was merged from them");
    decoding->model->file->time_ns = (int64_t)field->value;
    return HEAPTAP_OK;
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

/* The fields of the profile that need no more. */
static const pprof_fields file_fields = {
    [PROFILE_DROP_FRAMES] = {PPROF_STRING, "drop_frames",
                             offsetof(struct profile_file, drop_frames)},
    [PROFILE_KEEP_FRAMES] = {PPROF_STRING, "keep_frames",
                             offsetof(struct profile_file, keep_frames)},
    [PROFILE_DURATION] = {PPROF_INTEGER, "duration_nanos",
                          offsetof(struct profile_file, duration_ns)},
    [PROFILE_PERIOD] = {PPROF_INTEGER, "period", offsetof(struct profile_file, period)},
    [PROFILE_DOC_URL] = {PPROF_STRING, "doc_url", offsetof(struct profile_file, doc_url)},
};

enum heaptap_status pprof_take_simple(struct pprof_decoding *decoding,
                                      const struct wire_field *field, void *to)
{
    struct profile_file *file = decoding->model->file;
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
    case PROFILE_TIME:
        return take_time(decoding, field);
    case PROFILE_PERIOD_TYPE:
        return pprof_take_message(decoding, field->content, take_period_type_field,
                                  &file->period_type);
    case PROFILE_COMMENT:
        return take_comments(decoding, field);
    case PROFILE_DEFAULT_TYPE:
        return pprof_string_at(decoding, field->value, field->offset, "default_sample_type",
                               &decoding->default_type);
    }
    return pprof_take_member(decoding, field, file_fields, file);
}
