#include "pprof/write/encode.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "spec/pprof_events.h"
#include "spec/pprof_fields.h"

/* Nothing for 0, which is what a reader assumes. */
static void put_number(struct pprof_encoding *encoding, unsigned field, uint64_t value)
{
    if (value)
        protobuf_number(&encoding->out, field, value);
}

static void put_type(struct pprof_encoding *encoding, unsigned field,
                     const struct model_value_type *type)
{
    protobuf_begin(&encoding->out, field);
    pprof_encode_type(encoding, type);
    protobuf_end(&encoding->out);
}

void pprof_encode_types(struct pprof_encoding *encoding)
{
    for (size_t i = 0; i < encoding->model->samples.type_count; i++)
        put_type(encoding, PROFILE_SAMPLE_TYPE, &encoding->model->samples.types[i]);
}

/* ---- Samples ------------------------------------------------------------------------ */

static void put_label(struct pprof_encoding *encoding, const struct model_label *label)
{
    protobuf_begin(&encoding->out, SAMPLE_LABEL);
    pprof_encode_string(encoding, LABEL_KEY, label->key);
    pprof_encode_string(encoding, LABEL_TEXT, label->text);
    put_number(encoding, LABEL_NUMBER, (uint64_t)label->number);
    pprof_encode_string(encoding, LABEL_UNIT, label->unit);
    protobuf_end(&encoding->out);
}

static void put_sample(struct pprof_encoding *encoding, size_t sample)
{
    const struct model *model = encoding->model;
    const struct profile_file *file = model->file;
    struct protobuf *out = &encoding->out;
    protobuf_begin(out, PROFILE_SAMPLE);
    protobuf_begin(out, SAMPLE_LOCATION);
    for (size_t i = file->first_frame[sample]; i < file->first_frame[sample + 1]; i++)
        protobuf_item(out, (uint64_t)file->frames[i] + 1);
    protobuf_end(out);
    protobuf_begin(out, SAMPLE_VALUE);
    for (size_t i = 0; i < model->samples.type_count; i++)
        protobuf_item(out, (uint64_t)file->values[sample * model->samples.type_count + i]);
    protobuf_end(out);
    for (size_t i = file->first_label[sample]; i < file->first_label[sample + 1]; i++)
        put_label(encoding, &file->labels[i]);
    protobuf_end(out);
}

/* ---- What samples refer to ---------------------------------------------------------- */

static void put_mapping(struct pprof_encoding *encoding, size_t index)
{
    const struct model_module *mapping = &encoding->model->modules[index];
    protobuf_begin(&encoding->out, PROFILE_MAPPING);
    put_number(encoding, MAPPING_ID, index + 1);
    put_number(encoding, MAPPING_START, mapping->start);
    put_number(encoding, MAPPING_LIMIT, model_module_limit(mapping));
    put_number(encoding, MAPPING_OFFSET, mapping->file_offset);
    pprof_encode_string(encoding, MAPPING_FILE, mapping->path);
    pprof_encode_string(encoding, MAPPING_BUILD_ID, mapping->build_id);
    put_number(encoding, MAPPING_HAS_FUNCTIONS, mapping->has_functions);
    put_number(encoding, MAPPING_HAS_FILES, mapping->has_files);
    put_number(encoding, MAPPING_HAS_LINES, mapping->has_lines);
    put_number(encoding, MAPPING_HAS_INLINES, mapping->has_inlines);
    protobuf_end(&encoding->out);
}

static void put_line(struct pprof_encoding *encoding, const struct heaptap_location *line)
{
    uint32_t function = symbols_number_of(&encoding->functions, line->function, line->file);
    encoding->failed |= function == SYMBOL_NONE;
    protobuf_begin(&encoding->out, LOCATION_LINE);
    put_number(encoding, LINE_FUNCTION, (uint64_t)function + 1);
    put_number(encoding, LINE_LINE, line->line);
    protobuf_end(&encoding->out);
}

static void put_location(struct pprof_encoding *encoding, size_t index)
{
    const struct model *model = encoding->model;
    const struct model_frame *location = &model->frames[index];
    protobuf_begin(&encoding->out, PROFILE_LOCATION);
    put_number(encoding, LOCATION_ID, index + 1);
    if (location->module != MODEL_NONE)
        put_number(encoding, LOCATION_MAPPING, (uint64_t)location->module + 1);
    put_number(encoding, LOCATION_ADDRESS, location->code);
    for (size_t i = location->line_count; i-- > 0;)
        put_line(encoding, &model->lines[location->first_line + i]);
    put_number(encoding, LOCATION_IS_FOLDED, location->is_folded);
    protobuf_end(&encoding->out);
}

/* Numbers the functions that the profile has before those that lines have besides.  By number: the function; `*count`: how many
 * there are, as one may stand there twice.  NULL when there is no memory. */
