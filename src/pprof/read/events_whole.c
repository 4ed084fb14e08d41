#include "pprof/read/events_whole.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "spec/pprof_events.h"
#include "spec/trace_format.h"

enum heaptap_status pprof_at_chunk(enum heaptap_status status, uint64_t offset,
                                   struct heaptap_error *error)
{
    if (status == HEAPTAP_BAD_INPUT && error)
        error->offset += offset;
    return status;
}

static enum heaptap_status expect(const struct wire_field *field, enum wire_type type,
                                  struct heaptap_error *error)
{
    return field->type == type
               ? HEAPTAP_OK
               : error_at(error, field->offset, "field %u of the events has wire type %u, not %u",
                          (unsigned)field->number, (unsigned)field->type, (unsigned)type);
}

static const char *intern(struct pprof_events_whole *whole, const struct wire_field *field)
{
    const char *bytes = (const char *)field->content.at;
    size_t size = (size_t)(field->content.end - field->content.at);
    return names_intern(&whole->names, bytes, strnlen(bytes, size));
}

static bool is_text_of_info(uint32_t number)
{
    return number >= INFO_EXECUTABLE && number <= INFO_CONTEXT;
}

static enum heaptap_status take_info(struct pprof_events_whole *whole, struct wire wire,
                                     struct heaptap_error *error)
{
    struct heaptap_trace_info *info = &whole->info;
    const char **texts[] = {&info->executable, &info->host, &info->runtime_params, &info->context};
    struct wire_field field;
    enum heaptap_status status;
    while ((status = wire_next(&wire, &field, error)) == HEAPTAP_OK) {
        status = expect(&field, is_text_of_info(field.number) ? WIRE_BYTES : WIRE_VARINT, error);
        if (status != HEAPTAP_OK)
            return status;
        if (is_text_of_info(field.number) &&
            !(*texts[field.number - INFO_EXECUTABLE] = intern(whole, &field)))
            return error_no_memory(error);
        if (field.number == INFO_RATE)
            memcpy(&info->sample_rate, &field.value, sizeof info->sample_rate);
        else if (field.number == INFO_WORD_BITS)
            info->word_bits = (unsigned)field.value;
        else if (field.number == INFO_PID)
            info->pid = field.value;
        else if (field.number == INFO_START)
            info->start_us = wire_signed(field.value);
        else if (field.number == INFO_INITIAL_DOMAIN)
            info->initial_domain = (uint16_t)field.value;
        else if (field.number == INFO_VERSION)
            info->version = (unsigned)field.value;
    }
    whole->has_info = true;
    return status == HEAPTAP_END ? HEAPTAP_OK : status;
}

static enum heaptap_status take_record_bytes(struct pprof_events_whole *whole,
                                             struct heaptap_metadata *record,
                                             const struct wire_field *field,
                                             struct heaptap_error *error)
{
    enum heaptap_status status = expect(field, WIRE_BYTES, error);
    size_t size = (size_t)(field->content.end - field->content.at);
    if (status != HEAPTAP_OK)
        return status;
    if (field->number != METADATA_BUILD_ID) {
        const char **text = field->number == METADATA_NAME ? &record->name : &record->value;
        *text = intern(whole, field);
        return *text ? HEAPTAP_OK : error_no_memory(error);
    }
    if (size > HEAPTAP_BUILD_ID_MAX)
        return error_at(error, field->offset, "a build id here has %zu bytes, more than %d", size,
                        HEAPTAP_BUILD_ID_MAX);
    memcpy(record->build_id, field->content.at, size);
    record->build_id_size = (uint8_t)size;
    return HEAPTAP_OK;
}

static void take_record_number(struct heaptap_metadata *record, const struct wire_field *field)
{
    switch (field->number) {
    case METADATA_KIND:
        record->kind = (enum heaptap_metadata_kind)field->value;
        break;
    case METADATA_NUMBER:
        record->number = field->value;
        break;
    case METADATA_DOMAIN:
        record->domain = (uint16_t)field->value;
        break;
    case METADATA_ADDRESS:
        record->address = field->value;
        break;
    case METADATA_SIZE:
        record->size_bytes = field->value;
        break;
    case METADATA_OFFSET:
        record->file_offset = field->value;
        break;
    case METADATA_LOADED:
        record->loaded_us = wire_signed(field->value);
        break;
    case METADATA_UNLOADED:
        record->unloaded_us = wire_signed(field->value);
        break;
    case METADATA_BEGIN:
        record->begin_us = wire_signed(field->value);
        break;
    case METADATA_END:
        record->end_us = wire_signed(field->value);
        break;
    }
}

