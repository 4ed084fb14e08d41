/* What is about the whole trace stands in any of the chunks, so all are gone through once for that;
 * then again, one at a time, for the events.  Each column of a chunk is a list of its own, read in
 * step with `what`. */
#include "import/pprof_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "import/wire.h"
#include "pprof/events.h"
#include "profile/block_list.h"

enum { COLUMNS = CHUNK_JUMPS - CHUNK_WHAT + 1, DOMAINS = 1 << 16 };

/* The last allocation of a domain. */
struct domain {
    uint64_t next_id; /* of its next one */
    uint64_t sample;  /* one more than its number; 0: none yet */
};

struct pprof_events_reader {
    const struct pprof *pprof;
    struct heaptap_trace_info info;
    struct heaptap_metadata *metadata;
    size_t metadata_count, metadata_capacity;
    struct names names; /* strings of both */
    uint64_t *codes;    /* by location */
    size_t code_count, code_capacity;
    struct heaptap_location *lines; /* the profile's, with their characters */
    bool *nameless;                 /* by location */
    uint32_t no_frame;              /* location that stands for an empty stack; PPROF_NONE */
    struct map by_code;             /* -> location */
    bool has_version, has_info;

    size_t chunk;                 /* the next one */
    struct wire columns[COLUMNS]; /* of the present one: what is left of them */
    uint64_t chunk_offset;        /* in the file */
    uint16_t domain;
    int64_t time_us;
    uint64_t last_id;
    uint64_t samples; /* met so far */
    struct domain *domains;
    struct block_list blocks;
    uint32_t *stack; /* of the last allocation, caller first */
    size_t stack_capacity;
};

bool pprof_has_events(const struct pprof *pprof)
{
    return pprof->chunk_count > 0;
}

static int64_t unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1 ^ -(value & 1));
}

/* ---- The whole ---------------------------------------------------------------------- */

static enum heaptap_status expect(const struct wire_field *field, enum wire_type type,
                                  struct heaptap_error *error)
{
    return field->type == type
               ? HEAPTAP_OK
               : error_at(error, field->offset, "field %u of the events has wire type %u, not %u",
                          (unsigned)field->number, (unsigned)field->type, (unsigned)type);
}

static const char *intern(struct pprof_events_reader *reader, const struct wire_field *field)
{
    const char *bytes = (const char *)field->content.at;
    size_t size = (size_t)(field->content.end - field->content.at);
    return names_intern(&reader->names, bytes, strnlen(bytes, size));
}

static bool is_text_of_info(uint32_t number)
{
    return number >= INFO_EXECUTABLE && number <= INFO_CONTEXT;
}

static enum heaptap_status take_info(struct pprof_events_reader *reader, struct wire wire,
                                     struct heaptap_error *error)
{
    struct heaptap_trace_info *info = &reader->info;
    const char **texts[] = {&info->executable, &info->host, &info->runtime_params, &info->context};
    struct wire_field field;
    enum heaptap_status status;
    while ((status = wire_next(&wire, &field, error)) == HEAPTAP_OK) {
        status = expect(&field, is_text_of_info(field.number) ? WIRE_BYTES : WIRE_VARINT, error);
        if (status != HEAPTAP_OK)
            return status;
        if (is_text_of_info(field.number) &&
            !(*texts[field.number - INFO_EXECUTABLE] = intern(reader, &field)))
            return error_no_memory(error);
        if (field.number == INFO_RATE)
            memcpy(&info->sample_rate, &field.value, sizeof info->sample_rate);
        else if (field.number == INFO_WORD_BITS)
            info->word_bits = (unsigned)field.value;
        else if (field.number == INFO_PID)
            info->pid = field.value;
        else if (field.number == INFO_START)
            info->start_us = unzigzag(field.value);
        else if (field.number == INFO_INITIAL_DOMAIN)
            info->initial_domain = (uint16_t)field.value;
        else if (field.number == INFO_VERSION)
            info->version = (unsigned)field.value;
    }
    reader->has_info = true;
    return status == HEAPTAP_END ? HEAPTAP_OK : status;
}

