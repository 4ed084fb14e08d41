/* The aarch64 back end's part of a thread's state: it needs none. */
#ifndef TAP_UNWIND_RECORD_AARCH64_H
#define TAP_UNWIND_RECORD_AARCH64_H

#include <stdbool.h>
#include <stdint.h>

struct backend_rule {
    uint64_t unused;
};

/* Each step follows the frame pointer, and loads the next. */
static inline bool backend_uses_fp(const struct backend_rule *rule)
{
    return true;
}

static inline bool backend_keeps_fp(const struct backend_rule *rule)
{
    return false;
}

static inline uint32_t backend_transient(const struct backend_rule *rule)
{
    return 0;
}

struct backend_scratch {
    uint64_t unused;
};

/* Removes the pointer authentication code from a return address.  XPACLRI is a no-op where the
 * processor has none. */
static inline uint64_t backend_code_address(uint64_t return_address)
{
    register uint64_t x30 __asm__("x30") = return_address;
    __asm__("hint #7" : "+r"(x30));
    return x30;
}

#endif
