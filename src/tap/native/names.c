/* The names of codes, for programs that write a trace or profile themselves. */
#include <stdatomic.h>

#include "heaptap/native.h"
#include "tap/inside/clock.h"
#include "tap/native/modules.h"
#include "tap/native/native.h"
#include "tap/unwind/unwind.h"

static __thread char function[MODULES_FUNCTION_BYTES] __attribute__((tls_model("initial-exec")));

void native_begin(void)
{
    static atomic_flag begun = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&begun))
        return;
    clock_init();
    unwind_modules_init();
}

void heaptap_native_refresh(void)
{
    native_begin();
    unwind_modules_changed();
    modules_refresh(clock_now());
}

size_t heaptap_native_describe(void *context, uint64_t code, struct heaptap_location *locations,
                               size_t max)
{
    return locations && max > 0 ? modules_describe(code, function, locations, clock_now()) : 0;
}

void heaptap_native_modules(struct heaptap_domain *domain, int64_t start_us)
{
    struct modules_told told = {0};
    if (domain)
        modules_tell(domain, start_us, &told);
}

uint32_t heaptap_native_locate(void *context, uint64_t code, uint64_t *address)
{
    struct heaptap_pprof **profile = context;
    return profile && *profile && address ? modules_locate(*profile, code, address, clock_now())
                                          : 0;
}
