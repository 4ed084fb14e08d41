/* The importers whose formats become profiles: one fuzzer for each, made with -DFORMAT=dhat and so on. */
#include "profile.h"

#define NAME(format, function) format##_##function
#define OF(format, function) NAME(format, function)

bool OF(FORMAT, looks_like_one)(const uint8_t *bytes, size_t size);
enum heaptap_status OF(FORMAT, read)(struct pprof **pprof, struct input *input,
                                     struct heaptap_error *error);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_profile(data, size, OF(FORMAT, looks_like_one), OF(FORMAT, read));
}
