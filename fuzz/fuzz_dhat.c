#include "import/dhat.h"

#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_profile(data, size, dhat_looks_like_one, dhat_read);
}
