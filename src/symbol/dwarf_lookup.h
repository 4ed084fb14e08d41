/* Answers for the addresses of one file from its DWARF. */
#ifndef SYMBOL_DWARF_LOOKUP_H
#define SYMBOL_DWARF_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

#include "symbol/debug_file.h"
#include "symbol/dwarf_inline.h"
#include "symbol/dwarf_names.h"
#include "symbol/symbol_table.h"

struct dwarf_lookup {
    /* Set by the caller: */
    struct debug_file *file;
    const struct symbol_table *table; /* names where DWARF has lines only */
    struct dwarf_names *names;
    bool drop_columns;
    /* Answered: */
    size_t split_missing; /* units whose .dwo file was not found */
    bool shared_missing;  /* the file of .gnu_debugaltlink was not found */
    bool damaged;         /* units after some place could not be decoded */
    /* Its own: */
    Dwarf *dwarf;  /* present while it runs; renewed when much has been decoded */
    Dwarf *shared; /* of .gnu_debugaltlink, or NULL; owned by `file` */
    size_t rows;   /* of line tables decoded since `dwarf` was made */
};

/* Fills `locations` and `count` of those targets about whose code the DWARF says anything.
 * `targets` are sorted by address, distinct, with `count` 0; they stay sorted.  False when memory
 * is short. */
bool dwarf_lookup_run(struct dwarf_lookup *lookup, struct dwarf_target *targets, size_t count);

#endif
