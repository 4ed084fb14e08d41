#include "import/any_profile.h"

#include "import/jemalloc.h"

bool any_profile_looks_like_one(const uint8_t *bytes, size_t count)
{
    return pprof_looks_like_one(bytes, count) || jemalloc_looks_like_one(bytes, count);
}

enum heaptap_status any_profile_read(struct pprof **pprof, struct input *input,
                                     struct heaptap_error *error)
{
    uint8_t bytes[INPUT_PEEK_BYTES];
    size_t got;
    enum heaptap_status status = input_peek(input, bytes, &got, error);
    if (status != HEAPTAP_OK)
        return status;
    return jemalloc_looks_like_one(bytes, got) ? jemalloc_read(pprof, input, error)
                                               : pprof_read(pprof, input, error);
}
