#include "pprof/read/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "spec/pprof_fields.h"
#include "pprof/read/wire.h"
#include "trace/whole.h"

struct pprof *pprof_new(void)
{
    struct pprof *pprof = calloc(1, sizeof *pprof);
    if (!pprof)
        return NULL;
    pprof->format = "pprof";
    pprof->drop_frames = pprof->keep_frames = pprof->doc_url = "";
    pprof->period_type = (struct model_value_type){"", ""};
    return pprof;
}

/* Goes over the profile's fields as far as they are there, without looking into them.  The context
 * is the offset of the first one that has not been seen. */
static enum heaptap_status check_fields(void *context, const uint8_t *data, size_t size,
                                        struct heaptap_error *error)
{
    enum { HEAD_MAX = 32 }; /* bytes of two numbers, and more */
    uint64_t *next = context;
    while (*next + HEAD_MAX <= size) {
        struct wire wire = {data + *next, data + size, data};
        struct wire_field field;
        uint64_t content = 0;
        enum heaptap_status status = wire_tag(&wire, &field, error);
        if (status == HEAPTAP_OK && (field.type == WIRE_VARINT || field.type == WIRE_BYTES))
            status = wire_varint(&wire, &content, error);
        if (status != HEAPTAP_OK)
            return status;
        *next = wire_offset(&wire);
        if (field.type == WIRE_BYTES && __builtin_add_overflow(*next, content, next))
            return error_at(error, field.offset, "a field of %llu bytes begins here",
                            (unsigned long long)content);
        *next += field.type == WIRE_FIXED_64 ? 8 : field.type == WIRE_FIXED_32 ? 4 : 0;
    }
    return HEAPTAP_OK;
}

enum heaptap_status pprof_read(struct pprof **pprof, struct input *input,
                               struct heaptap_error *error)
{
    uint8_t *data = NULL;
    size_t size = 0;
    uint64_t next = 0;
    *pprof = NULL;
    enum heaptap_status status = whole_read(&data, &size, input, check_fields, &next, error);
    if (status == HEAPTAP_OK)
        status = pprof_decode(pprof, data, size, error);
    free(data);
    return status;
}

void pprof_drop_samples(struct pprof *pprof)
{
    free(pprof->locations);
    free(pprof->lines);
    free(pprof->first_frame);
    free(pprof->frames);
    free(pprof->values);
    free(pprof->first_label);
    free(pprof->labels);
    for (size_t i = 0; i < pprof->chunk_count; i++)
        free(pprof->chunks[i].bytes);
    free(pprof->chunks);
    pprof->locations = NULL;
    pprof->lines = NULL;
    pprof->first_frame = pprof->first_label = NULL;
    pprof->frames = NULL;
    pprof->values = NULL;
    pprof->labels = NULL;
    pprof->chunks = NULL;
    pprof->location_count = pprof->location_capacity = 0;
    pprof->line_count = pprof->line_capacity = 0;
    pprof->sample_count = pprof->frame_capacity = pprof->label_capacity = 0;
    pprof->chunk_count = pprof->chunk_capacity = 0;
}

void pprof_free(struct pprof *pprof)
{
    if (!pprof)
        return;
    pprof_drop_samples(pprof);
    free(pprof->strings);
    free(pprof->types);
    free(pprof->mappings);
    free(pprof->functions);
    free(pprof->comments);
    names_release(&pprof->names);
    free(pprof);
}

bool pprof_looks_like_one(const uint8_t *bytes, size_t size)
{
    /* A sample type to begin with, or, as Go has it, that of the period: a short message whose first field is 1 or 2. */
    return size >= 3 &&
           (bytes[0] == (PROFILE_SAMPLE_TYPE << 3 | WIRE_BYTES) ||
            bytes[0] == (PROFILE_PERIOD_TYPE << 3 | WIRE_BYTES)) &&
           bytes[1] >= 2 && bytes[1] < 64 && (bytes[2] == 0x08 || bytes[2] == 0x10);
}

bool pprof_lacks_a_part(const struct pprof *pprof)
{
    static const char *const said[] = {PPROF_ENDED_EARLY, PPROF_DROPPED, PPROF_CUT};
    for (size_t i = 0; i < pprof->comment_count; i++)
        for (size_t k = 0; k < sizeof said / sizeof *said; k++)
            if (strncmp(pprof->comments[i], said[k], strlen(said[k])) == 0)
                return true;
    return false;
}

bool pprof_add_comment(struct pprof *pprof, const char *text)
{
    text = names_copy(&pprof->names, text);
    if (!text ||
        !ARRAY_RESERVE(&pprof->comments, &pprof->comment_capacity, pprof->comment_count + 1))
        return false;
    pprof->comments[pprof->comment_count++] = text;
    return true;
}

bool pprof_add_line(struct pprof *pprof, uint32_t location, const struct heaptap_location *line)
{
    struct pprof_location *to = &pprof->locations[location];
    struct heaptap_location added = *line;
    added.function = names_copy(&pprof->names, line->function);
    added.file = names_copy(&pprof->names, line->file);
    if (!added.function || !added.file || pprof->line_count >= PPROF_NONE ||
        !ARRAY_RESERVE(&pprof->lines, &pprof->line_capacity, pprof->line_count + 1))
        return false;
    if (to->line_count++ == 0)
        to->first_line = (uint32_t)pprof->line_count;
    pprof->lines[pprof->line_count++] = added;
    return true;
}

bool pprof_name_location(struct pprof *pprof, uint32_t location,
                         const struct heaptap_location *lines, size_t count)
{
    uint32_t mapping = pprof->locations[location].mapping;
    bool done = true;
    pprof->locations[location].line_count = 0;
    for (size_t i = 0; done && i < count; i++)
        done = pprof_add_line(pprof, location, &lines[i]);
    if (mapping != PPROF_NONE)
        pprof_mapping_set_named(&pprof->mappings[mapping]);
    return done;
}

long pprof_find_type(const struct pprof *pprof, const char *name)
{
    for (size_t i = 0; i < pprof->type_count; i++)
        if (strcmp(pprof->types[i].name, name) == 0)
            return (long)i;
    return -1;
}