static enum heaptap_status take_record_field(struct pprof_events_reader *reader,
                                             struct heaptap_metadata *record,
                                             const struct wire_field *field,
                                             struct heaptap_error *error)
{
    bool is_bytes = field->number == METADATA_NAME || field->number == METADATA_VALUE ||
                    field->number == METADATA_BUILD_ID;
    enum heaptap_status status = expect(field, is_bytes ? WIRE_BYTES : WIRE_VARINT, error);
    size_t size = is_bytes ? (size_t)(field->content.end - field->content.at) : 0;
    if (status != HEAPTAP_OK)
        return status;
    switch (field->number) {
    case METADATA_KIND:
        record->kind = (enum heaptap_metadata_kind)field->value;
        break;
    case METADATA_NAME:
        record->name = intern(reader, field);
        return record->name ? HEAPTAP_OK : error_no_memory(error);
    case METADATA_VALUE:
        record->value = intern(reader, field);
        return record->value ? HEAPTAP_OK : error_no_memory(error);
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
        record->loaded_us = unzigzag(field->value);
        break;
    case METADATA_UNLOADED:
        record->unloaded_us = unzigzag(field->value);
        break;
    case METADATA_BUILD_ID:
        if (size > HEAPTAP_BUILD_ID_MAX)
            return error_at(error, field->offset, "a build id here has %zu bytes, more than %d",
                            size, HEAPTAP_BUILD_ID_MAX);
        memcpy(record->build_id, field->content.at, size);
        record->build_id_size = (uint8_t)size;
        break;
    }
    return HEAPTAP_OK;
}

static enum heaptap_status take_metadata(struct pprof_events_reader *reader, struct wire wire,
                                         uint64_t offset, struct heaptap_error *error)
{
    struct heaptap_metadata record = {.name = "", .value = "", .unloaded_us = -1};
    struct wire_field field;
    enum heaptap_status status;
    while ((status = wire_next(&wire, &field, error)) == HEAPTAP_OK) {
        status = take_record_field(reader, &record, &field, error);
        if (status != HEAPTAP_OK)
            return status;
    }
    if (status != HEAPTAP_END)
        return status;
    if (record.kind < HEAPTAP_PROPERTY || record.kind > HEAPTAP_DROPS)
        return error_at(error, offset, "there is no metadata of kind %u", (unsigned)record.kind);
    if (!ARRAY_RESERVE(&reader->metadata, &reader->metadata_capacity, reader->metadata_count + 1))
        return error_no_memory(error);
    reader->metadata[reader->metadata_count++] = record;
    return HEAPTAP_OK;
}

static enum heaptap_status take_codes(struct pprof_events_reader *reader, struct wire list,
                                      struct heaptap_error *error)
{
    enum heaptap_status status = HEAPTAP_OK;
    uint64_t code = 0, delta = 0;
    bool fresh;
    while (status == HEAPTAP_OK && list.at < list.end) {
        uint64_t offset = wire_offset(&list);
        status = wire_varint(&list, &delta, error);
        code += (uint64_t)unzigzag(delta);
        if (status == HEAPTAP_OK && reader->code_count >= reader->pprof->location_count)
            return error_at(error, offset, "there are more codes than locations");
        if (status == HEAPTAP_OK &&
            !map_put(&reader->by_code, code, (uint32_t)reader->code_count, &fresh))
            return error_no_memory(error);
        if (status == HEAPTAP_OK)
            reader->codes[reader->code_count++] = code;
    }
    return status;
}

/* Two for each line: where it begins, and how much farther it ends.  The profile lists the
 * innermost line of a location first; here they are the other way round. */
static enum heaptap_status take_characters(struct pprof_events_reader *reader, struct wire list,
                                           struct heaptap_error *error)
{
    const struct pprof *pprof = reader->pprof;
    for (size_t i = 0; i < pprof->location_count; i++) {
        const struct pprof_location *location = &pprof->locations[i];
        if (reader->nameless[i] || i == reader->no_frame)
            continue;
        for (size_t k = location->line_count; k-- > 0;) {
            struct heaptap_location *line = &reader->lines[location->first_line + k];
            uint64_t start = 0, length = 0;
            enum heaptap_status status = wire_varint(&list, &start, error);
            if (status == HEAPTAP_OK)
                status = wire_varint(&list, &length, error);
            if (status != HEAPTAP_OK)
                return status;
            line->start_char = (uint32_t)start;
            line->end_char = (uint32_t)(start + (uint64_t)unzigzag(length));
        }
    }
    return HEAPTAP_OK;
}

