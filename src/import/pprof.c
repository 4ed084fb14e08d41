/* Messages refer to each other by ids and by numbers of strings, in any order.  So the file is gone
 * through four times, each time for what the next needs: strings; what refers to strings alone;
 * locations, which refer to mappings and functions; samples.  Only samples are many, and they are
 * looked into but once. */
#include "import/pprof.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "import/wire.h"
#include "pprof/events.h"
#include "pprof/fields.h"

struct decoding {
    struct pprof *pprof;
    struct heaptap_error *error;
    const char *default_type; /* "" for none */
    bool in_order[3];         /* ids of mappings, functions, locations so far are 1, 2, ... */
};

/* What the decoding of a message does with one of its fields. */
typedef enum heaptap_status take_field(struct decoding *decoding, const struct wire_field *field,
                                       void *to);

static enum heaptap_status take_message(struct decoding *decoding, struct wire wire,
                                        take_field *take, void *to)
{
    struct wire_field field;
    enum heaptap_status status;
    while ((status = wire_next(&wire, &field, decoding->error)) == HEAPTAP_OK) {
        status = take(decoding, &field, to);
        if (status != HEAPTAP_OK)
            return status;
    }
    return status == HEAPTAP_END ? HEAPTAP_OK : status;
}

/* ---- Values of fields --------------------------------------------------------------- */

static enum heaptap_status expect(struct decoding *decoding, const struct wire_field *field,
                                  enum wire_type type, const char *what)
{
    if (field->type == type)
        return HEAPTAP_OK;
    return error_at(decoding->error, field->offset, "%s has wire type %u; expected was %u", what,
                    (unsigned)field->type, (unsigned)type);
}

static enum heaptap_status number(struct decoding *decoding, const struct wire_field *field,
                                  const char *what, uint64_t *to)
{
    *to = field->value;
    return expect(decoding, field, WIRE_VARINT, what);
}

static enum heaptap_status integer(struct decoding *decoding, const struct wire_field *field,
                                   const char *what, int64_t *to)
{
    *to = (int64_t)field->value;
    return expect(decoding, field, WIRE_VARINT, what);
}

static enum heaptap_status truth(struct decoding *decoding, const struct wire_field *field,
                                 const char *what, bool *to)
{
    *to = field->value != 0;
    return expect(decoding, field, WIRE_VARINT, what);
}

static enum heaptap_status string_at(struct decoding *decoding, uint64_t value, uint64_t offset,
                                     const char *what, const char **to)
{
    const struct pprof *pprof = decoding->pprof;
    if (value >= pprof->string_count)
        return error_at(decoding->error, offset, "%s is string %lld, but there are %zu", what,
                        (long long)value, pprof->string_count);
    *to = pprof->strings[value];
    return HEAPTAP_OK;
}

static enum heaptap_status string(struct decoding *decoding, const struct wire_field *field,
                                  const char *what, const char **to)
{
    enum heaptap_status status = expect(decoding, field, WIRE_VARINT, what);
    return status == HEAPTAP_OK ? string_at(decoding, field->value, field->offset, what, to)
                                : status;
}

/* ---- Ids ---------------------------------------------------------------------------- */

enum kind { KIND_MAPPING, KIND_FUNCTION, KIND_LOCATION };

static const char *const kind_names[] = {"mapping", "function", "location"};

static struct map *ids_of(struct pprof *pprof, enum kind kind)
{
    return kind == KIND_MAPPING    ? &pprof->mapping_ids
           : kind == KIND_FUNCTION ? &pprof->function_ids
                                   : &pprof->location_ids;
}

static size_t count_of(const struct pprof *pprof, enum kind kind)
{
    return kind == KIND_MAPPING    ? pprof->mapping_count
           : kind == KIND_FUNCTION ? pprof->function_count
                                   : pprof->location_count;
}

