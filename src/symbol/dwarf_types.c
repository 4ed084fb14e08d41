#include "symbol/dwarf_types.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32, NAME_BYTES = 256 };

struct search {
    const char *name; /* what is looked for */
    struct dwarf_type found;
    bool is_found, is_ambiguous;
};

static bool is_object(int tag)
{
    return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

/* The type that a typedef, or a const one, stands for; false for none. */
static bool peel(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    for (int i = 0; i < DEEPEST && !is_object(dwarf_tag(die)); i++)
        if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), die))
            return false;
    return is_object(dwarf_tag(die));
}

/* Is `name` the whole of a qualified name, or its last parts? */
static bool ends_with(const char *whole, const char *name)
{
    size_t length = strlen(whole), wanted = strlen(name);
    return wanted <= length && strcmp(whole + length - wanted, name) == 0 &&
           (wanted == length || (length - wanted >= 2 && whole[length - wanted - 1] == ':'));
}

/* One type under two names is found once. */
static void take(struct search *search, const char *name, Dwarf_Die die)
{
    Dwarf_Word bytes;
    Dwarf_Attribute attribute;
    size_t length = strlen(name);
    const char *end =
        length < sizeof search->found.name ? name : name + length - (sizeof search->found.name - 1);
    if (!peel(&die) ||
        dwarf_formudata(dwarf_attr_integrate(&die, DW_AT_byte_size, &attribute), &bytes) != 0 ||
        bytes == 0)
        return;
    search->is_ambiguous |=
        search->is_found && (search->found.bytes != bytes || strcmp(search->found.name, end) != 0);
    search->found.bytes = bytes;
    snprintf(search->found.name, sizeof search->found.name, "%s", end);
    search->is_found = true;
}

/* "outer::name"; what has no name of its own adds nothing. */
static void join(char out[NAME_BYTES], const char *outer, const char *name)
{
    snprintf(out, NAME_BYTES, "%s%s%s", outer, *outer && name ? "::" : "", name ? name : "");
}

static void walk(struct search *search, Dwarf_Die *parent, const char *outer, int depth)
{
    Dwarf_Die die;
    if (depth == DEEPEST || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        bool is_type = is_object(tag) || tag == DW_TAG_typedef;
        if (!is_type && tag != DW_TAG_namespace && tag != DW_TAG_subprogram &&
            tag != DW_TAG_lexical_block)
            continue;
        char name[NAME_BYTES];
        join(name, outer,
             tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ? NULL : dwarf_diename(&die));
        if (is_type && dwarf_diename(&die) && ends_with(name, search->name))
            take(search, name, die);
        if (tag != DW_TAG_typedef)
            walk(search, &die, name, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* A parameter of that name of the innermost template around the code. */
static void find_parameter(struct search *search, Dwarf_Die *unit, Dwarf_Addr address)
{
    Dwarf_Die *scopes = NULL;
    int count = dwarf_getscopes(unit, address, &scopes);
    for (int i = 0; i < count && !search->is_found; i++) {
        Dwarf_Die scope = scopes[i], child, type;
        Dwarf_Attribute attribute;
        for (int k = 0;
             k < DEEPEST &&
             dwarf_formref_die(dwarf_attr(&scope, DW_AT_abstract_origin, &attribute), &scope);
             k++)
            ;
        if (dwarf_child(&scope, &child) != 0)
            continue;
        do
            if (dwarf_tag(&child) == DW_TAG_template_type_parameter && dwarf_diename(&child) &&
                strcmp(dwarf_diename(&child), search->name) == 0 &&
                dwarf_formref_die(dwarf_attr(&child, DW_AT_type, &attribute), &type) &&
                peel(&type) && dwarf_diename(&type))
                take(search, dwarf_diename(&type), type);
        while (dwarf_siblingof(&child, &child) == 0);
    }
    free(scopes);
}

/* The unit whose code is at the address.  Clang writes no table of these. */
static bool find_unit(Dwarf *dwarf, Dwarf_Addr address, Dwarf_Die *unit)
{
    Dwarf_Off next, offset = 0;
    size_t header;
    if (dwarf_addrdie(dwarf, address, unit))
        return true;
    for (; dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0; offset = next)
        if (dwarf_offdie(dwarf, offset + header, unit) && dwarf_haspc(unit, address) > 0)
            return true;
    return false;
}

bool dwarf_type_find(const struct debug_file *file, uint64_t address, const char *name,
                     struct dwarf_type *type)
{
    Dwarf_Die unit;
    Dwarf_Addr in_dwarf = address - file->dwarf_bias;
    struct search search = {.name = name};
    if (!file->dwarf || !*name || !find_unit(file->dwarf, in_dwarf, &unit))
        return false;
    find_parameter(&search, &unit, in_dwarf);
    if (!search.is_found)
        walk(&search, &unit, "", 0);
    *type = search.found;
    return search.is_found && !search.is_ambiguous;
}