static enum heaptap_status take_nameless(struct pprof_events_reader *reader, struct wire list,
                                         struct heaptap_error *error)
{
    enum heaptap_status status = HEAPTAP_OK;
    while (status == HEAPTAP_OK && list.at < list.end) {
        uint64_t id = 0, offset = wire_offset(&list);
        status = wire_varint(&list, &id, error);
        if (status == HEAPTAP_OK && id - 1 >= reader->pprof->location_count)
            return error_at(error, offset, "there is no location with the id %llu",
                            (unsigned long long)id);
        if (status == HEAPTAP_OK)
            reader->nameless[id - 1] = true;
    }
    return status;
}

/* `characters` is kept for later, as other fields say which lines have some. */
static enum heaptap_status take_field(struct pprof_events_reader *reader,
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
        reader->has_version = true;
        return field->value == EVENTS_VERSION
                   ? HEAPTAP_OK
                   : error_at(error, field->offset,
                              "the events are of version %llu; expected was %d",
                              (unsigned long long)field->value, EVENTS_VERSION);
    case CHUNK_INFO:
        return take_info(reader, field->content, error);
    case CHUNK_METADATA:
        return take_metadata(reader, field->content, field->offset, error);
    case CHUNK_CODES:
        return take_codes(reader, field->content, error);
    case CHUNK_CHARACTERS:
        *characters = *field;
        return HEAPTAP_OK;
    case CHUNK_NAMELESS:
        return take_nameless(reader, field->content, error);
    case CHUNK_NO_FRAME:
        if (field->value - 1 >= reader->pprof->location_count)
            return error_at(error, field->offset, "there is no location with the id %llu",
                            (unsigned long long)field->value);
        reader->no_frame = (uint32_t)(field->value - 1);
    }
    return HEAPTAP_OK;
}

static struct wire chunk_wire(const struct pprof_chunk *chunk)
{
    return (struct wire){chunk->bytes, chunk->bytes + chunk->size, chunk->bytes};
}

/* Offsets within a chunk become those of the file. */
static enum heaptap_status at_chunk(enum heaptap_status status, uint64_t offset,
                                    struct heaptap_error *error)
{
    if (status == HEAPTAP_BAD_INPUT && error)
        error->offset += offset;
    return status;
}

static enum heaptap_status take_chunk(struct pprof_events_reader *reader,
                                      const struct pprof_chunk *chunk, struct heaptap_error *error)
{
    struct wire wire = chunk_wire(chunk);
    struct wire_field field, characters = {0};
    enum heaptap_status status;
    while ((status = wire_next(&wire, &field, error)) == HEAPTAP_OK) {
        status = take_field(reader, &field, &characters, error);
        if (status != HEAPTAP_OK)
            return status;
    }
    if (status == HEAPTAP_END && characters.number)
        return take_characters(reader, characters.content, error);
    return status == HEAPTAP_END ? HEAPTAP_OK : status;
}

/* What a trace could not be. */
static enum heaptap_status check(const struct pprof_events_reader *reader,
                                 struct heaptap_error *error)
{
    const struct heaptap_trace_info *info = &reader->info;
    if (!reader->has_version || !reader->has_info)
        return error_at(error, 0, "the events have no %s",
                        reader->has_info ? "version" : "description of their trace");
    if (info->version < 1 || info->version > 3)
        return error_at(error, 0, "the events are of a trace of version %u; there are 1 to 3",
                        info->version);
    if (!(info->sample_rate > 0 && info->sample_rate <= 1))
        return error_at(error, 0, "the events' sampling rate is not in (0, 1]");
    if (info->word_bits != 64 && info->word_bits != 32 && info->word_bits != 8)
        return error_at(error, 0, "the events' words have %u bits; expected was 64, 32 or 8",
                        info->word_bits);
    if (reader->code_count != reader->pprof->location_count)
        return error_at(error, 0, "there are %zu codes for %zu locations", reader->code_count,
                        reader->pprof->location_count);
    return HEAPTAP_OK;
}

