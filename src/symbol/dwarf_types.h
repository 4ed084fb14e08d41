/* A type by its name, as the debug information of the code that uses it has it. */
#ifndef SYMBOL_DWARF_TYPES_H
#define SYMBOL_DWARF_TYPES_H

#include "symbol/debug_file.h"

struct dwarf_type {
    char name[96];  /* with its namespaces and classes; the end of it where that is longer */
    uint64_t bytes; /* of an object */
};

/* The class, structure or union that `name` stands for in the unit of the code at an ELF virtual address: its own name, without or with
 * namespaces; that of a typedef; or that of a parameter of the template that the code is of.  The file's DWARF has been found.  False where there is none,
 * or more than one. */
bool dwarf_type_find(const struct debug_file *file, uint64_t address, const char *name,
                     struct dwarf_type *type);

#endif
