/* What the back end keeps in each thread's state. */
#ifndef UNWIND_BACKEND_H
#define UNWIND_BACKEND_H

#include <stdint.h>

#if defined(__x86_64__)
#include "unwind/cfi.h"
#include "unwind/table.h"
#define backend_rule table_rule
#define backend_scratch cfi_run
static inline uint64_t backend_code_address(uint64_t return_address)
{
    return return_address;
}
#elif defined(__aarch64__)
#include "unwind/record_aarch64.h"
#else
#error "heaptap has no unwinder for this processor"
#endif

#endif
