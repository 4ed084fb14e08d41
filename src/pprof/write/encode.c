#include "pprof/write/encode.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "spec/pprof_events.h"
#include "spec/pprof_fields.h"
#include "pprof/write/protobuf.h"

/* Functions are told apart by name and file.  Those of the file come first, with their system
 * names and lines; then those that lines have besides. */
struct encoding {
    const struct pprof *pprof;
    struct protobuf out;
    struct symbols functions;
    uint32_t *known; /* by number in `functions`: index of the file's function; PPROF_NONE */
    size_t known_count;
    const char **strings; /* in the order of their numbers, from 1 on */
    size_t string_count, string_capacity;
    struct map string_numbers; /* by address */
    bool failed;               /* there was no memory */
};

static uint64_t string_number(struct encoding *encoding, const char *text)
{
    bool fresh;
    if (!text || !*text)
        return 0;
    uint32_t *number = map_put(&encoding->string_numbers, (uint64_t)(uintptr_t)text,
                               (uint32_t)encoding->string_count + 1, &fresh);
    if (number && fresh &&
        !ARRAY_RESERVE(&encoding->strings, &encoding->string_capacity, encoding->string_count + 1))
        number = NULL;
    encoding->failed |= !number;
    if (number && fresh)
        encoding->strings[encoding->string_count++] = text;
    return number ? *number : 0;
}

/* Nothing for 0 and "", which is what a reader assumes. */
static void put_number(struct encoding *encoding, unsigned field, uint64_t value)
{
    if (value)
        protobuf_number(&encoding->out, field, value);
}

static void put_string(struct encoding *encoding, unsigned field, const char *text)
{
    put_number(encoding, field, string_number(encoding, text));
}

static void put_type(struct encoding *encoding, unsigned field, const struct model_value_type *type)
{
    protobuf_begin(&encoding->out, field);
    put_string(encoding, TYPE_NAME, type->name);
    put_string(encoding, TYPE_UNIT, type->unit);
    protobuf_end(&encoding->out);
}

/* ---- Samples ------------------------------------------------------------------------ */

static void put_label(struct encoding *encoding, const struct model_label *label)
{
    protobuf_begin(&encoding->out, SAMPLE_LABEL);
    put_string(encoding, LABEL_KEY, label->key);
    put_string(encoding, LABEL_TEXT, label->text);
    put_number(encoding, LABEL_NUMBER, (uint64_t)label->number);
    put_string(encoding, LABEL_UNIT, label->unit);
    protobuf_end(&encoding->out);
}

static void put_sample(struct encoding *encoding, size_t sample)
{
    const struct pprof *pprof = encoding->pprof;
    struct protobuf *out = &encoding->out;
    protobuf_begin(out, PROFILE_SAMPLE);
    protobuf_begin(out, SAMPLE_LOCATION);
    for (size_t i = pprof->first_frame[sample]; i < pprof->first_frame[sample + 1]; i++)
        protobuf_item(out, (uint64_t)pprof->frames[i] + 1);
    protobuf_end(out);
    protobuf_begin(out, SAMPLE_VALUE);
    for (size_t i = 0; i < pprof->type_count; i++)
        protobuf_item(out, (uint64_t)pprof->values[sample * pprof->type_count + i]);
    protobuf_end(out);
    for (size_t i = pprof->first_label[sample]; i < pprof->first_label[sample + 1]; i++)
        put_label(encoding, &pprof->labels[i]);
    protobuf_end(out);
}

/* ---- What samples refer to ---------------------------------------------------------- */

static void put_mapping(struct encoding *encoding, size_t index)
{
    const struct pprof_mapping *mapping = &encoding->pprof->mappings[index];
    protobuf_begin(&encoding->out, PROFILE_MAPPING);
    put_number(encoding, MAPPING_ID, index + 1);
    put_number(encoding, MAPPING_START, mapping->start);
    put_number(encoding, MAPPING_LIMIT, mapping->limit);
    put_number(encoding, MAPPING_OFFSET, mapping->offset);
    put_string(encoding, MAPPING_FILE, mapping->file);
    put_string(encoding, MAPPING_BUILD_ID, mapping->build_id);
    put_number(encoding, MAPPING_HAS_FUNCTIONS, mapping->has_functions);
    put_number(encoding, MAPPING_HAS_FILES, mapping->has_files);
    put_number(encoding, MAPPING_HAS_LINES, mapping->has_lines);
    put_number(encoding, MAPPING_HAS_INLINES, mapping->has_inlines);
    protobuf_end(&encoding->out);
}

static void put_line(struct encoding *encoding, const struct heaptap_location *line)
{
    uint32_t function = symbols_number_of(&encoding->functions, line->function, line->file);
    encoding->failed |= function == SYMBOL_NONE;
    protobuf_begin(&encoding->out, LOCATION_LINE);
    if (*line->function || *line->file)
        put_number(encoding, LINE_FUNCTION, (uint64_t)function + 1);
    put_number(encoding, LINE_LINE, line->line);
    protobuf_end(&encoding->out);
}

