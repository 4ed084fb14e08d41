/* A function's name is best taken from its linkage name: it tells the namespaces, the template
 * arguments and the language.  Some functions have none (a C function, main, what clang's
 * line-tables-only mode writes, most constructors that are inlined), and DW_AT_name is the last
 * part alone.  The other parts are the names of the DIEs around the declaration.  DWARF has no
 * pointers to parents, so the first such question about a unit makes a table of its namespaces and
 * classes, sorted by where they begin, as a walk meets them. */
#include "symbol/dwarf_names.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_SCOPE = UINT32_MAX, DEEPEST = 200, LONGEST_CHAIN = 16 };

struct scope {
    Dwarf_Off start;
    Dwarf_Off end;    /* of the next sibling; 0 for a last child, which ends with its parent */
    const char *name; /* NULL where it has none */
    uint32_t parent;  /* index, or NO_SCOPE */
    int tag;
};

struct scope_table {
    struct scope_table *next;
    const void *unit; /* address of the unit's DIE */
    struct scope *scopes;
    size_t count;
    size_t capacity;
};

/* ---- Linkage names
 * ------------------------------------------------------------------------------------- */

static const char *attribute_string(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

const char *names_show(struct dwarf_names *names, const char *raw)
{
    struct symbol_string *string = symbol_memory_string(names->memory, raw, strlen(raw));
    if (!string || string->readable)
        return string ? string->readable : NULL;
    char *readable = demangle_name(raw, names->style);
    if (!readable)
        return NULL;
    struct symbol_string *kept = symbol_memory_string(names->memory, readable, strlen(readable));
    free(readable);
    string->readable = kept ? kept->text : NULL;
    return string->readable;
}

const char *names_show_offset(struct dwarf_names *names, uint64_t address)
{
    char text[24];
    int length = snprintf(text, sizeof text, "+0x%" PRIx64, address);
    struct symbol_string *string = symbol_memory_string(names->memory, text, (size_t)length);
    return string ? string->text : NULL;
}

/* ---- Scopes
 * -------------------------------------------------------------------------------------------- */

static bool is_scope(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_enumeration_type;
}

static bool read_scopes(struct scope_table *table, Dwarf_Die *parent_die, uint32_t parent,
                        unsigned depth)
{
    Dwarf_Die die;
    Dwarf_Off start;
    uint32_t last = NO_SCOPE;
    if (depth >= DEEPEST || dwarf_child(parent_die, &die) != 0)
        return true;
    do {
        start = dwarf_dieoffset(&die);
        if (last != NO_SCOPE)
            table->scopes[last].end = start;
        last = NO_SCOPE;
        int tag = dwarf_tag(&die);
        if (!is_scope(tag) || !dwarf_haschildren(&die))
            continue;
        if (!symbol_array_grow(&table->scopes, table->count, &table->capacity,
                               sizeof *table->scopes))
            return false;
        last = (uint32_t)table->count++;
        table->scopes[last] = (struct scope){.start = start,
                                             .name = attribute_string(&die, DW_AT_name),
                                             .parent = parent,
                                             .tag = tag};
        if (!read_scopes(table, &die, last, depth + 1))
            return false;
    } while (dwarf_siblingof(&die, &die) == 0 && dwarf_dieoffset(&die) > start);
    return true;
}

static struct scope_table *scopes_of_unit(struct dwarf_names *names, Dwarf_Die *unit)
{
    for (struct scope_table *table = names->scopes; table; table = table->next)
        if (table->unit == unit->addr)
            return table;
    struct scope_table *table = calloc(1, sizeof *table);
    if (!table)
        return NULL;
    table->unit = unit->addr;
    table->next = names->scopes;
    names->scopes = table;
    return read_scopes(table, unit, NO_SCOPE, 0) ? table : NULL;
}

void names_forget_scopes(struct dwarf_names *names)
{
    while (names->scopes) {
        struct scope_table *next = names->scopes->next;
        free(names->scopes->scopes);
        free(names->scopes);
        names->scopes = next;
    }
}

/* The innermost scope around a DIE. */
static uint32_t scope_at(const struct scope_table *table, Dwarf_Off offset)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->scopes[middle].start < offset)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t found = low ? (uint32_t)(low - 1) : NO_SCOPE;
    for (uint32_t scope = found; scope != NO_SCOPE; scope = table->scopes[scope].parent)
        if (table->scopes[scope].end && table->scopes[scope].end <= offset)
            found = table->scopes[scope].parent;
    return found;
}

/* ---- Qualified names
 * ----------------------------------------------------------------------------------- */

/* Follows a copy or a definition to the DIE that stands where the function was declared. */
static void go_to_declaration(Dwarf_Die *die)
{
    for (int i = 0; i < LONGEST_CHAIN; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die next;
        if (!dwarf_attr(die, DW_AT_abstract_origin, &attribute) &&
            !dwarf_attr(die, DW_AT_specification, &attribute))
            return;
        if (!dwarf_formref_die(&attribute, &next))
            return;
        *die = next;
    }
}

static const char *scope_name(const struct scope *scope)
{
    if (scope->name)
        return scope->name;
    return scope->tag == DW_TAG_namespace ? "(anonymous namespace)" : "{unnamed}";
}

/* "outer::inner::name", to be freed. */
static char *qualify(const struct scope_table *table, uint32_t innermost, const char *name)
{
    size_t size = strlen(name) + 1;
    for (uint32_t scope = innermost; scope != NO_SCOPE; scope = table->scopes[scope].parent)
        size += strlen(scope_name(&table->scopes[scope])) + 2;
    char *text = malloc(size);
    if (!text)
        return NULL;
    char *at = text + size - 1 - strlen(name);
    strcpy(at, name);
    for (uint32_t scope = innermost; scope != NO_SCOPE; scope = table->scopes[scope].parent) {
        const char *part = scope_name(&table->scopes[scope]);
        at -= 2;
        memcpy(at, "::", 2);
        at -= strlen(part);
        memcpy(at, part, strlen(part));
    }
    return text;
}

const char *names_of_function(struct dwarf_names *names, Dwarf_Die *die)
{
    const char *linkage = attribute_string(die, DW_AT_linkage_name);
    if (!linkage)
        linkage = attribute_string(die, DW_AT_MIPS_linkage_name);
    if (linkage)
        return names_show(names, linkage);
    const char *name = attribute_string(die, DW_AT_name);
    if (!name)
        return "";
    Dwarf_Die declaration = *die, unit;
    go_to_declaration(&declaration);
    if (names->style == SYMBOL_NAMES_RAW || !dwarf_diecu(&declaration, &unit, NULL, NULL))
        return names_show(names, name);
    struct scope_table *table = scopes_of_unit(names, &unit);
    char *text =
        table ? qualify(table, scope_at(table, dwarf_dieoffset(&declaration)), name) : NULL;
    if (!text)
        return NULL;
    if (names->style == SYMBOL_NAMES_SHORT)
        demangle_shorten(text);
    struct symbol_string *kept = symbol_memory_string(names->memory, text, strlen(text));
    free(text);
    return kept ? kept->text : NULL;
}