static enum heaptap_status take_record_field(struct pprof_events_whole *whole,
                                             struct heaptap_metadata *record,
                                             const struct wire_field *field,
                                             struct heaptap_error *error)
{
    if (field->number == METADATA_NAME || field->number == METADATA_VALUE ||
        field->number == METADATA_BUILD_ID)
        return take_record_bytes(whole, record, field, error);
    enum heaptap_status status = expect(field, WIRE_VARINT, error);
    if (status == HEAPTAP_OK)
        take_record_number(record, field);
    return status;
}

static enum heaptap_status take_metadata(struct pprof_events_whole *whole, struct wire wire,
                                         uint64_t offset, struct heaptap_error *error)
{
    struct heaptap_metadata record = {.name = "", .value = "", .unloaded_us = -1};
    struct wire_field field;
    enum heaptap_status status;
    while ((status = wire_next(&wire, &field, error)) == HEAPTAP_OK) {
        status = take_record_field(whole, &record, &field, error);
        if (status != HEAPTAP_OK)
            return status;
    }
    if (status != HEAPTAP_END)
        return status;
    if (!metadata_is_for_readers(record.kind))
        return error_at(error, offset, "there is no metadata of kind %u", (unsigned)record.kind);
    if (!ARRAY_RESERVE(&whole->metadata, &whole->metadata_capacity, whole->metadata_count + 1))
        return error_no_memory(error);
    whole->metadata[whole->metadata_count++] = record;
    return HEAPTAP_OK;
}

static enum heaptap_status take_codes(struct pprof_events_whole *whole, struct wire list,
                                      struct heaptap_error *error)
{
    enum heaptap_status status = HEAPTAP_OK;
    uint64_t code = 0, delta = 0;
    bool fresh;
    while (status == HEAPTAP_OK && list.at < list.end) {
        uint64_t offset = wire_offset(&list);
        status = wire_varint(&list, &delta, error);
        code += (uint64_t)wire_signed(delta);
        if (status == HEAPTAP_OK && whole->code_count >= whole->model->frame_count)
            return error_at(error, offset, "there are more codes than locations");
        if (status == HEAPTAP_OK &&
            !map_put(&whole->by_code, code, (uint32_t)whole->code_count, &fresh))
            return error_no_memory(error);
        if (status == HEAPTAP_OK)
            whole->codes[whole->code_count++] = code;
    }
    return status;
}

/* Two for each line: where it begins, and how much farther it ends.  The profile lists the
 * innermost line of a location first; here they are the other way round. */
static enum heaptap_status take_characters(struct pprof_events_whole *whole, struct wire list,
                                           struct heaptap_error *error)
{
    const struct model *model = whole->model;
    for (size_t i = 0; i < model->frame_count; i++) {
        const struct model_frame *location = &model->frames[i];
        if (whole->nameless[i] || i == whole->no_frame)
            continue;
        for (size_t k = location->line_count; k-- > 0;) {
            struct heaptap_location *line = &whole->lines[location->first_line + k];
            uint64_t start = 0, length = 0;
            enum heaptap_status status = wire_varint(&list, &start, error);
            if (status == HEAPTAP_OK)
                status = wire_varint(&list, &length, error);
            if (status != HEAPTAP_OK)
                return status;
            line->start_char = (uint32_t)start;
            line->end_char = (uint32_t)(start + (uint64_t)wire_signed(length));
        }
    }
    return HEAPTAP_OK;
}

static enum heaptap_status take_nameless(struct pprof_events_whole *whole, struct wire list,
                                         struct heaptap_error *error)
{
    enum heaptap_status status = HEAPTAP_OK;
    while (status == HEAPTAP_OK && list.at < list.end) {
        uint64_t id = 0, offset = wire_offset(&list);
        status = wire_varint(&list, &id, error);
        if (status == HEAPTAP_OK && id - 1 >= whole->model->frame_count)
            return error_at(error, offset, "there is no location with the id %llu",
                            (unsigned long long)id);
        if (status == HEAPTAP_OK)
            whole->nameless[id - 1] = true;
    }
    return status;
}

