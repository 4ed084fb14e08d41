/* Any bytes at all, given to the reader of jemalloc's profiles: what it accepts must hold together,
 * and become stacks. */
#include <stdlib.h>

#include "import/jemalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check(const struct pprof *pprof)
{
    struct stack_profile profile;
    require(pprof->type_count == 2 || pprof->type_count == 4);
    for (size_t i = 0; i < pprof->sample_count; i++)
        require(pprof->first_frame[i] <= pprof->first_frame[i + 1]);
    for (size_t i = 0; i < pprof->location_count; i++)
        require(pprof->locations[i].mapping == PPROF_NONE ||
                pprof->locations[i].mapping < pprof->mapping_count);
    for (size_t type = 0; type < pprof->type_count; type++)
        if (pprof_stacks(&profile, pprof, type))
            stack_profile_release(&profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pprof *pprof;
    struct heaptap_error error = {0};
    struct input *input;
    jemalloc_looks_like_one(data, size);
    if (input_open_memory(&input, data, size, &error) != HEAPTAP_OK)
        return 0;
    enum heaptap_status status = jemalloc_read(&pprof, input, &error);
    require(status == HEAPTAP_OK || (!pprof && error.status == status && error.message[0]));
    if (status == HEAPTAP_OK)
        check(pprof);
    pprof_free(pprof);
    input_close(input);
    return 0;
}
