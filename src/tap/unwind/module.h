/* The programs and libraries mapped into the process, found by code address. */
#ifndef TAP_UNWIND_MODULE_H
#define TAP_UNWIND_MODULE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include "tap/unwind/table.h"
#endif

enum { MODULE_ELF_HEADER_BYTES = 64, MODULE_BUILD_ID_BYTES = 32, MODULE_FRAME_HEADER_BYTES = 16 };

/* Bytes of a module that distinguish it from another one at the same place. */
struct module_identity {
    uint8_t elf_header[MODULE_ELF_HEADER_BYTES];
    uint8_t frame_header[MODULE_FRAME_HEADER_BYTES]; /* of .eh_frame_hdr */
    uint8_t build_id[MODULE_BUILD_ID_BYTES];
};

/* One module; never freed and never changed, except for the tables that grow in it.  A module that
 * is unloaded keeps its record: should it come back to the same place, its tables are used again.
 */
struct module {
    uint64_t start, end; /* its mapping */
    const void *link_map;
    const uint8_t *header;     /* .eh_frame_hdr, or NULL */
    const uint8_t *low, *high; /* the readable segment around it */
    bool is_main;              /* the program itself */
    bool permanent;            /* never unloaded */
    uint32_t build_id_offset;  /* from start; 0: none, or not in the first page */
    struct module_identity identity;
    struct module *older; /* another module once seen at this start */
#if defined(__x86_64__)
    struct table table;
#endif
};

/* The module around `address`, where the calling thread is sure that it stays loaded meanwhile
 * because it runs in it; NULL where there is none, or none that can be relied upon. */
struct module *module_find(uint64_t address);

/* Whether `module` is what is loaded at `address`, an address of the module's mapping. */
bool module_is_current(const struct module *module, uint64_t address);

/* How to see that a module is still loaded without asking for it. */
struct module_watch {
    const uint64_t *word; /* NULL: there is no way */
    uint64_t value;
};

/* As module_is_current; if so, `watch` begins. */
bool module_watch(const struct module *module, struct module_watch *watch);

/* Whether the module surely has been loaded since its watch began. */
static inline bool module_is_watched(const struct module_watch *watch)
{
    return watch->word && __atomic_load_n(watch->word, __ATOMIC_ACQUIRE) == watch->value;
}

/* Grows whenever what is remembered of addresses must be forgotten. */
uint64_t module_epoch(void);

/* Behaves as on a libc without _dl_find_object; for tests.  To be called before anything else. */
void module_without_find_object(void);

#endif
