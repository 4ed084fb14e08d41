/* What the back end keeps in each thread's state. */
#ifndef TAP_UNWIND_BACKEND_H
#define TAP_UNWIND_BACKEND_H

#include <stdint.h>

#if defined(__x86_64__)
#include "tap/unwind/cfi.h"
#include "tap/unwind/table.h"
#define backend_rule table_rule
#define backend_scratch cfi_run
static inline uint64_t backend_code_address(uint64_t return_address)
{
    return return_address;
}
/* Whether a step by `rule` depends on the frame pointer, and whether it leaves it as it is. */
static inline bool backend_uses_fp(const struct table_rule *rule)
{
    return rule->cfa != TABLE_SP && rule->cfa != TABLE_OUTERMOST;
}
static inline bool backend_keeps_fp(const struct table_rule *rule)
{
    return rule->fp == TABLE_KEPT;
}
static inline uint32_t backend_transient(const struct table_rule *rule)
{
    return rule->transient;
}
#elif defined(__aarch64__)
#include "tap/unwind/record_aarch64.h"
#else
#error "heaptap has no unwinder for this processor"
#endif

#endif
