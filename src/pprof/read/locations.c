#include "pprof/read/decoding.h"

#include "base/array.h"
#include "base/error.h"

struct line {
    uint64_t function, function_offset;
    int64_t line;
};

static const pprof_fields line_fields = {
    [LINE_FUNCTION] = {PPROF_NUMBER, "a line's function_id", offsetof(struct line, function)},
    [LINE_LINE] = {PPROF_INTEGER, "a line's number", offsetof(struct line, line)},
};

static enum heaptap_status take_line_field(struct pprof_decoding *decoding,
                                           const struct wire_field *field, void *to)
{
    struct line *line = to;
    if (field->number == LINE_FUNCTION)
        line->function_offset = field->offset;
    return pprof_take_member(decoding, field, line_fields, line);
}

static uint32_t clamp(int64_t value)
{
    return value < 0 ? 0 : value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static enum heaptap_status add_line(struct pprof_decoding *decoding, const struct wire_field *field)
{
    struct model *model = decoding->model;
    struct line line = {0};
    enum heaptap_status status =
        pprof_take_message(decoding, field->content, take_line_field, &line);
    if (status == HEAPTAP_OK)
        status = pprof_count_items(decoding, 1, field->offset);
    if (status != HEAPTAP_OK)
        return status;
    if (model->line_count >= MODEL_NONE ||
        !ARRAY_RESERVE(&model->lines, &model->line_capacity, model->line_count + 1))
        return error_no_memory(decoding->error);
    struct heaptap_location *to = &model->lines[model->line_count++];
    *to = (struct heaptap_location){
        .file = names_empty, .function = names_empty, .line = clamp(line.line)};
    if (line.function == 0)
        return error_at(decoding->error, field->offset, "a line of a location has no function");
    uint32_t index = 0;
    status = pprof_index_of(decoding, PPROF_FUNCTION, line.function, line.function_offset, &index);
    if (status != HEAPTAP_OK)
        return status;
    const struct profile_function *function = &model->file->functions[index];
    to->function = *function->name ? function->name : function->system_name;
    to->file = function->file;
    return HEAPTAP_OK;
}

static const pprof_fields location_fields = {
    [LOCATION_ID] = {PPROF_ID, "a location's id", 0},
    [LOCATION_ADDRESS] = {PPROF_NUMBER, "a location's address", offsetof(struct model_frame, code)},
    [LOCATION_IS_FOLDED] = {PPROF_TRUTH, "a location's is_folded",
                            offsetof(struct model_frame, is_folded)},
};

static enum heaptap_status take_location_field(struct pprof_decoding *decoding,
                                               const struct wire_field *field, void *to)
{
    struct model_frame *location = to;
    enum heaptap_status status;
    switch (field->number) {
    case LOCATION_MAPPING:
        status = pprof_expect(decoding, field, WIRE_VARINT, "a location's mapping_id");
        return status == HEAPTAP_OK && field->value != 0
                   ? pprof_index_of(decoding, PPROF_MAPPING, field->value, field->offset,
                                    &location->module)
                   : status;
    case LOCATION_LINE:
        location->line_count++;
        status = pprof_expect(decoding, field, WIRE_BYTES, "a location's line");
        return status == HEAPTAP_OK ? add_line(decoding, field) : status;
    }
    return pprof_take_member(decoding, field, location_fields, location);
}

enum heaptap_status pprof_take_location(struct pprof_decoding *decoding,
                                        const struct wire_field *field, void *to)
{
    struct model *model = decoding->model;
    if (field->number != PROFILE_LOCATION)
        return HEAPTAP_OK;
    uint32_t number = model_add_frame(model, 0, MODEL_NONE, NULL, 0);
    if (number == MODEL_NONE)
        return error_no_memory(decoding->error);
    struct model_frame *location = &model->frames[number];
    location->first_line = (uint32_t)model->line_count;
    enum heaptap_status status =
        pprof_take_message(decoding, field->content, take_location_field, location);
    if (status != HEAPTAP_OK)
        return status;
    ARRAY_REVERSE(model->lines + location->first_line, location->line_count);
    return pprof_note_id(decoding, PPROF_LOCATION, field->offset);
}
