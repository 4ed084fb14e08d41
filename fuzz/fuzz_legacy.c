#include "import/legacy.h"

#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_profile(data, size, legacy_looks_like_one, legacy_read);
}