static uint64_t id_at(const struct pprof *pprof, enum kind kind, size_t index)
{
    return kind == KIND_MAPPING    ? pprof->mappings[index].id
           : kind == KIND_FUNCTION ? pprof->functions[index].id
                                   : pprof->locations[index].id;
}

/* Notes the id of the item last added, which was described at `offset`. */
static enum heaptap_status note_id(struct decoding *decoding, enum kind kind, uint64_t offset)
{
    struct pprof *pprof = decoding->pprof;
    struct map *ids = ids_of(pprof, kind);
    size_t index = count_of(pprof, kind) - 1;
    uint64_t id = id_at(pprof, kind, index);
    bool fresh;
    if (id == 0)
        return error_at(decoding->error, offset, "a %s has the id 0, which is reserved",
                        kind_names[kind]);
    if (decoding->in_order[kind] && id == index + 1)
        return HEAPTAP_OK;
    for (size_t i = 0; decoding->in_order[kind] && i < index; i++)
        if (!map_put(ids, id_at(pprof, kind, i), (uint32_t)i, &fresh))
            return error_no_memory(decoding->error);
    decoding->in_order[kind] = false;
    if (!map_put(ids, id, (uint32_t)index, &fresh))
        return error_no_memory(decoding->error);
    if (!fresh)
        return error_at(decoding->error, offset, "a second %s has the id %llu", kind_names[kind],
                        (unsigned long long)id);
    return HEAPTAP_OK;
}

/* The index of an id that is referred to at `offset`. */
static inline enum heaptap_status index_of(struct decoding *decoding, enum kind kind, uint64_t id,
                                           uint64_t offset, uint32_t *index)
{
    struct pprof *pprof = decoding->pprof;
    if (decoding->in_order[kind] && id - 1 < count_of(pprof, kind)) {
        *index = (uint32_t)(id - 1);
        return HEAPTAP_OK;
    }
    const uint32_t *found = decoding->in_order[kind] ? NULL : map_find(ids_of(pprof, kind), id);
    if (!found)
        return error_at(decoding->error, offset, "there is no %s with the id %llu",
                        kind_names[kind], (unsigned long long)id);
    *index = *found;
    return HEAPTAP_OK;
}

/* ---- Strings ------------------------------------------------------------------------ */

static enum heaptap_status take_string(struct decoding *decoding, const struct wire_field *field,
                                       void *to)
{
    struct pprof *pprof = decoding->pprof;
    if (field->number == PROFILE_SAMPLE)
        pprof->sample_count++;
    if (field->number != PROFILE_STRING)
        return HEAPTAP_OK;
    enum heaptap_status status = expect(decoding, field, WIRE_BYTES, "string_table");
    if (status != HEAPTAP_OK)
        return status;
    const char *text = (const char *)field->content.at;
    size_t size = strnlen(text, (size_t)(field->content.end - field->content.at));
    if (pprof->string_count == 0 && field->content.end > field->content.at)
        return error_at(decoding->error, field->offset,
                        "the first string of the string table must be empty");
    const char *name = names_intern(&pprof->names, text, size);
    if (!name || pprof->string_count >= PPROF_NONE ||
        !ARRAY_RESERVE(&pprof->strings, &pprof->string_capacity, pprof->string_count + 1))
        return error_no_memory(decoding->error);
    pprof->strings[pprof->string_count++] = name;
    return HEAPTAP_OK;
}

/* ---- What refers to strings alone ---------------------------------------------------- */

static enum heaptap_status take_type_field(struct decoding *decoding,
                                           const struct wire_field *field, void *to)
{
    struct pprof_type *type = to;
    switch (field->number) {
    case 1:
        return string(decoding, field, "the name of a sample type", &type->name);
    case 2:
        return string(decoding, field, "the unit of a sample type", &type->unit);
    }
    return HEAPTAP_OK;
}

static enum heaptap_status add_chunk(struct decoding *decoding, const struct wire *content)
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