static bool make_room(struct pprof_events_reader *reader)
{
    const struct pprof *pprof = reader->pprof;
    reader->codes = calloc(pprof->location_count + 1, sizeof *reader->codes);
    reader->nameless = calloc(pprof->location_count + 1, sizeof *reader->nameless);
    reader->lines = malloc((pprof->line_count + 1) * sizeof *reader->lines);
    reader->domains = calloc(DOMAINS, sizeof *reader->domains);
    if (!block_list_init(&reader->blocks) || !reader->codes || !reader->nameless ||
        !reader->lines || !reader->domains)
        return false;
    if (pprof->line_count > 0)
        memcpy(reader->lines, pprof->lines, pprof->line_count * sizeof *reader->lines);
    return true;
}

enum heaptap_status pprof_events_open(struct pprof_events_reader **result,
                                      const struct pprof *pprof, struct heaptap_error *error)
{
    struct pprof_events_reader *reader = calloc(1, sizeof *reader);
    enum heaptap_status status = HEAPTAP_OK;
    *result = NULL;
    if (!reader)
        return error_no_memory(error);
    reader->pprof = pprof;
    reader->no_frame = PPROF_NONE;
    reader->info = (struct heaptap_trace_info){
        .version = 3, .executable = "", .host = "", .runtime_params = "", .context = ""};
    if (!make_room(reader))
        status = error_no_memory(error);
    for (size_t i = 0; status == HEAPTAP_OK && i < pprof->chunk_count; i++)
        status =
            at_chunk(take_chunk(reader, &pprof->chunks[i], error), pprof->chunks[i].offset, error);
    if (status == HEAPTAP_OK)
        status = check(reader, error);
    if (status != HEAPTAP_OK) {
        pprof_events_close(reader);
        return status;
    }
    *result = reader;
    return HEAPTAP_OK;
}

void pprof_events_close(struct pprof_events_reader *reader)
{
    if (!reader)
        return;
    block_list_release(&reader->blocks);
    names_release(&reader->names);
    map_release(&reader->by_code);
    free(reader->metadata);
    free(reader->codes);
    free(reader->nameless);
    free(reader->lines);
    free(reader->domains);
    free(reader->stack);
    free(reader);
}

const struct heaptap_trace_info *pprof_events_info(const struct pprof_events_reader *reader)
{
    return &reader->info;
}

const struct heaptap_metadata *pprof_events_metadata(const struct pprof_events_reader *reader,
                                                     size_t *count)
{
    *count = reader->metadata_count;
    return reader->metadata;
}

uint64_t pprof_events_code(const struct pprof_events_reader *reader, uint32_t location)
{
    return reader->codes[location];
}

size_t pprof_events_describe(void *context, uint64_t code, struct heaptap_location *locations,
                             size_t max)
{
    const struct pprof_events_reader *reader = context;
    const uint32_t *index = map_find(&reader->by_code, code);
    if (!index || reader->nameless[*index])
        return 0;
    const struct pprof_location *location = &reader->pprof->locations[*index];
    size_t count = location->line_count < max ? location->line_count : max;
    if (count > 0)
        memcpy(locations, reader->lines + location->first_line, count * sizeof *locations);
    return count;
}

/* ---- Events ------------------------------------------------------------------------- */

/* Begins the next chunk that has events; HEAPTAP_END after the last. */
static enum heaptap_status next_chunk(struct pprof_events_reader *reader,
                                      struct heaptap_error *error)
{
    const struct wire *what = &reader->columns[0];
    while (what->at == what->end) {
        if (reader->chunk == reader->pprof->chunk_count)
            return HEAPTAP_END;
        const struct pprof_chunk *chunk = &reader->pprof->chunks[reader->chunk++];
        struct wire wire = chunk_wire(chunk);
        struct wire_field field;
        enum heaptap_status status;
        reader->chunk_offset = chunk->offset;
        for (unsigned i = 0; i < COLUMNS; i++)
            reader->columns[i] = (struct wire){chunk->bytes, chunk->bytes, chunk->bytes};
        while ((status = wire_next(&wire, &field, error)) == HEAPTAP_OK)
            if (field.number >= CHUNK_WHAT && field.number <= CHUNK_JUMPS)
                reader->columns[field.number - CHUNK_WHAT] = field.content;
        if (status != HEAPTAP_END)
            return status;
    }
    return HEAPTAP_OK;
}