static const struct profile_function **number_functions(struct pprof_encoding *encoding,
                                                        size_t *count)
{
    const struct profile_file *file = encoding->model->file;
    const struct profile_function **known = malloc((file->function_count + 1) * sizeof *known);
    *count = 0;
    for (size_t i = 0; known && i < file->function_count; i++) {
        const struct profile_function *function = &file->functions[i];
        const char *name = *function->name ? function->name : function->system_name;
        uint32_t number = symbols_number_of(&encoding->functions, name, function->file);
        encoding->failed |= number == SYMBOL_NONE;
        if (number == *count)
            known[(*count)++] = function;
    }
    encoding->failed |= !known;
    return known;
}

/* `known`: NULL where nothing but what a line has is known of it. */
static void put_function(struct pprof_encoding *encoding, size_t number,
                         const struct profile_function *known)
{
    const struct symbol *symbol = &encoding->functions.items[number];
    protobuf_begin(&encoding->out, PROFILE_FUNCTION);
    put_number(encoding, FUNCTION_ID, number + 1);
    pprof_encode_string(encoding, FUNCTION_NAME, known ? known->name : symbol->function);
    pprof_encode_string(encoding, FUNCTION_SYSTEM_NAME, known ? known->system_name : NULL);
    pprof_encode_string(encoding, FUNCTION_FILE, symbol->file);
    put_number(encoding, FUNCTION_START_LINE, known ? (uint64_t)known->start_line : 0);
    protobuf_end(&encoding->out);
}

void pprof_encode_places(struct pprof_encoding *encoding)
{
    size_t count;
    const struct profile_function **known = number_functions(encoding, &count);
    for (size_t i = 0; i < encoding->model->module_count; i++)
        put_mapping(encoding, i);
    for (size_t i = 0; i < encoding->model->frame_count; i++)
        put_location(encoding, i);
    for (size_t i = 0; i < encoding->functions.count; i++)
        put_function(encoding, i, i < count ? known[i] : NULL);
    free(known);
}

/* ---- The whole ---------------------------------------------------------------------- */

/* Chunks of events name samples and locations by their numbers, which stay the same. */
static void put_chunk(struct pprof_encoding *encoding, const struct profile_chunk *chunk)
{
    protobuf_begin(&encoding->out, PROFILE_PERIOD_TYPE);
    pprof_encode_type(encoding, &encoding->model->file->period_type);
    protobuf_bytes(&encoding->out, TYPE_EVENTS, chunk->bytes, chunk->size);
    protobuf_end(&encoding->out);
}

void pprof_encode_rest(struct pprof_encoding *encoding)
{
    const struct model *model = encoding->model;
    const struct profile_file *file = model->file;
    pprof_encode_string(encoding, PROFILE_DROP_FRAMES, file->drop_frames);
    pprof_encode_string(encoding, PROFILE_KEEP_FRAMES, file->keep_frames);
    put_number(encoding, PROFILE_TIME, (uint64_t)file->time_ns);
    put_number(encoding, PROFILE_DURATION, (uint64_t)file->duration_ns);
    if (*file->period_type.name || *file->period_type.unit)
        put_type(encoding, PROFILE_PERIOD_TYPE, &file->period_type);
    for (size_t i = 0; i < file->chunk_count; i++)
        put_chunk(encoding, &file->chunks[i]);
    put_number(encoding, PROFILE_PERIOD, (uint64_t)file->period);
    for (size_t i = 0; i < file->comment_count; i++)
        protobuf_number(&encoding->out, PROFILE_COMMENT,
                        pprof_strings_number(&encoding->strings, file->comments[i]));
    pprof_encode_string(encoding, PROFILE_DEFAULT_TYPE,
                        model->samples.types[model->samples.default_type].name);
    pprof_encode_string(encoding, PROFILE_DOC_URL, file->doc_url);
}

void pprof_encode_begin(struct pprof_encoding *encoding, const struct model *model,
                        struct heaptap_sink sink)
{
    *encoding = (struct pprof_encoding){.model = model};
    protobuf_init(&encoding->out, sink);
    symbols_init(&encoding->functions, GRAIN_FUNCTION);
}

int pprof_encode_end(struct pprof_encoding *encoding)
{
    pprof_strings_put_all(&encoding->strings, &encoding->out);
    int code = protobuf_finish(&encoding->out);
    bool failed = encoding->failed || encoding->strings.failed;
    symbols_release(&encoding->functions);
    pprof_strings_release(&encoding->strings);
    return failed && code == 0 ? ENOMEM : code;
}

int pprof_encode(const struct model *model, struct heaptap_sink sink)
{
    struct pprof_encoding encoding;
    pprof_encode_begin(&encoding, model, sink);
    pprof_encode_types(&encoding);
    for (size_t i = 0; i < model->file->sample_count; i++)
        put_sample(&encoding, i);
    pprof_encode_places(&encoding);
    pprof_encode_rest(&encoding);
    return pprof_encode_end(&encoding);
}