/* `characters` is kept for later, as other fields say which lines have some. */
static enum heaptap_status take_field(struct pprof_events_whole *whole,
                                      const struct wire_field *field, struct wire_field *characters,
                                      struct heaptap_error *error)
{
    bool is_number = field->number == CHUNK_VERSION || field->number == CHUNK_NO_FRAME;
    enum heaptap_status status = field->number < CHUNK_FIELDS
                                     ? expect(field, is_number ? WIRE_VARINT : WIRE_BYTES, error)
                                     : HEAPTAP_OK;
    if (status != HEAPTAP_OK)
        return status;
    switch (field->number) {
    case CHUNK_VERSION:
        whole->has_version = true;
        return field->value == EVENTS_VERSION
                   ? HEAPTAP_OK
                   : error_at(error, field->offset, "the events are of version %llu; expected %d",
                              (unsigned long long)field->value, EVENTS_VERSION);
    case CHUNK_INFO:
        return take_info(whole, field->content, error);
    case CHUNK_METADATA:
        return take_metadata(whole, field->content, field->offset, error);
    case CHUNK_CODES:
        return take_codes(whole, field->content, error);
    case CHUNK_CHARACTERS:
        *characters = *field;
        return HEAPTAP_OK;
    case CHUNK_NAMELESS:
        return take_nameless(whole, field->content, error);
    case CHUNK_NO_FRAME:
        if (field->value - 1 >= whole->model->frame_count)
            return error_at(error, field->offset, "there is no location with the id %llu",
                            (unsigned long long)field->value);
        whole->no_frame = (uint32_t)(field->value - 1);
    }
    return HEAPTAP_OK;
}

static enum heaptap_status take_chunk(struct pprof_events_whole *whole,
                                      const struct profile_chunk *chunk,
                                      struct heaptap_error *error)
{
    struct wire wire = pprof_chunk_wire(chunk);
    struct wire_field field, characters = {0};
    enum heaptap_status status;
    while ((status = wire_next(&wire, &field, error)) == HEAPTAP_OK) {
        status = take_field(whole, &field, &characters, error);
        if (status != HEAPTAP_OK)
            return status;
    }
    if (status == HEAPTAP_END && characters.number)
        return take_characters(whole, characters.content, error);
    return status == HEAPTAP_END ? HEAPTAP_OK : status;
}

/* What a trace could not be. */
static enum heaptap_status check(const struct pprof_events_whole *whole,
                                 struct heaptap_error *error)
{
    const struct heaptap_trace_info *info = &whole->info;
    if (!whole->has_version || !whole->has_info)
        return error_at(error, 0, "the events have no %s",
                        whole->has_info ? "version" : "description of their trace");
    if (info->version < 1 || info->version > 3)
        return error_at(error, 0, "the events are of a trace of version %u; there are 1 to 3",
                        info->version);
    if (!(info->sample_rate > 0 && info->sample_rate <= 1))
        return error_at(error, 0, "the events' sampling rate is not in (0, 1]");
    if (info->word_bits != 64 && info->word_bits != 32 && info->word_bits != 8)
        return error_at(error, 0, "the events' words have %u bits; expected 64, 32 or 8",
                        info->word_bits);
    if (whole->code_count != whole->model->frame_count)
        return error_at(error, 0, "there are %zu codes for %zu locations", whole->code_count,
                        whole->model->frame_count);
    return HEAPTAP_OK;
}

static bool make_room(struct pprof_events_whole *whole)
{
    const struct model *model = whole->model;
    whole->codes = calloc(model->frame_count + 1, sizeof *whole->codes);
    whole->nameless = calloc(model->frame_count + 1, sizeof *whole->nameless);
    whole->lines = malloc((model->line_count + 1) * sizeof *whole->lines);
    if (!whole->codes || !whole->nameless || !whole->lines)
        return false;
    if (model->line_count > 0)
        memcpy(whole->lines, model->lines, model->line_count * sizeof *whole->lines);
    return true;
}

enum heaptap_status pprof_events_whole_read(struct pprof_events_whole *whole,
                                            const struct model *model, struct heaptap_error *error)
{
    const struct profile_file *file = model->file;
    enum heaptap_status status = HEAPTAP_OK;
    *whole = (struct pprof_events_whole){.model = model, .no_frame = MODEL_NONE};
    whole->info = (struct heaptap_trace_info){
        .version = 3, .executable = "", .host = "", .runtime_params = "", .context = ""};
    if (!make_room(whole))
        return error_no_memory(error);
    for (size_t i = 0; status == HEAPTAP_OK && i < file->chunk_count; i++)
        status = pprof_at_chunk(take_chunk(whole, &file->chunks[i], error), file->chunks[i].offset,
                                error);
    return status == HEAPTAP_OK ? check(whole, error) : status;
}

void pprof_events_whole_release(struct pprof_events_whole *whole)
{
    names_release(&whole->names);
    map_release(&whole->by_code);
    free(whole->metadata);
    free(whole->codes);
    free(whole->nameless);
    free(whole->lines);
}

size_t pprof_events_whole_describe(const struct pprof_events_whole *whole, uint64_t code,
                                   struct heaptap_location *locations, size_t max)
{
    const uint32_t *index = map_find(&whole->by_code, code);
    if (!index || whole->nameless[*index])
        return 0;
    const struct model_frame *location = &whole->model->frames[*index];
    size_t count = location->line_count < max ? location->line_count : max;
    if (count > 0)
        memcpy(locations, whole->lines + location->first_line, count * sizeof *locations);
    return count;
}
