/* Which module was mapped at an address at a time. */
#ifndef SYMBOL_MODULE_MAP_H
#define SYMBOL_MODULE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heaptap/trace.h"

#define NO_MODULE UINT32_MAX

struct mapped_module {
    struct heaptap_metadata record; /* its `name` is borrowed from whoever added it */
    uint32_t file;                  /* the caller's number: what the module is a mapping of */
    uint64_t reach;                 /* the greatest last address of this and all modules before */
};

struct module_map {
    struct mapped_module *modules; /* by address once sorted */
    size_t count;
    size_t capacity;
    bool sorted;
};

void module_map_release(struct module_map *map);

/* False when memory is short. */
bool module_map_add(struct module_map *map, const struct heaptap_metadata *record, uint32_t file);

/* Index of the module that `code` is in: of its epoch (base/code.h), or, where there is none such,
 * whichever was at that address at `time_us`; of several, the one loaded last; when none was there
 * just then, the nearest in time.  NO_MODULE where no module ever was.  Indexes hold until the next
 * add. */
uint32_t module_map_find(struct module_map *map, uint64_t code, int64_t time_us);

#endif
