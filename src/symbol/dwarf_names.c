/* A function's name is best taken from its linkage name: it tells the namespaces, the template
 * arguments and the language.  Some functions have none in DWARF: C functions, those with internal
 * linkage, all of them in what clang's line-tables-only mode writes.  Where such a function has
 * code of its own, the symbol at its first byte tells it.  For an inlined one there is DW_AT_name,
 * the last part alone, and the other parts are the names of the DIEs around the declaration:
 * namespaces, classes, and functions around local classes, which is what a lambda is.  DWARF has no
 * pointers to parents, so the first such question about a unit makes a table of what can be around,
 * sorted by where it begins, as a walk meets it. */
#include "base/array.h"
#include "symbol/dwarf_names.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_SCOPE UINT32_MAX

enum { DEEPEST = 200, LONGEST_CHAIN = 16, LONGEST_NAME = 4096 };

struct scope {
    Dwarf_Off start;
    Dwarf_Off end;    /* of the next sibling; 0 for a last child, which ends with its parent */
    const char *name; /* DW_AT_name; NULL where it has none */
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

/* ---- Linkage names --------------------------------------------------------------------------- */

static const char *attribute_string(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

/* `is_ada`: it is GNAT's, which nothing in the name says. */
static const char *show(struct dwarf_names *names, const char *raw, bool is_ada)
{
    size_t size = strcspn(raw, "@"); /* behind it stands the symbol's version */
    struct symbol_string *string =
        symbol_memory_string(names->memory, raw, size > 0 ? size : strlen(raw));
    if (!string || string->readable)
        return string ? string->readable : NULL;
    char *readable =
        is_ada ? demangle_ada(string->text) : demangle_name(string->text, names->style);
    if (!readable)
        return NULL;
    struct symbol_string *kept = symbol_memory_string(names->memory, readable, strlen(readable));
    free(readable);
    string->readable = kept ? kept->text : NULL;
    return string->readable;
}

const char *names_show(struct dwarf_names *names, const char *raw)
{
    return show(names, raw, false);
}

const char *names_show_offset(struct dwarf_names *names, uint64_t address)
{
    char *text;
    int length = asprintf(&text, "%s+0x%" PRIx64, names->module, address);
    if (length < 0)
        return NULL;
    struct symbol_string *string = symbol_memory_string(names->memory, text, (size_t)length);
    free(text);
    return string ? string->text : NULL;
}

/* ---- Scopes ---------------------------------------------------------------------------------- */

static bool is_scope(int tag)
{
    switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
        return true;
    default:
        return false;
    }
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
    size_t low = ARRAY_SEARCH(middle, table->count, table->scopes[middle].start < offset);
    uint32_t found = low ? (uint32_t)(low - 1) : NO_SCOPE;
    for (uint32_t scope = found; scope != NO_SCOPE; scope = table->scopes[scope].parent)
        if (table->scopes[scope].end && table->scopes[scope].end <= offset)
            found = table->scopes[scope].parent;
    return found;
}

/* ---- Qualified names ------------------------------------------------------------------------- */

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

/* What a scope is called in the name of the function `name` in it. */
static const char *scope_name(const struct scope *scope, const char *name)
{
    if (scope->name)
        return scope->name;
    if (scope->tag != DW_TAG_namespace && !strcmp(name, "operator()"))
        return "{lambda}";
    return scope->tag == DW_TAG_namespace ? "(anonymous namespace)" : "{unnamed}";
}

/* Puts a scope before the `*length` bytes of a name that is built from its end, at the end of
 * `text`. */
static bool prepend(char *text, size_t size, size_t *length, const char *part)
{
    size_t part_length = strlen(part);
    bool closure = !strncmp(part, "<lambda", 7); /* GCC's name for it; demanglers write braces */
    if (*length + part_length + 3 > size)
        return false;
    *length += 2;
    memcpy(text + size - *length, "::", 2);
    *length += part_length;
    char *at = memcpy(text + size - *length, part, part_length);
    if (closure)
        at[0] = '{', at[part_length - 1] = '}';
    return true;
}

/* "outer::inner::name" in the last bytes of `text`; a name too long keeps its innermost parts.  A
 * function around a local class counts, and brings its own scopes; a function straight in another
 * does not (it is C). */
static const char *qualify(struct dwarf_names *names, const struct scope_table *table, Dwarf *dwarf,
                           uint32_t innermost, const char *name, char *text, size_t size)
{
    size_t length = strlen(name) + 1;
    bool in_class = false;
    if (length > size)
        return name;
    memcpy(text + size - length, name, length);
    for (uint32_t at = innermost; at != NO_SCOPE; at = table->scopes[at].parent) {
        const struct scope *scope = &table->scopes[at];
        Dwarf_Die function;
        if (scope->tag == DW_TAG_lexical_block)
            continue;
        if (scope->tag != DW_TAG_subprogram) {
            in_class |= scope->tag != DW_TAG_namespace;
            if (!prepend(text, size, &length, scope_name(scope, name)))
                break;
            continue;
        }
        if (in_class && names->depth < LONGEST_CHAIN &&
            dwarf_offdie(dwarf, scope->start, &function)) {
            names->depth++;
            const char *around = names_of_function(names, &function, NULL);
            names->depth--;
            if (!around)
                return NULL;
            prepend(text, size, &length, *around ? around : "{unnamed}");
        }
        break;
    }
    return text + size - length;
}

static const char *qualified_name(struct dwarf_names *names, Dwarf_Die *die, const char *name)
{
    char text[LONGEST_NAME];
    Dwarf_Die declaration = *die, unit;
    go_to_declaration(&declaration);
    if (!dwarf_diecu(&declaration, &unit, NULL, NULL))
        return names_show(names, name);
    struct scope_table *table = scopes_of_unit(names, &unit);
    if (!table)
        return NULL;
    const char *full =
        qualify(names, table, dwarf_cu_getdwarf(declaration.cu),
                scope_at(table, dwarf_dieoffset(&declaration)), name, text, sizeof text);
    if (!full || full == name)
        return full ? names_show(names, name) : NULL;
    demangle_shorten(text + (full - text), names->style);
    struct symbol_string *kept = symbol_memory_string(names->memory, full, strlen(full));
    return kept ? kept->text : NULL;
}

static bool is_mangled(const char *name)
{
    return (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R')) || demangle_is_d(name);
}

enum { LANGUAGE_ADA2005 = 0x2e, LANGUAGE_ADA2012 = 0x2f }; /* since DWARF 5, not in elfutils yet */

static bool is_ada(Dwarf_Die *die)
{
    Dwarf_Die unit;
    switch (dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1) {
    case DW_LANG_Ada83:
    case DW_LANG_Ada95:
    case LANGUAGE_ADA2005:
    case LANGUAGE_ADA2012:
        return true;
    default:
        return false;
    }
}

/* GNAT writes a package and what is in it as one name, so that no scopes are looked for. */
static const char *ada_name(struct dwarf_names *names, Dwarf_Die *die)
{
    const char *name = attribute_string(die, DW_AT_linkage_name);
    if (!name)
        name = attribute_string(die, DW_AT_name);
    return name ? show(names, name, true) : "";
}

const char *names_of_function(struct dwarf_names *names, Dwarf_Die *die, const char *symbol)
{
    if (names->style != SYMBOL_NAMES_RAW && is_ada(die))
        return ada_name(names, die);
    const char *linkage = attribute_string(die, DW_AT_linkage_name);
    if (!linkage)
        linkage = attribute_string(die, DW_AT_MIPS_linkage_name);
    bool raw = names->style == SYMBOL_NAMES_RAW;
    if (!linkage && symbol && is_mangled(symbol))
        linkage = symbol;
    /* A C library's alias for itself, such as __GI___libc_malloc. */
    if (linkage && !raw && !is_mangled(linkage))
        linkage = symbol;
    if (linkage)
        return names_show(names, linkage);
    const char *name = attribute_string(die, DW_AT_name);
    if (!name)
        return "";
    return raw ? names_show(names, name) : qualified_name(names, die, name);
}