/* The next number of a column, by its field. */
static enum heaptap_status take(struct pprof_events_reader *reader, unsigned field, uint64_t *value,
                                struct heaptap_error *error)
{
    struct wire *column = &reader->columns[field - CHUNK_WHAT];
    if (column->at == column->end)
        return error_at(error, wire_offset(column),
                        "field %u of the events ends before their field %d does", field,
                        CHUNK_WHAT);
    return wire_varint(column, value, error);
}

static enum heaptap_status fail_at(struct pprof_events_reader *reader, unsigned field,
                                   const char *what, uint64_t value, struct heaptap_error *error)
{
    return error_at(error, wire_offset(&reader->columns[field - CHUNK_WHAT]), what,
                    (unsigned long long)value);
}

static bool length_of_sample(const struct pprof *pprof, size_t sample, uint64_t *bytes)
{
    for (size_t i = pprof->first_label[sample]; i < pprof->first_label[sample + 1]; i++) {
        *bytes = (uint64_t)pprof->labels[i].number;
        if (strcmp(pprof->labels[i].key, "bytes") == 0)
            return true;
    }
    return false;
}

/* How many of the outermost frames two samples share. */
static uint32_t shared_frames(const struct pprof *pprof, size_t a, size_t b)
{
    size_t of_a = pprof->first_frame[a + 1], of_b = pprof->first_frame[b + 1];
    uint32_t shared = 0;
    while (of_a > pprof->first_frame[a] && of_b > pprof->first_frame[b] &&
           pprof->frames[of_a - 1] == pprof->frames[of_b - 1]) {
        of_a--;
        of_b--;
        shared++;
    }
    return shared;
}

/* Fills in the stack of a sample; false when there is no memory. */
static bool take_stack(struct pprof_events_reader *reader, size_t sample,
                       struct heaptap_event *event)
{
    const struct pprof *pprof = reader->pprof;
    struct domain *domain = &reader->domains[reader->domain];
    size_t first = pprof->first_frame[sample], count = pprof->first_frame[sample + 1] - first;
    if (count == 1 && pprof->frames[first] == reader->no_frame)
        count = 0;
    if (!ARRAY_RESERVE(&reader->stack, &reader->stack_capacity, count + 1))
        return false;
    for (size_t i = 0; i < count; i++)
        reader->stack[i] = pprof->frames[first + count - 1 - i];
    event->stack = reader->stack;
    event->stack_length = (uint32_t)count;
    event->stack_shared =
        domain->sample && count > 0 ? shared_frames(pprof, domain->sample - 1, sample) : 0;
    event->common_prefix = event->stack_shared;
    domain->sample = sample + 1;
    return true;
}

static uint64_t usual_samples(const struct pprof_events_reader *reader, uint64_t length)
{
    if (reader->info.sample_rate < 1)
        return 1;
    uint64_t words = length + (reader->info.word_bits > 8);
    return words ? words : 1;
}

static enum heaptap_status take_alloc(struct pprof_events_reader *reader, unsigned what,
                                      struct heaptap_event *event, struct heaptap_error *error)
{
    struct domain *domain = &reader->domains[reader->domain];
    unsigned kind = what & ~(unsigned)WHAT_EXPLICIT;
    bool is_new = kind < WHAT_ALLOC_KNOWN;
    uint64_t sample = reader->samples, back = 0, bytes;
    enum heaptap_status status = HEAPTAP_OK;
    if (!is_new) {
        status = take(reader, CHUNK_KNOWN, &back, error);
        sample -= back + 1;
    }
    if (status != HEAPTAP_OK)
        return status;
    if (back >= reader->samples + is_new || sample >= reader->pprof->sample_count)
        return fail_at(reader, CHUNK_KNOWN, "there is no sample %llu", sample, error);
    reader->samples += is_new;
    if (!length_of_sample(reader->pprof, sample, &bytes))
        return fail_at(reader, CHUNK_WHAT, "sample %llu has no label `bytes`", sample, error);
    event->kind = HEAPTAP_ALLOC;
    event->source = (enum heaptap_source)(kind - (is_new ? WHAT_ALLOC_NEW : WHAT_ALLOC_KNOWN));
    event->length = bytes / (reader->info.word_bits / 8);
    event->samples = usual_samples(reader, event->length);
    event->id = domain->next_id++;
    reader->last_id = event->id;
    if (what & WHAT_EXPLICIT)
        status = take(reader, CHUNK_SAMPLES, &event->samples, error);
    if (status == HEAPTAP_OK && event->samples == 0)
        return fail_at(reader, CHUNK_SAMPLES, "a block here has %llu samples", 0, error);
    if (status == HEAPTAP_OK &&
        (!take_stack(reader, sample, event) || !block_list_add(&reader->blocks, event->id)))
        return error_no_memory(error);
    return status;
}