static enum heaptap_status take_period_type_field(struct decoding *decoding,
                                                  const struct wire_field *field, void *to)
{
    if (field->number == TYPE_EVENTS && field->type == WIRE_BYTES)
        return add_chunk(decoding, &field->content);
    return take_type_field(decoding, field, to);
}

static enum heaptap_status take_mapping_field(struct decoding *decoding,
                                              const struct wire_field *field, void *to)
{
    struct pprof_mapping *mapping = to;
    switch (field->number) {
    case 1:
        return number(decoding, field, "a mapping's id", &mapping->id);
    case 2:
        return number(decoding, field, "a mapping's memory_start", &mapping->start);
    case 3:
        return number(decoding, field, "a mapping's memory_limit", &mapping->limit);
    case 4:
        return number(decoding, field, "a mapping's file_offset", &mapping->offset);
    case 5:
        return string(decoding, field, "a mapping's filename", &mapping->file);
    case 6:
        return string(decoding, field, "a mapping's build_id", &mapping->build_id);
    case 7:
        return truth(decoding, field, "a mapping's has_functions", &mapping->has_functions);
    case 8:
        return truth(decoding, field, "a mapping's has_filenames", &mapping->has_files);
    case 9:
        return truth(decoding, field, "a mapping's has_line_numbers", &mapping->has_lines);
    case 10:
        return truth(decoding, field, "a mapping's has_inline_frames", &mapping->has_inlines);
    }
    return HEAPTAP_OK;
}

static enum heaptap_status take_function_field(struct decoding *decoding,
                                               const struct wire_field *field, void *to)
{
    struct pprof_function *function = to;
    switch (field->number) {
    case 1:
        return number(decoding, field, "a function's id", &function->id);
    case 2:
        return string(decoding, field, "a function's name", &function->name);
    case 3:
        return string(decoding, field, "a function's system_name", &function->system_name);
    case 4:
        return string(decoding, field, "a function's filename", &function->file);
    case 5:
        return integer(decoding, field, "a function's start_line", &function->start_line);
    }
    return HEAPTAP_OK;
}

static enum heaptap_status add_type(struct decoding *decoding, const struct wire_field *field)
{
    struct pprof *pprof = decoding->pprof;
    if (!ARRAY_RESERVE(&pprof->types, &pprof->type_capacity, pprof->type_count + 1))
        return error_no_memory(decoding->error);
    struct pprof_type *type = &pprof->types[pprof->type_count++];
    *type = (struct pprof_type){"", ""};
    return take_message(decoding, field->content, take_type_field, type);
}

static enum heaptap_status add_mapping(struct decoding *decoding, const struct wire_field *field)
{
    struct pprof *pprof = decoding->pprof;
    if (!ARRAY_RESERVE(&pprof->mappings, &pprof->mapping_capacity, pprof->mapping_count + 1))
        return error_no_memory(decoding->error);
    struct pprof_mapping *mapping = &pprof->mappings[pprof->mapping_count++];
    *mapping = (struct pprof_mapping){.file = "", .build_id = ""};
    enum heaptap_status status =
        take_message(decoding, field->content, take_mapping_field, mapping);
    return status == HEAPTAP_OK ? note_id(decoding, KIND_MAPPING, field->offset) : status;
}

static enum heaptap_status add_function(struct decoding *decoding, const struct wire_field *field)
{
    struct pprof *pprof = decoding->pprof;
    if (!ARRAY_RESERVE(&pprof->functions, &pprof->function_capacity, pprof->function_count + 1))
        return error_no_memory(decoding->error);
    struct pprof_function *function = &pprof->functions[pprof->function_count++];
    *function = (struct pprof_function){.name = "", .system_name = "", .file = ""};
    enum heaptap_status status =
        take_message(decoding, field->content, take_function_field, function);
    return status == HEAPTAP_OK ? note_id(decoding, KIND_FUNCTION, field->offset) : status;
}

