#include "import/memtracer_table.h"

#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_profile(data, size, memtracer_table_looks_like_one, memtracer_table_read);
}