static enum heaptap_status take_other(struct pprof_events_reader *reader, unsigned what,
                                      struct heaptap_event *event, struct heaptap_error *error)
{
    unsigned cursor = what & ~(unsigned)WHAT_EXPLICIT;
    uint64_t value = 0;
    enum heaptap_status status =
        take(reader, what & WHAT_EXPLICIT ? CHUNK_BLOCKS : CHUNK_STEPS, &value, error);
    if (status != HEAPTAP_OK)
        return status;
    event->kind = cursor == WHAT_COLLECT ? HEAPTAP_COLLECT : HEAPTAP_PROMOTE;
    if (what & WHAT_EXPLICIT)
        event->id = reader->last_id + (uint64_t)unzigzag(value);
    else if (!block_list_at(&reader->blocks, cursor, unzigzag(value), &event->id))
        return fail_at(reader, CHUNK_STEPS, "the step %llu leads to no block", value, error);
    block_list_named(&reader->blocks, cursor, event->id, cursor == WHAT_COLLECT);
    return HEAPTAP_OK;
}

/* What is no event. */
static enum heaptap_status take_turn(struct pprof_events_reader *reader, unsigned what,
                                     struct heaptap_error *error)
{
    uint64_t value = 0;
    enum heaptap_status status =
        take(reader, what == WHAT_DOMAIN ? CHUNK_DOMAINS : CHUNK_JUMPS, &value, error);
    if (status != HEAPTAP_OK)
        return status;
    if (what == WHAT_DOMAIN && value >= DOMAINS)
        return fail_at(reader, CHUNK_DOMAINS, "there is no domain %llu", value, error);
    if (what == WHAT_DOMAIN)
        reader->domain = (uint16_t)value;
    else
        reader->domains[reader->domain].next_id += (uint64_t)unzigzag(value);
    return HEAPTAP_OK;
}

static enum heaptap_status take_event(struct pprof_events_reader *reader,
                                      struct heaptap_event *event, bool *is_event,
                                      struct heaptap_error *error)
{
    uint64_t what = 0, time = 0;
    enum heaptap_status status = take(reader, CHUNK_WHAT, &what, error);
    if (status != HEAPTAP_OK)
        return status;
    uint64_t kind = what & ~(uint64_t)WHAT_EXPLICIT;
    *is_event = kind < WHAT_DOMAIN;
    if (kind >= WHAT_KINDS || (!*is_event && what != kind))
        return fail_at(reader, CHUNK_WHAT, "there is no event of kind %llu", what, error);
    if (!*is_event)
        return take_turn(reader, (unsigned)kind, error);
    *event = (struct heaptap_event){.domain = reader->domain};
    status = kind >= WHAT_ALLOC_NEW ? take_alloc(reader, (unsigned)what, event, error)
                                    : take_other(reader, (unsigned)what, event, error);
    if (status == HEAPTAP_OK)
        status = take(reader, CHUNK_TIMES, &time, error);
    reader->time_us = (int64_t)((uint64_t)reader->time_us + (uint64_t)unzigzag(time));
    event->time_us = reader->time_us;
    return status;
}

enum heaptap_status pprof_events_next(struct pprof_events_reader *reader,
                                      struct heaptap_event *event, struct heaptap_error *error)
{
    bool is_event = false;
    enum heaptap_status status = HEAPTAP_OK;
    while (status == HEAPTAP_OK && !is_event) {
        status = next_chunk(reader, error);
        if (status == HEAPTAP_OK)
            status = take_event(reader, event, &is_event, error);
    }
    return at_chunk(status, reader->chunk_offset, error);
}
