/* The function that calls main in its place (holders.c), which is left out of the program's stacks.  It is known by its section, to whose
 * bounds the linker gives these names. */
#ifndef TAP_RECORD_WRAPPER_H
#define TAP_RECORD_WRAPPER_H

#include <stdbool.h>
#include <stdint.h>

#define WRAPPER static __attribute__((noinline, section("heaptap_main")))

extern const char __start_heaptap_main[] __attribute__((visibility("hidden")));
extern const char __stop_heaptap_main[] __attribute__((visibility("hidden")));

/* Whether an address is of it. */
static inline bool wrapper_has(uint64_t address)
{
    return address - (uint64_t)__start_heaptap_main <
           (uint64_t)(__stop_heaptap_main - __start_heaptap_main);
}

#endif
