#include "import/speedscope.h"

#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_profile(data, size, speedscope_looks_like_one, speedscope_read);
}