static enum heaptap_status add_comment(struct decoding *decoding, uint64_t value, uint64_t offset)
{
    struct pprof *pprof = decoding->pprof;
    if (!ARRAY_RESERVE(&pprof->comments, &pprof->comment_capacity, pprof->comment_count + 1))
        return error_no_memory(decoding->error);
    return string_at(decoding, value, offset, "a comment",
                     &pprof->comments[pprof->comment_count++]);
}

static enum heaptap_status take_comments(struct decoding *decoding, const struct wire_field *field)
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

static enum heaptap_status take_time(struct decoding *decoding, const struct wire_field *field)
{
    if (decoding->pprof->time_ns != 0)
        return error_at(decoding->error, field->offset,
                        "time_nanos stands a second time: these are several profiles, one after "
                        "another, not one that was merged from them");
    return integer(decoding, field, "time_nanos", &decoding->pprof->time_ns);
}

/* The wire type that a field of the profile must have; comments may have either. */
static enum heaptap_status expect_profile_field(struct decoding *decoding,
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
    return expect(decoding, field, is_message ? WIRE_BYTES : WIRE_VARINT, names[field_number]);
}

static enum heaptap_status take_simple(struct decoding *decoding, const struct wire_field *field,
                                       void *to)
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
        return string(decoding, field, "drop_frames", &pprof->drop_frames);
    case PROFILE_KEEP_FRAMES:
        return string(decoding, field, "keep_frames", &pprof->keep_frames);
    case PROFILE_TIME:
        return take_time(decoding, field);
    case PROFILE_DURATION:
        return integer(decoding, field, "duration_nanos", &pprof->duration_ns);
    case PROFILE_PERIOD_TYPE:
        return take_message(decoding, field->content, take_period_type_field, &pprof->period_type);
    case PROFILE_PERIOD:
        return integer(decoding, field, "period", &pprof->period);
    case PROFILE_COMMENT:
        return take_comments(decoding, field);
    case PROFILE_DEFAULT_TYPE:
        return string(decoding, field, "default_sample_type", &decoding->default_type);
    case PROFILE_DOC_URL:
        return string(decoding, field, "doc_url", &pprof->doc_url);
    }
    return HEAPTAP_OK;
}

/* ---- Locations ---------------------------------------------------------------------- */

struct line {
    uint64_t function, function_offset;
    int64_t line;
};

static enum heaptap_status take_line_field(struct decoding *decoding,
                                           const struct wire_field *field, void *to)
{
    struct line *line = to;
    switch (field->number) {
    case 1:
        line->function_offset = field->offset;
        return number(decoding, field, "a line's function_id", &line->function);
    case 2:
        return integer(decoding, field, "a line's number", &line->line);
    }
    return HEAPTAP_OK;
}

