/* The importers whose formats become profiles: one fuzzer for each, made with -DFORMAT=dhat_format and so on. */
#include "format/import/file_format.h"
#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_profile(data, size, FORMAT.looks_like_one, FORMAT.read);
}
