/* The names of functions in DWARF. */
#ifndef SYMBOL_DWARF_NAMES_H
#define SYMBOL_DWARF_NAMES_H

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "base/names.h"
#include "symbol/demangle.h"

/* The number that an attribute of an entry is; 0 where it is none. */
static inline uint64_t attribute_number(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    return dwarf_formudata(dwarf_attr(die, name, &attribute), &value) == 0 ? value : 0;
}

/* Of a namespace or a type: what names of functions begin with. */
static inline bool tag_is_of_names(int tag)
{
    switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
        return true;
    default:
        return false;
    }
}

struct scope_table;

/* What is shown for linkers' names, of all files.  Zeroed, it is empty. */
struct shown_names {
    struct map numbers; /* address of the name's one copy -> index into texts */
    const char **texts;
    size_t count, capacity;
};

struct dwarf_names {
    struct names *memory; /* paths, names, locations */
    struct shown_names *shown;
    enum symbol_names style;
    const char *module;         /* the name of the file, without its folders */
    unsigned depth;             /* of functions whose local classes are being named */
    struct scope_table *scopes; /* of the units that were asked about; a list */
};

void shown_names_release(struct shown_names *shown);

/* The linker's name `raw` as it is shown.  NULL when memory is short. */
const char *names_show(struct dwarf_names *names, const char *raw);

/* "module+0x" and the address in hexadecimal: the name of code of which nothing else is known. NULL
 * when memory is short. */
const char *names_show_offset(struct dwarf_names *names, uint64_t address);

/* The name of a function or inlined function, with its namespaces and classes; NULL when memory is
 * short,
 * "" when it has none.  `symbol` is the linker's symbol at its first byte, or NULL. */
const char *names_of_function(struct dwarf_names *names, Dwarf_Die *die, const char *symbol);

/* Drops what was kept for the units asked about so far. */
void names_forget_scopes(struct dwarf_names *names);

#endif
