#include "import/jemalloc.h"

#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_profile(data, size, jemalloc_looks_like_one, jemalloc_read);
}
