/* Any bytes at all, given to the reader of pprof profiles: what it accepts must hold together, and
 * become stacks. */
#include <stdlib.h>

#include "pprof/read/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_samples(const struct pprof *pprof)
{
    for (size_t i = 0; i < pprof->sample_count; i++) {
        require(pprof->first_frame[i] <= pprof->first_frame[i + 1]);
        require(pprof->first_label[i] <= pprof->first_label[i + 1]);
    }
    for (size_t i = 0; i < pprof->first_frame[pprof->sample_count]; i++)
        require(pprof->frames[i] < pprof->location_count);
    for (size_t i = 0; i < pprof->first_label[pprof->sample_count]; i++)
        require(pprof->labels[i].key && pprof->labels[i].unit);
}

static void check_locations(const struct pprof *pprof)
{
    for (size_t i = 0; i < pprof->location_count; i++) {
        const struct pprof_location *location = &pprof->locations[i];
        require(location->mapping == PPROF_NONE || location->mapping < pprof->mapping_count);
        require((size_t)location->first_line + location->line_count <= pprof->line_count);
    }
    for (size_t i = 0; i < pprof->line_count; i++)
        require(pprof->lines[i].function && pprof->lines[i].file);
}

/* Every frame of the model has a name. */
static void check_model(const struct pprof *pprof)
{
    struct model *model = pprof_model(pprof);
    struct symbols symbols;
    struct frame_symbols names;
    size_t count;
    if (!model)
        return;
    struct frame_source frames = model_frames(model);
    symbols_init(&symbols, GRAIN_FUNCTION);
    require(frame_symbols_init(&names, &frames, &symbols));
    for (uint32_t i = 0; i < frames.frame_count; i++)
        require(frame_symbols_of(&names, i, &count) && count > 0);
    frame_symbols_release(&names);
    symbols_release(&symbols);
    model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pprof *pprof;
    struct heaptap_error error;
    enum heaptap_status status = pprof_decode(&pprof, data, size, &error);
    pprof_looks_like_one(data, size);
    if (status != HEAPTAP_OK) {
        require(!pprof && error.status == status && error.message[0]);
        require(status != HEAPTAP_BAD_INPUT || error.offset <= size);
        return 0;
    }
    require(pprof->type_count > 0 && pprof->default_type < pprof->type_count);
    check_samples(pprof);
    check_locations(pprof);
    check_model(pprof);
    pprof_free(pprof);
    return 0;
}
