#include "import/v8.h"

#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_profile(data, size, v8_looks_like_one, v8_read);
}
