#include "pprof/read/unused.h"

#include <stdlib.h>

bool pprof_drop_unused(struct pprof *pprof)
{
    size_t frames = pprof->sample_count ? pprof->first_frame[pprof->sample_count] : 0;
    uint32_t *kept = malloc((pprof->location_count + 1) * sizeof *kept), count = 0;
    if (!kept)
        return false;
    for (size_t i = 0; i < pprof->location_count; i++)
        kept[i] = PPROF_NONE;
    for (size_t i = 0; i < frames; i++)
        kept[pprof->frames[i]] = 0;
    for (size_t i = 0; i < pprof->location_count; i++) {
        if (kept[i] == PPROF_NONE)
            continue;
        kept[i] = count;
        pprof->locations[count++] = pprof->locations[i];
    }
    for (size_t i = 0; i < frames; i++)
        pprof->frames[i] = kept[pprof->frames[i]];
    pprof->location_count = count;
    free(kept);
    return true;
}
