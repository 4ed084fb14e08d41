/* The mappings of the process, as the kernel tells them, and what of them is looked at for roots. */
#ifndef TAP_HOLDERS_MAPS_H
#define TAP_HOLDERS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapping {
    uint64_t start, end;
    uint64_t inode;   /* 0: of no file */
    bool is_writable; /* and private */
    bool is_shared;
    bool
        is_root; /* what it has may hold blocks: no device's memory, nothing that is of a file alone */
    bool is_file;  /* of a file, not writable: constants of a module */
    bool is_heap;  /* [heap] */
    bool is_stack; /* [stack] */
};

struct memory_range {
    uint64_t start, end;
};

struct maps {
    char *text;
    size_t text_bytes;
    struct mapping *mappings; /* by address */
    size_t count;
    struct memory_range *left_out; /* by address once maps_sort has been called */
    size_t left_out_count, left_out_capacity;
};

/* Of this process.  False without memory, or without /proc. */
bool maps_read(struct maps *maps);

/* The mapping that has an address; NULL for none. */
const struct mapping *maps_find(const struct maps *maps, uint64_t address);

/* The mapping that has an address in its midst becomes two.  It stays one where there is no room. */
void maps_split(struct maps *maps, uint64_t address);

/* A range is no root.  What there is no room for stays one. */
void maps_leave_out(struct maps *maps, uint64_t start, uint64_t end);

/* The data of the library that has a constant at `constant`, and whose data end at `end`. */
void maps_leave_out_library(struct maps *maps, uint64_t constant, uint64_t end);

/* To be called when all has been left out. */
void maps_sort(struct maps *maps);

/* The first part of [*start, end) that is not left out, of which the end goes to `*part_end`; false for none.  `*at`, 0 at first,
 * is kept from call to call, which are in the order of addresses. */
bool maps_next_part(const struct maps *maps, size_t *at, uint64_t *start, uint64_t end,
                    uint64_t *part_end);

#endif
