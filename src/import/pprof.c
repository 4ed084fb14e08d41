#include "import/pprof.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "import/wire.h"
#include "pprof/fields.h"

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