static uint32_t clamp(int64_t value)
{
    return value < 0 ? 0 : value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static enum heaptap_status add_line(struct decoding *decoding, const struct wire_field *field)
{
    struct pprof *pprof = decoding->pprof;
    struct line line = {0};
    enum heaptap_status status = take_message(decoding, field->content, take_line_field, &line);
    if (status != HEAPTAP_OK)
        return status;
    if (pprof->line_count >= PPROF_NONE ||
        !ARRAY_RESERVE(&pprof->lines, &pprof->line_capacity, pprof->line_count + 1))
        return error_no_memory(decoding->error);
    struct heaptap_location *to = &pprof->lines[pprof->line_count++];
    *to = (struct heaptap_location){.file = "", .function = "", .line = clamp(line.line)};
    if (line.function == 0)
        return error_at(decoding->error, field->offset, "a line of a location has no function");
    uint32_t index = 0;
    status = index_of(decoding, KIND_FUNCTION, line.function, line.function_offset, &index);
    if (status != HEAPTAP_OK)
        return status;
    const struct pprof_function *function = &pprof->functions[index];
    to->function = *function->name ? function->name : function->system_name;
    to->file = function->file;
    return HEAPTAP_OK;
}

static enum heaptap_status take_location_field(struct decoding *decoding,
                                               const struct wire_field *field, void *to)
{
    struct pprof_location *location = to;
    uint64_t mapping;
    enum heaptap_status status;
    switch (field->number) {
    case 1:
        return number(decoding, field, "a location's id", &location->id);
    case 2:
        status = number(decoding, field, "a location's mapping_id", &mapping);
        return status == HEAPTAP_OK && mapping != 0
                   ? index_of(decoding, KIND_MAPPING, mapping, field->offset, &location->mapping)
                   : status;
    case 3:
        return number(decoding, field, "a location's address", &location->address);
    case 4:
        location->line_count++;
        status = expect(decoding, field, WIRE_BYTES, "a location's line");
        return status == HEAPTAP_OK ? add_line(decoding, field) : status;
    case 5:
        return truth(decoding, field, "a location's is_folded", &location->is_folded);
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

static enum heaptap_status take_location(struct decoding *decoding, const struct wire_field *field,
                                         void *to)
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
        take_message(decoding, field->content, take_location_field, location);
    if (status != HEAPTAP_OK)
        return status;
    reverse_lines(pprof, location);
    return note_id(decoding, KIND_LOCATION, field->offset);
}

/* ---- Samples ------------------------------------------------------------------------ */

struct sample {
    size_t index;  /* of this one */
    size_t frames; /* of all samples so far */
    size_t labels; /* of all samples so far */
    size_t values; /* of this one */
};

static enum heaptap_status add_frame(struct decoding *decoding, uint64_t id, uint64_t offset,
                                     struct sample *sample)
{
    struct pprof *pprof = decoding->pprof;
    if (!ARRAY_RESERVE(&pprof->frames, &pprof->frame_capacity, sample->frames + 1))
        return error_no_memory(decoding->error);
    return index_of(decoding, KIND_LOCATION, id, offset, &pprof->frames[sample->frames++]);
}

/* A packed list, of which each number takes a byte at least. */
static enum heaptap_status add_frames(struct decoding *decoding, struct wire list,
                                      struct sample *sample)
{
    struct pprof *pprof = decoding->pprof;
    enum heaptap_status status = HEAPTAP_OK;
    if (!ARRAY_RESERVE(&pprof->frames, &pprof->frame_capacity,
                       sample->frames + (size_t)(list.end - list.at)))
        return error_no_memory(decoding->error);
    while (status == HEAPTAP_OK && list.at < list.end) {
        uint64_t id = 0, offset = wire_offset(&list);
        status = wire_varint(&list, &id, decoding->error);
        if (status == HEAPTAP_OK)
            status =
                index_of(decoding, KIND_LOCATION, id, offset, &pprof->frames[sample->frames++]);
    }
    return status;
}

static void add_value(struct decoding *decoding, uint64_t value, struct sample *sample)
{
    struct pprof *pprof = decoding->pprof;
    if (sample->values < pprof->type_count)
        pprof->values[sample->index * pprof->type_count + sample->values] = (int64_t)value;
    sample->values++;
}

static enum heaptap_status add_values(struct decoding *decoding, struct wire list,
                                      struct sample *sample)
{
    enum heaptap_status status = HEAPTAP_OK;
    while (status == HEAPTAP_OK && list.at < list.end) {
        uint64_t value = 0;
        status = wire_varint(&list, &value, decoding->error);
        if (status == HEAPTAP_OK)
            add_value(decoding, value, sample);
    }
    return status;
}

static enum heaptap_status take_label_field(struct decoding *decoding,
                                            const struct wire_field *field, void *to)
{
    struct pprof_label *label = to;
    switch (field->number) {
    case 1:
        return string(decoding, field, "a label's key", &label->key);
    case 2:
        return string(decoding, field, "a label's text", &label->text);
    case 3:
        return integer(decoding, field, "a label's number", &label->number);
    case 4:
        return string(decoding, field, "a label's unit", &label->unit);
    }
    return HEAPTAP_OK;
}

static enum heaptap_status add_label(struct decoding *decoding, struct wire wire,
                                     struct sample *sample)
{
    struct pprof *pprof = decoding->pprof;
    if (!ARRAY_RESERVE(&pprof->labels, &pprof->label_capacity, sample->labels + 1))
        return error_no_memory(decoding->error);
    struct pprof_label *label = &pprof->labels[sample->labels++];
    *label = (struct pprof_label){.key = "", .unit = ""};
    enum heaptap_status status = take_message(decoding, wire, take_label_field, label);
    if (label->text && !*label->text)
        label->text = NULL;
    return status;
}

static enum heaptap_status take_sample_field(struct decoding *decoding,
                                             const struct wire_field *field, void *to)
{
    struct sample *sample = to;
    enum heaptap_status status;
    switch (field->number) {
    case 1:
        if (field->type == WIRE_BYTES)
            return add_frames(decoding, field->content, sample);
        status = expect(decoding, field, WIRE_VARINT, "a sample's location_id");
        return status == HEAPTAP_OK ? add_frame(decoding, field->value, field->offset, sample)
                                    : status;
    case 2:
        if (field->type == WIRE_BYTES)
            return add_values(decoding, field->content, sample);
        add_value(decoding, field->value, sample);
        return expect(decoding, field, WIRE_VARINT, "a sample's value");
    case 3:
        status = expect(decoding, field, WIRE_BYTES, "a sample's label");
        return status == HEAPTAP_OK ? add_label(decoding, field->content, sample) : status;
    }
    return HEAPTAP_OK;
}

static enum heaptap_status take_sample(struct decoding *decoding, const struct wire_field *field,
                                       void *to)
{
    struct pprof *pprof = decoding->pprof;
    struct sample *sample = to;
    if (field->number != PROFILE_SAMPLE)
        return HEAPTAP_OK;
    sample->values = 0;
    enum heaptap_status status = take_message(decoding, field->content, take_sample_field, sample);
    if (status != HEAPTAP_OK)
        return status;
    if (sample->values != pprof->type_count)
        return error_at(decoding->error, field->offset,
                        "a sample has %zu values, but there are %zu sample types", sample->values,
                        pprof->type_count);
    sample->index++;
    pprof->first_frame[sample->index] = sample->frames;
    pprof->first_label[sample->index] = sample->labels;
    return HEAPTAP_OK;
}

static enum heaptap_status take_samples(struct decoding *decoding, struct wire wire)
{
    struct pprof *pprof = decoding->pprof;
    struct sample sample = {0};
    size_t cells;
    if (__builtin_mul_overflow(pprof->sample_count, pprof->type_count, &cells))
        return error_no_memory(decoding->error);
    pprof->first_frame = calloc(pprof->sample_count + 1, sizeof *pprof->first_frame);
    pprof->first_label = calloc(pprof->sample_count + 1, sizeof *pprof->first_label);
    pprof->values = calloc(cells + 1, sizeof *pprof->values);
    if (!pprof->first_frame || !pprof->first_label || !pprof->values)
        return error_no_memory(decoding->error);
    return take_message(decoding, wire, take_sample, &sample);
}

/* ---- The whole ---------------------------------------------------------------------- */

/* A default that names no type is none, as pprof has it. */
static void choose_default_type(struct decoding *decoding)
{
    struct pprof *pprof = decoding->pprof;
    long found = pprof_find_type(pprof, decoding->default_type);
    pprof->default_type = found >= 0 ? (size_t)found : pprof->type_count - 1;
}

static enum heaptap_status decode(struct decoding *decoding, const void *data, size_t size)
{
    struct wire wire = {data, (const uint8_t *)data + size, data};
    struct pprof *pprof = decoding->pprof;
    if (size == 0)
        return error_at(decoding->error, 0, "this is empty");
    enum heaptap_status status = take_message(decoding, wire, take_string, NULL);
    if (status == HEAPTAP_OK && pprof->string_count == 0)
        return error_at(decoding->error, size, "there is no string table");
    if (status == HEAPTAP_OK)
        status = take_message(decoding, wire, take_simple, NULL);
    if (status == HEAPTAP_OK && pprof->type_count == 0)
        return error_at(decoding->error, size, "there are no sample types");
    if (status == HEAPTAP_OK)
        status = take_message(decoding, wire, take_location, NULL);
    if (status == HEAPTAP_OK)
        status = take_samples(decoding, wire);
    if (status == HEAPTAP_OK)
        choose_default_type(decoding);
    return status;
}

struct pprof *pprof_new(void)
{
    struct pprof *pprof = calloc(1, sizeof *pprof);
    if (!pprof)
        return NULL;
    pprof->format = "pprof";
    pprof->drop_frames = pprof->keep_frames = pprof->doc_url = "";
    pprof->period_type = (struct pprof_type){"", ""};
    return pprof;
}

enum heaptap_status pprof_decode(struct pprof **result, const void *data, size_t size,
                                 struct heaptap_error *error)
{
    struct pprof *pprof = pprof_new();
    *result = NULL;
    if (!pprof)
        return error_no_memory(error);
    pprof->bytes = size;
    struct decoding decoding = {
        .pprof = pprof, .error = error, .default_type = "", .in_order = {true, true, true}};
    enum heaptap_status status = decode(&decoding, data, size);
    if (status != HEAPTAP_OK) {
        pprof_free(pprof);
        return status;
    }
    *result = pprof;
    return HEAPTAP_OK;
}

enum heaptap_status pprof_read(struct pprof **pprof, struct input *input,
                               struct heaptap_error *error)
{
    enum { STEP = 256 << 10 };
    uint8_t *data = NULL;
    size_t size = 0, capacity = 0, got = 0;
    enum heaptap_status status;
    *pprof = NULL;
    do {
        status = ARRAY_RESERVE(&data, &capacity, size + STEP)
                     ? input_read(input, data + size, capacity - size, &got, error)
                     : error_no_memory(error);
        size += status == HEAPTAP_OK ? got : 0;
    } while (status == HEAPTAP_OK && got > 0);
    if (status == HEAPTAP_OK)
        status = pprof_decode(pprof, data, size, error);
    free(data);
    return status;
}

void pprof_free(struct pprof *pprof)
{
    if (!pprof)
        return;
    free(pprof->strings);
    free(pprof->types);
    free(pprof->mappings);
    free(pprof->functions);
    free(pprof->locations);
    free(pprof->lines);
    free(pprof->first_frame);
    free(pprof->frames);
    free(pprof->values);
    free(pprof->first_label);
    free(pprof->labels);
    free(pprof->comments);
    for (size_t i = 0; i < pprof->chunk_count; i++)
        free(pprof->chunks[i].bytes);
    free(pprof->chunks);
    names_release(&pprof->names);
    map_release(&pprof->mapping_ids);
    map_release(&pprof->function_ids);
    map_release(&pprof->location_ids);
    free(pprof);
}

bool pprof_looks_like_one(const uint8_t *bytes, size_t size)
{
    /* A sample type to begin with: field 1, a short message whose first field is 1 or 2. */
    return size >= 3 && bytes[0] == (PROFILE_SAMPLE_TYPE << 3 | WIRE_BYTES) && bytes[1] >= 2 &&
           bytes[1] < 64 && (bytes[2] == 0x08 || bytes[2] == 0x10);
}

long pprof_find_type(const struct pprof *pprof, const char *name)
{
    for (size_t i = 0; i < pprof->type_count; i++)
        if (strcmp(pprof->types[i].name, name) == 0)
            return (long)i;
    return -1;
}
