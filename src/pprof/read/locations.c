#include "pprof/read/decoding.h"

#include "base/array.h"
#include "base/error.h"
#include "spec/pprof_fields.h"

struct line {
    uint64_t function, function_offset;
    int64_t line;
};

static enum heaptap_status take_line_field(struct pprof_decoding *decoding,
                                           const struct wire_field *field, void *to)
{
    struct line *line = to;
    switch (field->number) {
    case 1:
        line->function_offset = field->offset;
        return pprof_number(decoding, field, "a line's function_id", &line->function);
    case 2:
        return pprof_integer(decoding, field, "a line's number", &line->line);
    }
    return HEAPTAP_OK;
}

static uint32_t clamp(int64_t value)
{
    return value < 0 ? 0 : value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static enum heaptap_status add_line(struct pprof_decoding *decoding, const struct wire_field *field)
{
    struct pprof *pprof = decoding->pprof;
    struct line line = {0};
    enum heaptap_status status =
        pprof_take_message(decoding, field->content, take_line_field, &line);
    if (status == HEAPTAP_OK)
        status = pprof_count_items(decoding, 1, field->offset);
    if (status != HEAPTAP_OK)
        return status;
    if (pprof->line_count >= PPROF_NONE ||
        !ARRAY_RESERVE(&pprof->lines, &pprof->line_capacity, pprof->line_count + 1))
        return error_no_memory(decoding->error);
    struct heaptap_location *to = &pprof->lines[pprof->line_count++];
    *to = (struct heaptap_location){
        .file = names_empty, .function = names_empty, .line = clamp(line.line)};
    if (line.function == 0)
        return error_at(decoding->error, field->offset, "a line of a location has no function");
    uint32_t index = 0;
    status = pprof_index_of(decoding, PPROF_FUNCTION, line.function, line.function_offset, &index);
    if (status != HEAPTAP_OK)
        return status;
    const struct pprof_function *function = &pprof->functions[index];
    to->function = *function->name ? function->name : function->system_name;
    to->file = function->file;
    return HEAPTAP_OK;
}

static enum heaptap_status take_location_field(struct pprof_decoding *decoding,
                                               const struct wire_field *field, void *to)
{
    struct pprof_location *location = to;
    uint64_t mapping;
    enum heaptap_status status;
    switch (field->number) {
    case 1:
        return pprof_number(decoding, field, "a location's id", &decoding->id);
    case 2:
        status = pprof_number(decoding, field, "a location's mapping_id", &mapping);
        return status == HEAPTAP_OK && mapping != 0
                   ? pprof_index_of(decoding, PPROF_MAPPING, mapping, field->offset,
                                    &location->mapping)
                   : status;
    case 3:
        return pprof_number(decoding, field, "a location's address", &location->address);
    case 4:
        location->line_count++;
        status = pprof_expect(decoding, field, WIRE_BYTES, "a location's line");
        return status == HEAPTAP_OK ? add_line(decoding, field) : status;
    case 5:
        return pprof_truth(decoding, field, "a location's is_folded", &location->is_folded);
    }
    return HEAPTAP_OK;
}

static void reverse_lines(struct pprof *pprof, const struct pprof_location *location)
{
    if (location->line_count < 2)
        return;
    struct heaptap_location *lines = pprof->lines + location->first_line;
    for (size_t i = 0, k = location->line_count; i + 1 < k; i++) {
        struct heaptap_location last = lines[--k];
        lines[k] = lines[i];
        lines[i] = last;
    }
}

enum heaptap_status pprof_take_location(struct pprof_decoding *decoding,
                                        const struct wire_field *field, void *to)
{
    struct pprof *pprof = decoding->pprof;
    if (field->number != PROFILE_LOCATION)
        return HEAPTAP_OK;
    if (pprof->location_count >= PPROF_NONE ||
        !ARRAY_RESERVE(&pprof->locations, &pprof->location_capacity, pprof->location_count + 1))
        return error_no_memory(decoding->error);
    struct pprof_location *location = &pprof->locations[pprof->location_count++];
    *location =
        (struct pprof_location){.mapping = PPROF_NONE, .first_line = (uint32_t)pprof->line_count};
    enum heaptap_status status =
        pprof_take_message(decoding, field->content, take_location_field, location);
    if (status != HEAPTAP_OK)
        return status;
    reverse_lines(pprof, location);
    return pprof_note_id(decoding, PPROF_LOCATION, field->offset);
}
