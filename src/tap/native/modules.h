/* The programs and libraries of the process, as a trace tells of them, and the codes under which
 * addresses inside them are written (base/code.h). */
#ifndef TAP_NATIVE_MODULES_H
#define TAP_NATIVE_MODULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/code.h"
#include "heaptap/pprof.h"

/* Notes the modules that are loaded now, and those that are no longer.  Takes the loader's lock: to
 * be called only where the caller's caller takes it anyway, or no other thread runs. */
void modules_refresh(int64_t now_us);

/* Whether every address is its own code, as it is until a module has been unloaded. */
extern _Atomic uint32_t modules_gone; /* unloaded so far */
static inline bool modules_codes_are_addresses(void)
{
    return atomic_load_explicit(&modules_gone, memory_order_relaxed) == 0;
}

/* The code for an address in a call of the calling thread that is going on. */
uint64_t modules_code(uint64_t address);

/* One location for a code: the module's path, and its last part with `+0x` and the ELF virtual
 * address. 0 where the address is in no module.  A module not met before is noted.  `function`
 * holds MODULES_FUNCTION_BYTES. */
enum { MODULES_FUNCTION_BYTES = 64 };
size_t modules_describe(uint64_t code, char *function, struct heaptap_location *location,
                        int64_t now_us);

/* For a profile: the number of the code's module in it, added if it is new, and in `*address` that
 * of the call that is going on.  0 for code in no module. */
uint32_t modules_locate(struct heaptap_pprof *profile, uint64_t code, uint64_t *address,
                        int64_t now_us);

/* Makes a mapping of the profile of each module met so far, as a trace has all of them. */
void modules_add(struct heaptap_pprof *profile);

/* Whether modules_write has anything to do. */
bool modules_unwritten(void);

/* Writes a record for each module that has none yet, or has been unloaded since. */
void modules_write(struct heaptap_domain *domain, int64_t start_us);

/* The same where a process writes several traces: what one of them was told of modules; zeroed for nothing. */
struct modules_told {
    const struct module_record *newest;
    uint32_t gone;
};
void modules_tell(struct heaptap_domain *domain, int64_t start_us, struct modules_told *told);

/* For a new trace: none is written. */
void modules_forget_written(void);

#endif
