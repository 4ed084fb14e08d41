/* What the fuzzers of importers of profiles share: what an importer accepts must hold together, and
 * become stacks. */
#ifndef FUZZ_PROFILE_H
#define FUZZ_PROFILE_H

#include <stdlib.h>

#include "format/import/file_format.h"
#include "pprof/read/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_require(bool condition)
{
    if (!condition)
        abort();
}

static void fuzz_check_profile(const struct pprof *pprof)
{
    fuzz_require(pprof->type_count > 0 && pprof->default_type < pprof->type_count);
    for (size_t i = 0; i < pprof->sample_count; i++) {
        fuzz_require(pprof->first_frame[i] <= pprof->first_frame[i + 1]);
        fuzz_require(pprof->first_label[i] <= pprof->first_label[i + 1]);
    }
    for (size_t i = 0; i < pprof->sample_count && i + 1 == pprof->sample_count; i++)
        for (size_t k = 0; k < pprof->first_frame[i + 1]; k++)
            fuzz_require(pprof->frames[k] < pprof->location_count);
    for (size_t i = 0; i < pprof->location_count; i++) {
        const struct pprof_location *location = &pprof->locations[i];
        fuzz_require(location->mapping == PPROF_NONE || location->mapping < pprof->mapping_count);
        fuzz_require((size_t)location->first_line + location->line_count <= pprof->line_count);
    }
    model_free(pprof_model(pprof));
}

/* Gives any bytes at all to an importer. */
static int fuzz_profile(const uint8_t *data, size_t size,
                        bool (*looks_like_one)(const uint8_t *bytes, size_t size),
                        enum heaptap_status (*read)(struct pprof **pprof, struct input *input,
                                                    struct heaptap_error *error))
{
    struct pprof *pprof;
    struct heaptap_error error = {0};
    struct input *input;
    looks_like_one(data, size);
    if (input_open_memory(&input, data, size, &error) != HEAPTAP_OK)
        return 0;
    enum heaptap_status status = read(&pprof, input, &error);
    fuzz_require(status == HEAPTAP_OK || (!pprof && error.status == status && error.message[0]));
    if (status == HEAPTAP_OK)
        fuzz_check_profile(pprof);
    pprof_free(pprof);
    input_close(input);
    return 0;
}

#endif