static void put_location(struct encoding *encoding, size_t index)
{
    const struct pprof *pprof = encoding->pprof;
    const struct pprof_location *location = &pprof->locations[index];
    protobuf_begin(&encoding->out, PROFILE_LOCATION);
    put_number(encoding, LOCATION_ID, index + 1);
    if (location->mapping != PPROF_NONE)
        put_number(encoding, LOCATION_MAPPING, (uint64_t)location->mapping + 1);
    put_number(encoding, LOCATION_ADDRESS, location->address);
    for (size_t i = location->line_count; i-- > 0;)
        put_line(encoding, &pprof->lines[location->first_line + i]);
    put_number(encoding, LOCATION_IS_FOLDED, location->is_folded);
    protobuf_end(&encoding->out);
}

/* Numbers the file's functions first. */
static bool note_functions(struct encoding *encoding)
{
    const struct pprof *pprof = encoding->pprof;
    encoding->known = malloc((pprof->function_count + 1) * sizeof *encoding->known);
    for (size_t i = 0; encoding->known && i < pprof->function_count; i++) {
        const struct pprof_function *function = &pprof->functions[i];
        const char *name = *function->name ? function->name : function->system_name;
        uint32_t number = symbols_number_of(&encoding->functions, name, function->file);
        if (number == SYMBOL_NONE)
            return false;
        if (number == encoding->known_count)
            encoding->known[encoding->known_count++] = (uint32_t)i;
    }
    return encoding->known;
}

static void put_function(struct encoding *encoding, size_t number)
{
    const struct symbol *symbol = &encoding->functions.items[number];
    const struct pprof_function *known = number < encoding->known_count
                                             ? &encoding->pprof->functions[encoding->known[number]]
                                             : NULL;
    protobuf_begin(&encoding->out, PROFILE_FUNCTION);
    put_number(encoding, FUNCTION_ID, number + 1);
    put_string(encoding, FUNCTION_NAME, known ? known->name : symbol->function);
    put_string(encoding, FUNCTION_SYSTEM_NAME, known ? known->system_name : NULL);
    put_string(encoding, FUNCTION_FILE, symbol->file);
    put_number(encoding, FUNCTION_START_LINE, known ? (uint64_t)known->start_line : 0);
    protobuf_end(&encoding->out);
}

/* ---- The whole ---------------------------------------------------------------------- */

/* Chunks of events name samples and locations by their numbers, which stay the same. */
static void put_chunk(struct encoding *encoding, const struct pprof_chunk *chunk)
{
    protobuf_begin(&encoding->out, PROFILE_PERIOD_TYPE);
    put_string(encoding, TYPE_NAME, encoding->pprof->period_type.name);
    put_string(encoding, TYPE_UNIT, encoding->pprof->period_type.unit);
    protobuf_bytes(&encoding->out, TYPE_EVENTS, chunk->bytes, chunk->size);
    protobuf_end(&encoding->out);
}

static void put_rest(struct encoding *encoding)
{
    const struct pprof *pprof = encoding->pprof;
    put_string(encoding, PROFILE_DROP_FRAMES, pprof->drop_frames);
    put_string(encoding, PROFILE_KEEP_FRAMES, pprof->keep_frames);
    put_number(encoding, PROFILE_TIME, (uint64_t)pprof->time_ns);
    put_number(encoding, PROFILE_DURATION, (uint64_t)pprof->duration_ns);
    if (*pprof->period_type.name || *pprof->period_type.unit)
        put_type(encoding, PROFILE_PERIOD_TYPE, &pprof->period_type);
    for (size_t i = 0; i < pprof->chunk_count; i++)
        put_chunk(encoding, &pprof->chunks[i]);
    put_number(encoding, PROFILE_PERIOD, (uint64_t)pprof->period);
    for (size_t i = 0; i < pprof->comment_count; i++)
        protobuf_number(&encoding->out, PROFILE_COMMENT,
                        string_number(encoding, pprof->comments[i]));
    put_string(encoding, PROFILE_DEFAULT_TYPE, pprof->types[pprof->default_type].name);
    put_string(encoding, PROFILE_DOC_URL, pprof->doc_url);
}

static void put_all(struct encoding *encoding)
{
    const struct pprof *pprof = encoding->pprof;
    for (size_t i = 0; i < pprof->type_count; i++)
        put_type(encoding, PROFILE_SAMPLE_TYPE, &pprof->types[i]);
    for (size_t i = 0; i < pprof->sample_count; i++)
        put_sample(encoding, i);
    for (size_t i = 0; i < pprof->mapping_count; i++)
        put_mapping(encoding, i);
    for (size_t i = 0; i < pprof->location_count; i++)
        put_location(encoding, i);
    for (size_t i = 0; i < encoding->functions.count; i++)
        put_function(encoding, i);
    put_rest(encoding);
    protobuf_bytes(&encoding->out, PROFILE_STRING, "", 0);
    for (size_t i = 0; i < encoding->string_count; i++)
        protobuf_bytes(&encoding->out, PROFILE_STRING, encoding->strings[i],
                       strlen(encoding->strings[i]));
}

int pprof_encode(const struct pprof *pprof, struct heaptap_sink sink)
{
    struct encoding encoding = {.pprof = pprof};
    protobuf_init(&encoding.out, sink);
    symbols_init(&encoding.functions, GRAIN_FUNCTION);
    encoding.failed = !note_functions(&encoding);
    if (!encoding.failed)
        put_all(&encoding);
    int code = protobuf_finish(&encoding.out);
    symbols_release(&encoding.functions);
    map_release(&encoding.string_numbers);
    free(encoding.known);
    free(encoding.strings);
    return encoding.failed && code == 0 ? ENOMEM : code;
}
